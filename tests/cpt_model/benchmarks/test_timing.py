"""A benchmark knows whether it had the machine to itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cpt_model.benchmarks import timing


@pytest.mark.parametrize(("busy", "said"), [(9.0, True), (0.0, False)])
def test_what_others_use_is_said(busy: float, said: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = {"_busy_seconds": iter([100.0, 100.0 + busy]), "monotonic": iter([0.0, 10.0])}
    monkeypatch.setattr(timing, "_busy_seconds", lambda: next(clocks["_busy_seconds"]))
    monkeypatch.setattr(timing, "time", SimpleNamespace(monotonic=lambda: next(clocks["monotonic"])))
    with timing.Others() as others:
        pass
    assert others.remark() == (
        "other processes used 0.9 cores meanwhile: no conclusion from these times and their ratios" if said else None
    )


def test_our_own_work_is_not_that_of_others() -> None:
    before = timing._busy_seconds()
    spent = timing.mean_cpu_seconds(lambda: sum(range(3_000_000)), 1)
    assert timing._busy_seconds() - before >= -0.05 - 0.01 * spent  # in steps of a hundredth, on every machine
