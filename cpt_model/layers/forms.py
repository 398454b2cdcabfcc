"""From a layer to its quantised form, or to the reason why it has none.

A subclass is converted where it computes the product of its base class: with the base class's own `forward` (also
layers with parametrised weights), or with a `forward` in which one call of conv2d or linear is the only product.
"""

from __future__ import annotations

from torch import nn
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from cpt_model.layers.attention import QuantMultiheadAttention
from cpt_model.layers.base import QuantLayer, derived
from cpt_model.layers.conv import QuantConv2d
from cpt_model.layers.custom import QuantCustom, only_product
from cpt_model.layers.linear import QuantConv1D, QuantLinear
from cpt_model.layers.lstm import QuantLSTM

FORMS: dict[type[nn.Module], type[QuantLayer]] = {
    nn.Conv2d: QuantConv2d,
    nn.Linear: QuantLinear,
    nn.LSTM: QuantLSTM,
    nn.MultiheadAttention: QuantMultiheadAttention,
}
# What multiplies by weights; the last is the projection inside an attention, which the attention runs itself.
KINDS = (_ConvNd, nn.Linear, nn.Bilinear, nn.RNNBase, nn.RNNCellBase, nn.MultiheadAttention)
PART_OF_ANOTHER = NonDynamicallyQuantizableLinear
STAYS_FLOAT = "its class says that it stays float"


def multiplies(module: nn.Module) -> bool:
    """Whether it is a layer of products with weights."""
    return (isinstance(module, KINDS) and not isinstance(module, PART_OF_ANOTHER)) or is_conv1d(module)


def is_linear(module: nn.Module) -> bool:
    return isinstance(module, nn.Linear) or is_conv1d(module)


def stays_float(module: nn.Module) -> bool:
    """Whether its class has `stays_float = True`."""
    return bool(getattr(module, "stays_float", False))


def is_conv1d(module: nn.Module) -> bool:
    """Hugging Face's, known by its name: the package need not be there."""
    return any(
        kind.__name__ == "Conv1D" and kind.__module__.partition(".")[0] == "transformers"
        for kind in type(module).__mro__
    )


def form_of(module: nn.Module) -> type[QuantLayer] | str:
    """Of a layer that multiplies: the class it is converted to, or why it stays float."""
    kind = type(module)
    if kind in FORMS:
        return FORMS[kind]
    if stays_float(module):
        return STAYS_FLOAT
    if is_conv1d(module):
        return derived(QuantConv1D, kind)
    base = next((each for each in FORMS if isinstance(module, each)), None)
    if base is None:
        return f"{kind.__name__} layers are not quantised"
    if _inherits(kind, base, "forward") and _inherits(kind, base, "_conv_forward"):
        return derived(FORMS[base], kind)
    if base not in (nn.Conv2d, nn.Linear):
        return f"{kind.__name__} is a {base.__name__} with a forward of its own"
    product = only_product(module)
    return f"{kind.__name__}: {product}" if isinstance(product, str) else derived(QuantCustom, kind)


def _inherits(kind: type[nn.Module], base: type[nn.Module], method: str) -> bool:
    return getattr(kind, method, None) is getattr(base, method, None)
