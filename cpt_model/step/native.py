"""Calls of the C++ kernels that run commands."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch

from cpt_model.arithmetic.native.library import has_bytes, load

Run = Callable[[], object]
KINDS = {torch.uint8: 1, torch.int8: 2, torch.int16: 3}  # as in lanes.h


def native_run(name: str, *numbers: Any) -> Run | None:
    """What runs a command with these arguments, in the order of its C++ struct; None without the kernel.

    Tensors give their addresses, and are kept.
    """
    library = load()
    function = None if library is None else getattr(library, f"cpt_step_{name}", None)
    if function is None:
        return None
    words = [each.data_ptr() if isinstance(each, torch.Tensor) else each or 0 for each in numbers]
    arguments = (ctypes.c_int64 * len(words))(*(word - (1 << 64) if word >> 63 > 0 else word for word in words))

    def run(kept: tuple = numbers) -> None:
        function(arguments, torch.get_num_threads())

    return run


def multiplies_bytes() -> bool:
    library = load()
    return library is not None and has_bytes(library)


def operand(codes: torch.Tensor | None) -> tuple[torch.Tensor | None, int]:
    """An operand's address and kind."""
    return codes, 0 if codes is None else KINDS[codes.dtype]
