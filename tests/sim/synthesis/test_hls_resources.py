"""The estimate of the HLS kernel's resources: what it counts, and what it says of the builds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from sim.contract import Build
from sim.synthesis.hls_resources import COUNT_LUTS, fits, main, parts, rtl_luts, total
from sim.synthesis.resources import SYNTH, Use
from sim.synthesis.yosys import run_yosys

HLS, ZC706 = Build.named("hls"), Build.named("zc706")


def counter(bits: int) -> str:
    """Verilog of hls/popcount.hpp: three pairs of bits to two, six bits of like weight to three, then sums of two."""
    lines = [f"module counter(input clk, input [{bits - 1}:0] a, b, output reg [{bits.bit_length() - 1}:0] count);"]
    lines.append(f"wire [{bits - 1}:0] x = a & b;")
    weights: list[list[str]] = [[], []]
    for i in range(0, bits, 3):
        weights[0].append(f"(x[{i}] ^ x[{i + 1}] ^ x[{i + 2}])")
        weights[1].append(f"(x[{i}] & x[{i + 1}] | x[{i}] & x[{i + 2}] | x[{i + 1}] & x[{i + 2}])")

    def wire(width: int, value: str) -> tuple[str, int]:
        lines.append(f"wire [{width - 1}:0] w{len(lines)} = {value};")
        return f"w{len(lines) - 1}", width

    totals = []
    for ones in weights:
        level = [wire(3, " + ".join(ones[i : i + 6])) for i in range(0, len(ones), 6)]
        while len(level) > 1:
            pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
            level = [wire(p[0][1] + 1, f"{p[0][0]} + {p[1][0]}") if len(p) == 2 else p[0] for p in pairs]
        totals.append(level[0][0])
    return "\n".join([*lines, f"always @(posedge clk) count <= {totals[0]} + {{{totals[1]}, 1'b0}};", "endmodule"])


@pytest.mark.parametrize("bits", COUNT_LUTS)
def test_popcount_takes_what_yosys_counts(bits: int, tmp_path: Path) -> None:
    source = tmp_path / "counter.v"
    source.write_text(counter(bits))
    log = run_yosys([f"read_verilog {source}", f"{SYNTH} -top counter", "stat"])
    counted = re.findall(r"^ +(\d+) +LUT\d", log[log.rindex("=== counter ===") :], flags=re.MULTILINE)
    assert sum(map(int, counted)) == COUNT_LUTS[bits]


def test_dot_products_take_a_dsp_each_and_more_luts_than_the_rtl() -> None:
    found = parts(ZC706)["dot products"].use
    assert found.dsp == ZC706.lanes * ZC706.columns
    assert found.lut > ZC706.lanes * rtl_luts()["dpu_row"]


def test_everything_that_grows_with_lanes_grows() -> None:
    more = total(replace(HLS, lanes=32))
    less = total(HLS)
    assert more.lut > 1.2 * less.lut
    assert more.dsp > less.dsp + 255
    assert more.bram36 >= less.bram36 + 128


def test_vector_unit_is_counted() -> None:
    assert total(HLS).lut > total(HLS, vector_unit=False).lut + 20_000


def test_three_quarters_of_the_part_fit() -> None:
    assert fits(Use(lut=163_950, dsp=675, bram36=408))
    assert not fits(Use(lut=163_951))
    assert not fits(Use(bram36=409))


def test_build_is_the_largest_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert fits(total(HLS))
    assert not fits(total(replace(HLS, lanes=32)))
    assert not fits(total(replace(HLS, slice_groups=4)))
    assert not fits(total(ZC706))
    assert main() == 0
    assert capsys.readouterr().out.count("fits") == 2
