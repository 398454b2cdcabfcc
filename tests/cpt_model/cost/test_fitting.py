"""Fitting the latency model to measurements: a board that follows the model is found again."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from cpt_model.cost.fitting import BANDWIDTHS, FitError, _commands, fit
from host.measure.prediction import model_cycles
from host.measure.report import Row
from tests.tools import ZC706

CLOCK = 150.0


def row(layer: str, which: str, fw_bits: int) -> Row:
    """Only what a fit looks at is said; the rest is empty."""
    empty: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    said: dict[str, Any] = {"source": "measured", "device": "board", "network": "resnet8", "batch": 16, "layer": layer}
    said |= {"which": which, "fw_bits": fw_bits, "bw_bits": 8, "latency_us": 1.0}
    said |= {"build": "zc706", "clock_mhz": CLOCK, "results": "int16"}
    return Row(**empty | said)


def measured(bandwidth: float, host_us: float) -> list[Row]:
    rows = [
        row(layer, which, bits)
        for layer in ("layer1.0.conv1", "layer3.0.conv2")
        for which in ("forward", "weight-gradient")
        for bits in (3, 8)
    ]
    return [
        replace(each, latency_us=model_cycles(_commands(each, ZC706), ZC706, bandwidth) / CLOCK + host_us)
        for each in rows
    ]


@pytest.mark.parametrize(("place", "host_us"), [(10, 0.0), (24, 80.0), (40, 5.0)])
def test_bandwidth_and_host_are_found_again(place: int, host_us: float) -> None:
    bandwidth = float(BANDWIDTHS[place])
    found = fit(measured(bandwidth, host_us))
    assert found.bytes_per_cycle == pytest.approx(bandwidth, rel=0.1)
    assert found.list_us == pytest.approx(host_us, abs=2)
    assert found.worst_pct < 3
    assert (found.build, found.clock_mhz) == (ZC706, CLOCK)


def test_what_has_no_time_in_it_is_refused() -> None:
    rows = measured(50.0, 0.0)
    with pytest.raises(FitError, match="too few"):
        fit(rows[:2])
    with pytest.raises(FitError, match="counted"):
        fit([replace(each, source="counted") for each in rows])
    with pytest.raises(FitError, match="different sources"):
        fit([replace(rows[0], clock_mhz=100.0), *rows[1:]])
    with pytest.raises(FitError, match="no layer 'layer9'"):
        fit([replace(rows[0], layer="layer9"), *rows[1:]])
    with pytest.raises(FitError, match=r"row 1: latency_us = 0.0 is not"):
        fit([replace(rows[0], latency_us=0.0), *rows[1:]])
    with pytest.raises(FitError, match=r"row 2: clock_mhz = 0.0 is not 1 or more"):
        fit([rows[0], replace(rows[1], clock_mhz=0.0), *rows[2:]])
    with pytest.raises(FitError, match="row 1: build: unknown build 'zc702'"):
        fit([replace(rows[0], build="zc702"), *rows[1:]])
