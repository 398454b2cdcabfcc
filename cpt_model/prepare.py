"""Conversion of a model in place, in the manner of torchao: `prepare_(model, config, filter_fn)`, and back.

A layer's class is changed, the layer itself stays: parameters, their names, hooks and optimisers are untouched, and
float checkpoints load both ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from torch import nn

from cpt_model import fused_paths
from cpt_model.arithmetic.results import trained_results
from cpt_model.layers import FORMS, LayerState, layer_seed
from cpt_model.model_precision import prepared_layers
from cpt_model.policies import Filter, policy
from cpt_model.quantisers import quantiser
from host.compiler.bits import Bits, check_bits
from host.compiler.layer import LayerError
from host.compiler.results import Results
from sim.contract import CHANNEL_BLOCK, MAX_BLOCKS, MAX_KERNEL, MAX_STEP

Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True)
class Config:
    """How a model is quantised.

    Args:
        quantiser: "sbm" (the CPT authors' choice), "dorefa" or "wageubn".
        policy: which layers stay float: "cifar" (the last Linear), "imagenet" (also the first convolution and the
            1 × 1 shortcuts), "none" (no layer does).
        bits: the precision to begin with; a schedule changes it.
        gradient_bits: width of weight gradients after their product; 0 leaves them in float32, as the CPT authors do.
        seed: of stochastic rounding. Processes of one run take different ones.
        results: what forward and input-error passes store: "rounded", as the accelerator does it (as many bits as
            `host.compiler.precision.result_bits` says), or "exact" accumulators. Weight gradients stay exact.
    """

    quantiser: str = "sbm"
    policy: str = "cifar"
    bits: Bits | tuple[int, int] = field(default_factory=lambda: Bits(8, 8))
    gradient_bits: int = 0
    seed: int = 0
    results: Results | str = Results.ROUNDED

    def __post_init__(self) -> None:
        quantiser(self.quantiser)
        policy(self.policy)
        object.__setattr__(self, "results", trained_results(self.results))
        try:
            object.__setattr__(self, "bits", Bits(*self.bits))  # a plain pair will do
        except TypeError:
            raise ValueError(f"bits = {self.bits}: give a pair, forward and backward, as Bits(8, 8)") from None
        check_bits("gradient_bits", self.gradient_bits, least=0)
        if not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 64:
            raise ValueError(f"seed {self.seed} is not a whole number in 0..2^64 - 1")


def prepare_(model: Model, config: Config | None = None, filter_fn: Filter | None = None) -> Model:
    """Converts the model's layers in place and returns it. Quantised layers run on the CPU only.

    Args:
        model: any module; a layer itself will do.
        config: how; by default SBM at 8/8 bits.
        filter_fn: `filter_fn(module, name)` says whether a layer is converted, instead of the policy.

    >>> import torch
    >>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.Flatten(), nn.Linear(16, 10)))
    >>> [type(layer).__name__ for layer in model]
    ['QuantConv2d', 'Flatten', 'Linear']
    """
    config = config or Config()
    if prepared_layers(model):
        raise ValueError("the model is prepared already; call unprepare(model) first")
    chosen = layers_to_quantise(model, filter_fn or policy(config.policy)(model))
    if not chosen:
        known = ", ".join(form.__name__ for form in FORMS)
        raise ValueError(f"the model has no layer to quantise ({known}), or the filter leaves all of them out")
    for name, module in chosen.items():
        _refuse(module, name)
    for index, (name, module) in enumerate(chosen.items()):
        state = LayerState(
            name or type(module).__name__,
            quantiser(config.quantiser),
            Bits(*config.bits),
            layer_seed(config.seed, index),
            config.gradient_bits,
            trained_results(config.results),
        )
        module.__class__ = FORMS[type(module)]
        module.cpt = state  # type: ignore[assignment]
    for module in model.modules():
        if prepared_layers(module):
            fused_paths.switch_off(module)
    return model


def layers_to_quantise(model: nn.Module, wanted: Filter) -> dict[str, nn.Module]:
    """The layers `prepare_` converts, by name: of these classes themselves, as a subclass may compute something else
    (the projection inside an attention is one).
    """
    return {name: module for name, module in model.named_modules() if type(module) in FORMS and wanted(module, name)}


def unprepare(model: Model) -> Model:
    """Turns every prepared layer back into what it was; parameters stay as trained."""
    back = {form: original for original, form in FORMS.items()}
    layers = prepared_layers(model)
    changed = [name for name, module in layers.items() if type(module) not in back]
    if changed:
        raise ValueError(f"layer '{changed[0]}' was parametrised after prepare_: remove its parametrisation first")
    for module in layers.values():
        module.__class__ = back[type(module)]
        del module.cpt
    for module in model.modules():
        fused_paths.switch_on(module)
    return model


def _refuse(module: nn.Module, name: str) -> None:
    """Refuses what the accelerator cannot run, before anything is changed."""
    problem = None
    if isinstance(module, nn.Conv2d):
        if module.dilation != (1, 1):
            problem = f"dilation {module.dilation}: only 1 is supported"
        elif module.padding_mode != "zeros":
            problem = f"padding_mode '{module.padding_mode}': only 'zeros' is supported"
        elif isinstance(module.padding, str):
            problem = f"padding '{module.padding}': give numbers"
        elif any(p >= k for p, k in zip(module.padding, module.kernel_size, strict=True)):
            problem = f"padding {module.padding}: it must be below the kernel {module.kernel_size}"
        elif max(module.kernel_size) > MAX_KERNEL:
            problem = f"kernel {module.kernel_size}: 1..{MAX_KERNEL} is supported"
        elif max(module.stride) > MAX_STEP:
            problem = f"stride {module.stride}: 1..{MAX_STEP} is supported"
    elif isinstance(module, nn.LSTM) and module.proj_size:
        problem = f"proj_size {module.proj_size}: only 0 is supported"
    most = CHANNEL_BLOCK * MAX_BLOCKS
    for shape in (tuple(each.shape) for each in module.parameters() if each.ndim > 1):
        if max(shape[:2]) > most:
            problem = f"weights {shape}: 1..{most} channels are supported"
    if problem:
        named = name or type(module).__name__
        raise LayerError(f"layer '{named}' cannot be quantised: {problem}; leave it out with filter_fn")
