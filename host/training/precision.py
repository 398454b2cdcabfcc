"""From settings to the schedules of a run, and short names for it and its folder."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from host.compiler.results import Results
from host.schedules import Deficit, LateStart, Schedule, Sequence, Static, named

Settings = Any  # whatever has the names of a run's settings: PyTorch's, or a device's


class Float32(Schedule):
    """No bits: float32, for the part of a run that is not quantised."""

    def precision(self, step: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        return np.zeros(step.shape)

    def __repr__(self) -> str:
        return "Float32()"


def forward_schedule(run: Settings) -> Schedule:
    if run.deficit is not None:
        return _until_float(run, Deficit(run.fw_bits[0], run.fw_bits[1], *run.deficit))
    schedule = _scheduled(run.schedule, run.fw_bits, run.cycles)
    return _until_float(run, LateStart(run.fw_bits[0], run.late_start, schedule) if run.late_start else schedule)


def backward_schedule(run: Settings) -> Schedule:
    return _until_float(run, _scheduled(run.bw_schedule, run.bw_bits, run.cycles))


def _until_float(run: Settings, schedule: Schedule) -> Schedule:
    """The schedule up to the share of the run from which on all is float32."""
    if run.float_from is None:
        return schedule
    return Sequence([(run.float_from, schedule), (1 - run.float_from, Float32())])


def _scheduled(name: str | None, bits: tuple[int, ...], cycles: int) -> Schedule:
    if len(bits) == 1 or bits[0] == bits[1]:
        return Static(bits[0])
    return named(name or "cpt", bits[0], bits[1], cycles)


def precision_name(run: Settings) -> str:
    """As the papers write it, with the schedule behind it.

    >>> from host.training.settings import Settings
    >>> precision_name(Settings(fw_bits=(3, 8), schedule="RR", cycles=8)), precision_name(Settings(fw_bits=(8,)))
    ('3-8/8 RR x8 integer step', '8/8 integer step')
    """
    if run.is_float:
        return "float32"
    name = "-".join(map(str, run.fw_bits)) + "/" + "-".join(map(str, run.bw_bits))
    if len(run.fw_bits) == 2 and run.deficit is None:
        name += f" {run.schedule or 'cpt'} x{run.cycles}"
    if len(run.bw_bits) == 2 and run.bw_bits[0] != run.bw_bits[1]:
        name += f" gradients {run.bw_schedule or 'cpt'}"
    if run.late_start:
        name += f" late {run.late_start:g}"
    if run.float_from is not None:
        name += f" float from {run.float_from:g}"
    if run.deficit is not None:
        name += f" deficit {run.deficit[0]}+{run.deficit[1]}"
    if run.step == "integer":
        name += " integer step" + ("" if run.widths == "usual" else f" {run.widths}")
    return name


def folder_name(run: Settings) -> str:
    """A run's folder where only the folder above is given.

    >>> from host.training.settings import Settings
    >>> folder_name(Settings(fw_bits=(3, 8), cycles=8))
    'cifar10_resnet_20_3-8_8_cpt_x8_integer_step_seed0'
    """
    words = precision_name(run).replace("/", "_").replace(" ", "_")
    quantiser = "" if run.quantiser == "sbm" else f"_{run.quantiser}"
    results = "" if run.is_float or run.results is Results.ROUNDED else f"_{run.results}"
    arch = re.sub(r"[^\w.-]+", "_", run.arch.rpartition("/")[2])  # of a class in a file, its name alone
    return f"{arch}_{words}{quantiser}{results}_seed{run.seed}"
