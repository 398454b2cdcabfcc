"""Layers that multiply codes; `prepare_` changes the class of a model's own layers to these."""

from torch import nn

from cpt_model.layers.attention import QuantMultiheadAttention
from cpt_model.layers.conv import QuantConv2d
from cpt_model.layers.linear import QuantLinear
from cpt_model.layers.lstm import QuantLSTM
from cpt_model.layers.state import LayerState, layer_seed

# From a PyTorch layer to its quantised form.
FORMS: dict[type[nn.Module], type[nn.Module]] = {
    nn.Conv2d: QuantConv2d,
    nn.Linear: QuantLinear,
    nn.LSTM: QuantLSTM,
    nn.MultiheadAttention: QuantMultiheadAttention,
}

__all__ = ["FORMS", "LayerState", "QuantConv2d", "QuantLSTM", "QuantLinear", "QuantMultiheadAttention", "layer_seed"]
