"""Saved runs made comparable: evaluated at the same bits, on the same test images."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from cpt_model.prepare import Config, prepare_
from cpt_model.schedules import Bits
from cpt_model.training.load import LoadedRun
from host.schedules.base import check_bits


def common_bits(runs: Mapping[str, LoadedRun], stated: int | None) -> int:
    """The forward bits at which all are evaluated; a float32 run is prepared to be evaluated as such."""
    own = {name: each.bits.forward for name, each in runs.items()}
    if stated is None and len(set(own.values())) > 1:
        raise ValueError(f"the runs are evaluated at different bits ({own}): choose one width with --eval-bits")
    bits = next(iter(own.values())) if stated is None else stated
    check_bits("--eval-bits", bits, least=0, error=ValueError)
    for name, each in runs.items():
        if each.settings.is_float:
            if bits:
                raise ValueError(f"'{name}' is a float32 run, without ranges to quantise by: use --eval-bits 0")
            prepare_(each.model, Config(bits=Bits(0, 0)))
    return bits


def first_images(runs: Mapping[str, LoadedRun], count: int) -> list[tuple[Tensor, Tensor]]:
    """The first test images of the runs' data, which must be the same for all."""
    sets = {name: each.settings.dataset for name, each in runs.items()}
    if len(set(sets.values())) > 1:
        raise ValueError(f"the runs are of different data sets ({sets}): their losses cannot be compared")
    first = next(iter(runs.values()))
    if first.settings.is_text:
        raise ValueError(f"{first.settings.arch}: landscapes on the command line are for images")
    found = []
    for images, labels in first.task.tests():
        found.append((images[:count], labels[:count]))
        count -= len(found[-1][1])
        if not count:
            break
    return found
