"""Estimates what the HLS kernel needs of an XC7Z045: operators and memories, counted from a build's parameters.

    python -m sim.synthesis.hls_resources

No tool of the vendor was run. What the RTL has as well is taken from Yosys' counts in vivado/resources.json; a plain
adder tree, which is what HLS makes of a popcount, was counted by Yosys alone (255 for 144 pairs of bits; the RTL's
compressors take 123). The rest are multiplexers and memories counted by hand: 5 LUTs a bit for 16 to 1, 4 LUTs for 6
bits of a memory 32 deep, a LUT for each bit of a short FIFO.
"""

from __future__ import annotations

import json
import sys
from math import ceil

from sim.common.places import VIVADO
from sim.common.table import as_table
from sim.contract import Build
from sim.synthesis.resources import DEVICE, Use

WIDE = ("hls", "zc706")  # builds with a bus of 64 bytes, for which banks are counted
MOST = 0.75  # of LUTs, DSPs and block RAM, so that the design can be placed and routed
TREE_LUTS = 255 / 144  # of an adder tree, for each pair of bits
MUX_16, MUX_64 = 5, 21  # LUTs a bit
RESULT_BITS = 16 * 48 + 32  # of a lane at a position: accumulators and a row sum
PACKET_BITS = 16 * 16 + 40
SHALLOW = 4 / 6  # LUTs a bit of a memory up to 32 deep


def rtl_luts() -> dict[str, int]:
    """LUTs of one of each of the RTL's modules, as Yosys counts them."""
    parts = json.loads((VIVADO / "resources.json").read_text())["zc706"]["parts"]
    return {part["module"]: part["use"]["lut"] for part in parts}


def luts(count: float, **others: int) -> Use:
    return Use(lut=ceil(count), **others)


def parts(build: Build, vector_unit: bool = True) -> dict[str, Use]:
    """What each part of the kernel needs."""
    rtl, lanes, columns = rtl_luts(), build.lanes, build.columns
    bits = 16 * build.slice_groups
    units, rounded = lanes * columns, 16 * (1 if lanes < 32 else 2)
    lane_bram = 16 * ceil(build.lane_words / 16 / 1024) // 2
    found = {
        "dot products": luts(units * TREE_LUTS * bits, dsp=units),
        "accumulators, sums of other taps": luts(units * 48 + lanes * 16 * 800 / 16 * SHALLOW),
        "row sums": luts(lanes * TREE_LUTS * bits),
        "FIFOs of slices, results, packets": luts((lanes + columns) * bits + lanes * (RESULT_BITS + PACKET_BITS)),
        "kept slices": Use(bram36=columns * ceil(build.column_words / 512) * ceil(bits / 72)),
        "lane memories": Use(bram36=lanes * lane_bram),
        "windows": luts(lanes * (4 * 16 * MUX_16 + 2 * bits), dsp=12),
        "strips": luts(lanes // 16 * (3 * 2 * 256 * MUX_16 + 16 * bits) + 2 * 256 * MUX_16, dsp=8, bram36=16),
        "weights": Use(lut=columns * bits, bram36=ceil(columns * build.column_words * build.slice_groups / 2048)),
        "rounding": luts(rounded * (rtl["requantise"] + rtl["noise"]), dsp=rounded),
        "choice and packing of results": luts(RESULT_BITS * MUX_16 * ceil(lanes / 16) + rounded * 16 * 8),
        "tallies": luts(columns * 160, dsp=columns),
        "ping-pong memories of results": Use(bram36=8 * ceil(256 / 72) * 2),
        "unpack": luts(16 * 16 * MUX_64),
        "store": luts(2 * 32 * 16 * MUX_16 + 16 * 16 * 6),
        "masters": luts(1.5 * 3 * rtl["axi_reader"], bram36=8 + 8 + 2),
        "check, plan, counters of jobs": luts(3 * (rtl["command_check"] + rtl["planner"] + rtl["loader"]), dsp=30),
    }
    if vector_unit:
        planes = 5 * 16 * 16 * 16 + 2 * 16 * 16  # bits that a MAP's memories of operands and results are wide, 32 deep
        found["MAP"] = luts(planes * SHALLOW + 16 * (rtl["requantise"] + rtl["noise"] + 300), dsp=64)
        found["NORM, SCALE, JOIN, ERROR"] = luts(5000, dsp=8)
        found["UPDATE, WEIGHTS"] = luts(6000, dsp=24, bram36=4)
    return found


def total(build: Build, vector_unit: bool = True) -> Use:
    return sum(parts(build, vector_unit).values(), Use())


def shares(use: Use) -> dict[str, float]:
    """Of the part's resources that are scarce.

    >>> shares(Use(lut=21860))["lut"]
    0.1
    """
    return {name: getattr(use, name) / DEVICE[name] for name in ("lut", "dsp", "bram36")}


def fits(use: Use) -> bool:
    return all(share <= MOST for share in shares(use).values())


def main() -> int:
    build = Build.named("hls")
    rows = [(name, use.lut, use.dsp, use.bram36) for name, use in parts(build).items()]
    print(as_table(("part of the hls build", "LUT", "DSP", "BRAM36"), rows))
    for name in WIDE:
        for vector_unit in (True, False):
            use = total(Build.named(name), vector_unit)
            text = ", ".join(f"{100 * share:.0f} % {what}" for what, share in shares(use).items())
            verdict = "fits" if fits(use) else f"more than {100 * MOST:.0f} %"
            print(f"{name}, {'with' if vector_unit else 'without'} vector unit: {text}; {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
