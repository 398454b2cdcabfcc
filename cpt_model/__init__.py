"""Cyclic precision training for any PyTorch model, in the accelerator's own arithmetic.

>>> from torch import nn
>>> model = prepare_(nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 10)), Config("sbm"))
>>> bits = scheduler(model, CPT(3, 8, cycles=2), gradient=8, total_steps=100)
>>> get_precision(model)
Bits(forward=3, gradient=8)
"""

from cpt_model.emulate import emulate
from cpt_model.precision import (
    get_precision,
    load_quantisation_state,
    precision,
    quantisation_state,
    scheduler,
    set_precision,
)
from cpt_model.prepare import Config, prepare_, unprepare
from cpt_model.schedules import CPT, Bits, PrecisionScheduler

__all__ = [
    "CPT",
    "Bits",
    "Config",
    "PrecisionScheduler",
    "emulate",
    "get_precision",
    "load_quantisation_state",
    "precision",
    "prepare_",
    "quantisation_state",
    "scheduler",
    "set_precision",
    "unprepare",
]
