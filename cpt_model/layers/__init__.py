"""Layers that multiply codes; `prepare_` changes the class of a model's own layers to these."""

from cpt_model.layers.attention import QuantMultiheadAttention
from cpt_model.layers.base import QuantLayer
from cpt_model.layers.conv import QuantConv2d
from cpt_model.layers.forms import FORMS, form_of, multiplies
from cpt_model.layers.linear import QuantLinear
from cpt_model.layers.lstm import QuantLSTM
from cpt_model.layers.state import LayerState, layer_seed

__all__ = [
    "FORMS",
    "LayerState",
    "QuantConv2d",
    "QuantLSTM",
    "QuantLayer",
    "QuantLinear",
    "QuantMultiheadAttention",
    "form_of",
    "layer_seed",
    "multiplies",
]
