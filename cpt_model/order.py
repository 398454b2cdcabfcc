"""In which order a model's layers compute, whatever the order they were registered in.

Found by running a copy on the shapes of given inputs, else in the graph that `torch.fx` traces; a model that cannot be
traced, as its code looks at values, has only the order of registration.
"""

from __future__ import annotations

import copy
import warnings
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, fx, nn

from cpt_model.copies import meta_copy, shared_states
from cpt_model.layers.forms import is_linear, multiplies, stays_float


def layers_in_order(model: nn.Module, inputs: tuple[Tensor, ...] | None = None) -> list[str]:
    """Names of the layers that multiply, in the order of their first use.

    >>> class Backwards(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.head, self.body = nn.Linear(4, 2), nn.Linear(3, 4)
    ...     def forward(self, x):
    ...         return self.head(self.body(x))
    >>> layers_in_order(Backwards())
    ['body', 'head']
    """
    registered = [name for name, module in model.named_modules() if multiplies(module)]
    if len(registered) < 2 or (inputs is None and not _has_forward(model)):
        return registered
    if inputs is not None:
        return run_order(model, inputs)
    try:
        return _traced_order(model, registered)
    except Exception as problem:  # other people's code, on values that are not there
        last = model.get_submodule(registered[-1])
        if sum(map(is_linear, model.modules())) > 1 and not stays_float(last):  # else there is no doubt
            reason = str(problem).partition("\n")[0]
            warnings.warn(
                f"the last layer is taken to be '{registered[-1]}', the last one registered, as the model cannot be "
                f"traced ({reason}); give inputs, as in prepare_(model, inputs=(x,))",
                stacklevel=2,
            )
        return registered


def run_order(model: nn.Module, inputs: tuple[Tensor, ...]) -> list[str]:
    """By running the model on the inputs' shapes, or on the inputs themselves where its code looks at values."""
    try:
        return _run(meta_copy(model), tuple(each.to("meta") for each in inputs))
    except Exception:  # such a model needs the numbers
        with torch.random.fork_rng(devices=[]):
            return _run(copy.deepcopy(model, shared_states(model)), inputs)


def _run(model: nn.Module, inputs: tuple[Tensor, ...]) -> list[str]:
    order: dict[str, None] = {}
    with ExitStack() as stack:
        for name, module in model.named_modules():
            if multiplies(module):
                hook = module.register_forward_pre_hook(lambda *_, name=name: order.setdefault(name))
                stack.callback(hook.remove)
        stack.enter_context(torch.no_grad())
        model(*inputs)
    return list(order)


def _has_forward(model: nn.Module) -> bool:
    return type(model).forward is not nn.Module.forward


class _Tracer(fx.Tracer):
    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return multiplies(m) or super().is_leaf_module(m, module_qualified_name)


def _traced_order(model: nn.Module, registered: list[str]) -> list[str]:
    graph: Any = _Tracer().trace(meta_copy(model))
    order: dict[str, None] = {}
    for node in graph.nodes:
        if node.op == "call_module":  # one of PyTorch's own may hold several layers
            inside = [name for name in registered if name == node.target or name.startswith(f"{node.target}.")]
            order |= dict.fromkeys(inside)
    return list(order)
