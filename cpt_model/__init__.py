"""Cyclic precision training for any PyTorch model, in the accelerator's own arithmetic.

>>> from torch import nn
>>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 10)), Config("sbm"))
>>> bits = scheduler(model, CPT(3, 8, cycles=2), backward=8, total_steps=100)
>>> get_precision(model)
Bits(forward=3, backward=8)
"""

from importlib.util import find_spec

from cpt_model.schedules import CPT, Bits, PrecisionScheduler, Static, named
from sim.common.version import __version__ as __version__

if find_spec("torch") is not None:  # a board has none, and needs the schedules only
    from cpt_model.emulate import EmulationError, emulate
    from cpt_model.methods.landscape import Landscape, landscape
    from cpt_model.methods.range_norm import convert_range_norm_, restore_batch_norm_
    from cpt_model.methods.range_test import precision_range_test
    from cpt_model.methods.swa import update_statistics
    from cpt_model.precision import (
        get_precision,
        load_quantisation_state,
        precision,
        quantisation_state,
        scheduler,
        set_precision,
    )
    from cpt_model.prepare import Config, prepare_, unprepare

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
