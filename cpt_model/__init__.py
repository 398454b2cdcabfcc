"""Cyclic precision training for any PyTorch model, in the accelerator's own arithmetic.

>>> from torch import nn
>>> from cpt_model import CPT, Config, get_precision, prepare_, scheduler
>>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 10)), Config("sbm"))
>>> bits = scheduler(model, CPT(3, 8, cycles=2), backward=8, total_steps=100)
>>> get_precision(model)
Bits(forward=3, backward=8)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cpt_model.schedules import CPT, Bits, PrecisionScheduler, Static, named
from sim.common.version import __version__ as __version__

if TYPE_CHECKING:
    from cpt_model.emulation import EmulationError, emulate
    from cpt_model.methods.landscape import Landscape, landscape
    from cpt_model.methods.range_norm import convert_range_norm_, restore_batch_norm_
    from cpt_model.methods.range_test import precision_range_test
    from cpt_model.methods.swa import update_statistics
    from cpt_model.model_precision import (
        get_precision,
        load_quantisation_state,
        precision,
        quantisation_state,
        scheduler,
        set_precision,
    )
    from cpt_model.prepare import Config, prepare_, unprepare

# What needs torch is imported on first use: a board has none, and needs the schedules only.
_HOMES = {
    "emulation": ("EmulationError", "emulate"),
    "methods.landscape": ("Landscape", "landscape"),
    "methods.range_norm": ("convert_range_norm_", "restore_batch_norm_"),
    "methods.range_test": ("precision_range_test",),
    "methods.swa": ("update_statistics",),
    "model_precision": (
        *("get_precision", "load_quantisation_state", "precision", "quantisation_state"),
        *("scheduler", "set_precision"),
    ),
    "prepare": ("Config", "prepare_", "unprepare"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "CPT",
    "Bits",
    "Config",
    "EmulationError",
    "Landscape",
    "PrecisionScheduler",
    "Static",
    "convert_range_norm_",
    "emulate",
    "get_precision",
    "landscape",
    "load_quantisation_state",
    "named",
    "precision",
    "precision_range_test",
    "prepare_",
    "quantisation_state",
    "restore_batch_norm_",
    "scheduler",
    "set_precision",
    "unprepare",
    "update_statistics",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    try:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        raise ModuleNotFoundError(f"{__name__}.{name} needs PyTorch: pip install torch", name="torch") from missing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
