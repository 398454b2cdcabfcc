"""Runs whose last part is float32, with rates given stage by stage: CPT's Table 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpt_model.training import Settings, SettingsError, load_run, read_metrics, train
from host.training.rates import rate
from tests.cpt_model.training.run_tools import tiny

STAGES = {"lr_schedule": "step", "lr_milestones": (0.5, 0.75), "lr_rates": (0.01, 0.001)}


def test_rates_are_those_given_whatever_the_first() -> None:
    run = Settings(lr=0.06, **STAGES)  # type: ignore[arg-type]
    assert [rate(run, step, 100) for step in (0, 49, 50, 74, 75, 99)] == [0.06, 0.06, 0.01, 0.01, 0.001, 0.001]


def test_the_second_half_is_float32_and_so_is_evaluation(tmp_path: Path) -> None:
    changes = {"fw_bits": (4,), "schedule": None, "float_from": 0.5, "eval_bits": 0, **STAGES}
    summary = train(tiny(tmp_path, **changes), progress=False)
    lines = [line for line in read_metrics(tmp_path) if "fw_bits" in line]
    assert [(line["fw_bits"], line["bw_bits"]) for line in lines] == [(4, 8)] * 6 + [(0, 0)] * 6
    assert summary.eval_bits[0] == 0
    assert summary.board_hours is None  # the board has no float32
    step, later = lines[0]["gbitops"], lines[-1]["gbitops"] - lines[-2]["gbitops"]
    assert later / step == pytest.approx(3 * 32**2 / (4**2 + 2 * 4 * 8))
    assert load_run(tmp_path).evaluate().score == summary.test_accuracy


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"float_from": 0.5}, "goes together with eval_bits 0"),
        ({"float_from": 1.0, "eval_bits": 0}, "float_from = 1.0 is not below 1"),
        ({"fw_bits": (0,), "float_from": 0.5}, "plain float32"),
        ({"lr_rates": (0.1,)}, "a rate for each of lr_milestones"),
        ({"lr_rates": (0.1, 0.0)}, "lr_rates.1 = 0.0 is not above 0"),
    ],
)
def test_contradictions_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Settings(**changes)
