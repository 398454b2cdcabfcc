"""Conversion of a model in place, in the manner of torchao: `prepare_(model, config, filter_fn)`, and back.

A layer's class is changed, the layer itself stays: parameters, their names, hooks and optimisers are untouched, and
float checkpoints load both ways.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from torch import Tensor, nn

from cpt_model import fused_paths
from cpt_model.arithmetic.results import trained_results
from cpt_model.coverage_report import LEAST, Coverage, coverage
from cpt_model.layer_bits import LayerBits, bits_by_name, read_layer_bits
from cpt_model.layers import FORMS, LayerState, QuantLayer, form_of, layer_seed, multiplies
from cpt_model.layers.conv import padding_numbers
from cpt_model.model_precision import prepared_layers
from cpt_model.order import layers_in_order
from cpt_model.policies import Filter, policy
from cpt_model.quantisers import quantiser
from host.compiler.bits import Bits, check_bits
from host.compiler.layer import LayerError
from host.compiler.results import Results
from sim.contract import CHANNEL_BLOCK, MAX_BLOCKS, MAX_KERNEL, MAX_STEP

Model = TypeVar("Model", bound=nn.Module)
logger = logging.getLogger("cpt_model")


@dataclass(frozen=True)
class Config:
    """How a model is quantised.

    Args:
        quantiser: "sbm" (the CPT authors' choice), "sbm-authors" (with their weights in the input-error pass too, in
            float32), "dorefa" or "wageubn".
        policy: which layers stay float: "cifar" (the last Linear), "imagenet" (also the first convolution and the
            1 × 1 shortcuts), "none" (no layer does).
        bits: the precision to begin with; a schedule changes it.
        gradient_bits: width of weight gradients after their product; 0 leaves them in float32, as the CPT authors do.
        seed: of stochastic rounding. Processes of one run take different ones.
        results: what forward and input-error passes store: "rounded", as the accelerator does it (as many bits as
            `host.compiler.precision.result_bits` says), or "exact" accumulators. Weight gradients stay exact.
        layer_bits: bits of layers by patterns of their names, as {"conv1": (8, 8), "layer3.*": (4, 8)}; they do not
            follow the schedule.
    """

    quantiser: str = "sbm"
    policy: str = "cifar"
    bits: Bits | tuple[int, int] = field(default_factory=lambda: Bits(8, 8))
    gradient_bits: int = 0
    seed: int = 0
    results: Results | str = Results.ROUNDED
    layer_bits: Mapping[str, Any] | LayerBits = ()

    def __post_init__(self) -> None:
        quantiser(self.quantiser)
        policy(self.policy)
        object.__setattr__(self, "results", trained_results(self.results))
        try:
            object.__setattr__(self, "bits", Bits(*self.bits))  # a plain pair will do
        except TypeError:
            raise ValueError(f"bits = {self.bits}: give a pair, forward and backward, as Bits(8, 8)") from None
        object.__setattr__(self, "layer_bits", read_layer_bits(self.layer_bits))
        check_bits("gradient_bits", self.gradient_bits, least=0)
        if not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 64:
            raise ValueError(f"seed {self.seed} is not a whole number in 0..2^64 - 1")


def prepare_(
    model: Model,
    config: Config | None = None,
    filter_fn: Filter | None = None,
    inputs: Tensor | tuple[Tensor, ...] | None = None,
) -> Model:
    """Converts the model's layers in place and returns it.

    What is quantised is logged (logger "cpt_model"), and a warning says if it is less than 90 % of what the policy and
    the filter allow; `coverage(model)` has the details.

    Args:
        model: any module; a layer itself will do.
        config: how; by default SBM at 8/8 bits.
        filter_fn: `filter_fn(module, name)` says whether a layer is converted that the policy would convert; with the
            policy "none" it decides alone.
        inputs: what the model is called with, if known: first and last layer, and the share of multiply-accumulates
            that is quantised, are then found by running it on their shapes.

    >>> import torch
    >>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.Flatten(), nn.Linear(16, 10)))
    >>> [type(layer).__name__ for layer in model]
    ['QuantConv2d', 'Flatten', 'Linear']
    """
    config = config or Config()
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    if prepared_layers(model):
        raise ValueError("the model is prepared already; call unprepare(model) first")
    forms = layers_to_quantise(model, config.policy, None if inputs is None else layers_in_order(model, inputs))
    if filter_fn is not None:
        forms = {name: form for name, form in forms.items() if filter_fn(model.get_submodule(name), name)}
    if not forms:
        known = ", ".join(form.__name__ for form in FORMS)
        problem = f"the model has no layer to quantise ({known})"
        if there := len(layers_to_quantise(model, "none")):
            kept = f"policy '{config.policy}'" + ("" if filter_fn is None else " or the filter")
            problem = (
                f"no layer to quantise is left: {kept} keeps the model's {there} in float32; policy 'none' does not"
            )
        raise ValueError(problem)
    fixed = bits_by_name(forms, read_layer_bits(config.layer_bits))
    for name in forms:
        _refuse(model.get_submodule(name), name)
    for index, (name, form) in enumerate(forms.items()):
        module = model.get_submodule(name)
        state = LayerState(
            name or type(module).__name__,
            quantiser(config.quantiser),
            fixed.get(name, Bits(*config.bits)),
            layer_seed(config.seed, index),
            name in fixed,
            config.gradient_bits,
            trained_results(config.results),
        )
        module.__class__ = form
        module.begin(state)  # type: ignore[operator]
    for module in model.modules():
        if prepared_layers(module):
            fused_paths.switch_off(module)
    _report(coverage(model, *(inputs or ())))
    return model


def layers_to_quantise(
    model: nn.Module, policy_name: str, order: Sequence[str] | None = None
) -> dict[str, type[QuantLayer]]:
    """The layers `prepare_` converts, by name, and what to; `order` is that of computation, if known."""
    forms = {name: form_of(module) for name, module in model.named_modules() if multiplies(module)}
    if order is None:
        order = [] if policy_name == "none" else layers_in_order(model)
    wanted = policy(policy_name)(model, order)
    return {
        name: form
        for name, form in forms.items()
        if not isinstance(form, str) and wanted(model.get_submodule(name), name)
    }


def _report(found: Coverage) -> None:
    logger.info("%s", found.summary())
    if found.without_choices < LEAST:
        warnings.warn(f"much of the model stays float: {found.summary()}; coverage(model) says why", stacklevel=3)


def _refuse(module: nn.Module, name: str) -> None:
    """Refuses what the accelerator cannot run, before anything is changed."""
    problem = None
    if isinstance(module, nn.Conv2d):
        problem = _odd_convolution(module)
    elif isinstance(module, nn.LSTM) and module.proj_size:
        problem = f"proj_size {module.proj_size}: only 0 is supported"
    most = CHANNEL_BLOCK * MAX_BLOCKS
    for shape in (tuple(each.shape) for each in module.parameters() if each.ndim > 1):
        if max(shape[:2]) > most:
            problem = f"weights {shape}: 1..{most} channels are supported"
    if problem:
        named = name or type(module).__name__
        raise LayerError(f"layer '{named}' cannot be quantised: {problem}; leave it out with filter_fn")


def _odd_convolution(module: nn.Conv2d) -> str | None:
    kernel, padding = module.kernel_size, padding_numbers(module.padding, module.kernel_size)
    if module.dilation != (1, 1):
        return f"dilation {module.dilation}: only 1 is supported"
    if module.padding_mode != "zeros":
        return f"padding_mode '{module.padding_mode}': only 'zeros' is supported"
    if module.padding == "same" and any(size % 2 == 0 for size in kernel):
        return f"padding 'same' of the kernel {kernel}: odd kernels are supported"
    if any(pixels >= size for pixels, size in zip(padding, kernel, strict=True)):
        return f"padding {module.padding}: it must be below the kernel {kernel}"
    if max(kernel) > MAX_KERNEL:
        return f"kernel {kernel}: 1..{MAX_KERNEL} is supported"
    return f"stride {module.stride}: 1..{MAX_STEP} is supported" if max(module.stride) > MAX_STEP else None
