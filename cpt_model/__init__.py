"""Cyclic precision training for any PyTorch model, in the accelerator's own arithmetic.

>>> from torch import nn
>>> from cpt_model import CPT, Config, get_precision, prepare_, scheduler
>>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 10)), Config("sbm"))
>>> bits = scheduler(model, CPT(3, 8, cycles=2), backward=8, total_steps=100)
>>> get_precision(model)
Bits(forward=3, backward=8)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cpt_model.schedules import CPT, PFQ, ClosedLoop, MuPPET, PrecisionScheduler, Static, named
from host.compiler.bits import Bits
from host.compiler.results import Results
from sim.common.lazy import lazy
from sim.common.version import __version__ as __version__

if TYPE_CHECKING:
    from cpt_model.coverage_report import coverage as coverage
    from cpt_model.emulation import EmulationError as EmulationError
    from cpt_model.emulation import emulate as emulate
    from cpt_model.export.qonnx import export_qonnx as export_qonnx
    from cpt_model.methods.gradient_diversity import GradientDiversity as GradientDiversity
    from cpt_model.methods.landscape import Landscape as Landscape
    from cpt_model.methods.landscape import landscape as landscape
    from cpt_model.methods.range_norm import convert_range_norm_ as convert_range_norm_
    from cpt_model.methods.range_norm import restore_batch_norm_ as restore_batch_norm_
    from cpt_model.methods.range_test import precision_range_test as precision_range_test
    from cpt_model.methods.swa import update_statistics as update_statistics
    from cpt_model.model_precision import closed_loop as closed_loop
    from cpt_model.model_precision import get_precision as get_precision
    from cpt_model.model_precision import load_quantisation_state as load_quantisation_state
    from cpt_model.model_precision import precision as precision
    from cpt_model.model_precision import quantisation_state as quantisation_state
    from cpt_model.model_precision import scheduler as scheduler
    from cpt_model.model_precision import set_precision as set_precision
    from cpt_model.prepare import Config as Config
    from cpt_model.prepare import prepare_ as prepare_
    from cpt_model.restoring import unprepare as unprepare

# What needs PyTorch is imported on first use: a board has none, and uses the schedules alone.
HOMES = {
    "Config": "cpt_model.prepare",
    "EmulationError": "cpt_model.emulation",
    "GradientDiversity": "cpt_model.methods.gradient_diversity",
    "Landscape": "cpt_model.methods.landscape",
    "closed_loop": "cpt_model.model_precision",
    "coverage": "cpt_model.coverage_report",
    "convert_range_norm_": "cpt_model.methods.range_norm",
    "emulate": "cpt_model.emulation",
    "export_qonnx": "cpt_model.export.qonnx",
    "get_precision": "cpt_model.model_precision",
    "landscape": "cpt_model.methods.landscape",
    "load_quantisation_state": "cpt_model.model_precision",
    "precision": "cpt_model.model_precision",
    "precision_range_test": "cpt_model.methods.range_test",
    "prepare_": "cpt_model.prepare",
    "quantisation_state": "cpt_model.model_precision",
    "restore_batch_norm_": "cpt_model.methods.range_norm",
    "scheduler": "cpt_model.model_precision",
    "set_precision": "cpt_model.model_precision",
    "unprepare": "cpt_model.restoring",
    "update_statistics": "cpt_model.methods.swa",
}
__all__ = ["CPT", "PFQ", "Bits", "ClosedLoop", "MuPPET", "PrecisionScheduler", "Results", "Static", "named", *HOMES]
__getattr__, __dir__ = lazy(__name__, HOMES)
