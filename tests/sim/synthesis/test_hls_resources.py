"""The estimate of the HLS kernel's resources: what it counts, and what it says of the builds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.contract import Build
from sim.synthesis.hls_resources import fits, main, parts, rtl_luts, total
from sim.synthesis.resources import Use

HLS, ZC706 = Build.named("hls"), Build.named("zc706")


def test_dot_products_take_a_dsp_each_and_more_luts_than_the_rtl() -> None:
    found = parts(HLS)["dot products"]
    assert found.dsp == HLS.lanes * HLS.columns
    assert found.lut > HLS.lanes * rtl_luts()["dpu_row"]


def test_everything_that_grows_with_lanes_grows() -> None:
    more = total(replace(HLS, lanes=32))
    less = total(HLS)
    assert more.lut > 1.4 * less.lut
    assert more.dsp > less.dsp + 255
    assert more.bram36 >= less.bram36 + 128


def test_vector_unit_is_counted() -> None:
    assert total(HLS).lut > total(HLS, vector_unit=False).lut + 20_000


def test_three_quarters_of_the_part_fit() -> None:
    assert fits(Use(lut=163_950, dsp=675, bram36=408))
    assert not fits(Use(lut=163_951))
    assert not fits(Use(bram36=409))


def test_neither_build_fits_three_quarters_of_the_part(capsys: pytest.CaptureFixture[str]) -> None:
    """As the README says; a kernel that does is a reason to change both."""
    assert not fits(total(HLS))
    assert not fits(total(ZC706))
    assert main() == 0
    assert capsys.readouterr().out.count("more than 75 %") == 4
