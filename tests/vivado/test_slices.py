"""Slices hold the carry chains that the RTL instantiates; chains that they cannot hold are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.synthesis.slices import CHECKED, check_chains
from tests.vivado.planted import plant

OWN_PARITY = ".O5(di_o[0])"
ANOTHER_WIRE = ".O5()\n  );\n  assign di_o[0] = x_i[5];\n  LUT6_2 #(.INIT(Parity)) u_again (.I5(x_i[5]), .O6(), .O5()"


@pytest.mark.parametrize(("top", "parameters"), CHECKED, ids=lambda value: str(value))
def test_slices_hold_every_chain(top: str, parameters: tuple[str, ...]) -> None:
    found = check_chains(top, *parameters)
    assert found.carry4 > 0
    assert found.conflicts == []


@pytest.mark.parametrize(
    ("file", "right", "wrong", "conflict"),
    [
        ("count_six.sv", OWN_PARITY, ANOTHER_WIRE, "CYINIT and DI[0] both need AX"),
        ("popcount_lut.sv", "always_ff @(posedge clk_i) count_o <= total;", "assign count_o = total;", "O5 of the LUT"),
        ("popcount_lut.sv", "{s_q, f_q, g_q, h_q} <=", "{f_q, g_q, h_q} <= {f, g, h}; end assign s_q = s; logic [8:0] "
         "x2; always_ff @(posedge clk_i) begin x2 <=", "sum O[1] and carry CO[1] leave by one pin"),
    ],
    ids=["carry-in", "o5", "sum-and-carry"],
)  # fmt: skip
def test_what_no_slice_holds_is_found(
    file: str, right: str, wrong: str, conflict: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(monkeypatch, tmp_path, file, right, wrong)
    found = check_chains("popcount_lut", "-GBits=144")
    assert any(conflict in each for each in found.conflicts), found
