"""The proofs hold, and a planted mistake breaks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.synthesis import conservation, prove
from sim.synthesis.conservation import LAWS, LawBrokenError, check_popcount
from sim.synthesis.yosys import YosysError
from tests.vivado.planted import plant

# (file, what it says, a mistake)
MISTAKES = {
    "compress_66": ("compress_66.sv", ".first_i(1'b0)", ".first_i(one_i[0])"),
    "full_adder": ("compressor_pkg.sv", "ternary_init[32+i] = ^4'(i)", "ternary_init[32+i] = |4'(i)"),
    "count_products": ("count_products.sv", ".I3(a_i[2*i])", ".I3(b_i[2*i])"),
}


@pytest.mark.parametrize("name", list(LAWS))
def test_laws_of_the_adders(name: str) -> None:
    assert "no counterexample" in prove.prove_law(name)


@pytest.mark.parametrize("top", ["popcount_lut", "count_ones"])
@pytest.mark.parametrize("bits", prove.WIDTHS)
def test_popcount_is_made_of_them(bits: int, top: str) -> None:
    assert check_popcount(bits, top) > bits // 6


def test_luts_by_name_are_what_they_stand_for() -> None:
    proofs = dict(prove.proofs())
    assert "no counterexample" in proofs["multiplexers in LUTs"]()
    assert "no counterexample" in proofs["mix of noise, 14 and 13"]()
    assert proofs["drain of 16 lanes"]() == "by induction"


def test_a_wrong_lut_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant(monkeypatch, tmp_path, "select_two.sv", "64'hcccc_aaaa_ff00_f0f0", "64'hcccc_aaaa_f0f0_ff00")
    with pytest.raises(YosysError, match="proof did fail"):
        prove.prove_choice("select", "")


@pytest.mark.parametrize("name", ["divider", "root"])
def test_quotients_and_roots_are_floors(name: str) -> None:
    assert prove.prove_floor(name) == "by induction"


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("divider", "{2'b00, b_q} + {1'b0, b_q, 1'b0}", "{2'b00, b_q} + {2'b00, b_q}"),  # twice for thrice
        ("root", "{1'b0, root_q, 2'b01}", "{1'b0, root_q, 2'b00}"),
    ],
)
def test_a_wrong_step_breaks_the_floor(
    name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(monkeypatch, tmp_path, f"scalar_{name}.sv", right, wrong)
    with pytest.raises(YosysError, match=r"proof did fail|model found"):
        prove.prove_floor(name)


@pytest.mark.slow
@pytest.mark.parametrize("proof", [lambda: prove.prove_accumulator(6), lambda: prove.prove_handshakes(8)])
def test_sequences(proof: prove.Proof) -> None:
    assert proof() == "by induction"


@pytest.mark.parametrize("name", list(MISTAKES))
def test_a_wrong_adder_breaks_its_law(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant(monkeypatch, tmp_path, *MISTAKES[name])
    with pytest.raises(YosysError, match="proof did fail"):
        prove.prove_law(name)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("rest_q[5], s_q[1], rest_q[3:0]", "rest_q[5], s_q[0], rest_q[3:0]"),  # of another weight
        (".a_i(a_i[6*i+:6]), .b_i(b_i[6*i+:6])", ".a_i(a_i[6*i+:6]), .b_i(b_i[5:0])"),  # products of other bits
        ("{x_q, y_q, z_q, w_q} <= {x, y, z, w};", "{x_q, y_q, w_q} <= {x, y, w}; assign z_q = z;"),  # a cycle early
        ("always_ff @(posedge clk_i) count_o <= total;", "assign count_o = total;"),  # all of it
    ],
)
def test_a_wrong_wire_breaks_the_popcount(
    right: str, wrong: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(monkeypatch, tmp_path, "popcount_lut.sv", right, wrong)
    with pytest.raises(LawBrokenError):
        conservation.check_popcount(144)


@pytest.mark.slow
def test_a_burst_over_a_boundary_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant(monkeypatch, tmp_path, "burst_split.sv", "more ? to_cut : left_q[3:0]", "left_q > 15 ? 4'd15 : left_q[3:0]")
    with pytest.raises(YosysError):
        prove.prove_handshakes(8)
