"""Estimates what the HLS kernel needs of an XC7Z045: operators and memories, counted from a build's parameters.

    python -m sim.synthesis.hls_resources

No tool of the vendor was run. Each part has a basis:
- yosys    what the RTL has as well, in vivado/resources.json, and the popcount of hls/popcount.hpp, counted by a test;
           its count moves by a fifth with the way the same sums are written
- hand     multiplexers, FIFOs and memories, counted in the C++: a LUT for each 4 inputs of a bit of a multiplexer, 4
           LUTs for 6 bits of a memory 32 deep, a LUT for each bit of a FIFO up to 32 deep
- guess    a multiple of the RTL's, or the RTL's engine as it is (docs/resources.md): HLS writes its own control logic
"""

from __future__ import annotations

import json
import sys
from math import ceil
from typing import NamedTuple

from sim.common.places import VIVADO
from sim.common.table import as_table
from sim.contract import Build
from sim.synthesis.resources import DEVICE, Use

WIDE = ("hls", "zc706")  # builds with 16 banks, for which multiplexers are counted
MOST = 0.75  # of LUTs, DSPs and block RAM, so that the design can be placed and routed
COUNT_LUTS = {48: 93, 144: 306}  # of popcount.hpp over this many pairs of bits, as Yosys counts it
RESULT_BITS = 16 * 48 + 32  # of a lane at a position: accumulators and a row sum
PACKET_BITS = 16 * 16 + 24
RUN_BITS = 74  # of a run of words, 64 of which wait
BAND_BITS, ROW_BITS = 40, 16  # of a lane's band: image and pixel; row of A, which the load alone needs
SHALLOW = 4 / 6  # LUTs a bit of a memory up to 32 deep
CONTROL = 3  # what HLS makes of control logic, in 32-bit counters, over the RTL's


class Estimate(NamedTuple):
    use: Use
    basis: str


def rtl_luts() -> dict[str, int]:
    """LUTs of one of each of the RTL's modules, as Yosys counts them."""
    parts = json.loads((VIVADO / "resources.json").read_text())["zc706"]["parts"]
    return {part["module"]: part["use"]["lut"] for part in parts}


def multiplexer(inputs: int) -> int:
    """LUTs a bit: four inputs each, and the same again for their outputs.

    >>> multiplexer(4), multiplexer(16), multiplexer(64)
    (1, 5, 21)
    """
    return 0 if inputs == 1 else ceil(inputs / 4) + multiplexer(ceil(inputs / 4))


def count_luts(bits: int) -> int:
    """LUTs of a popcount of ANDs; between and beyond what was counted, in proportion to the nearest."""
    nearest = min(COUNT_LUTS, key=lambda counted: abs(counted - bits))
    return ceil(bits * COUNT_LUTS[nearest] / nearest)


def parts(build: Build, vector_unit: bool = True) -> dict[str, Estimate]:
    """What each part of the kernel needs."""
    rtl, lanes, columns = rtl_luts(), build.lanes, build.columns
    bits, beat = 16 * build.slice_groups, build.bus_bytes // 2  # of a slice; words
    units, rounded = lanes * columns, 16 * (1 if lanes < 32 else 2)
    outputs = rounded // 16  # lanes whose results leave in a cycle
    readers = 3 if build.slice_groups > 3 else 1  # PIECE_READERS
    taps = min(4, build.slice_groups)  # READ_TAPS
    word, block = 16, 256  # bits
    found: dict[str, Estimate] = {}

    def add(name: str, basis: str, luts: float = 0, dsp: int = 0, bram36: float = 0) -> None:
        found[name] = Estimate(Use(lut=ceil(luts), dsp=dsp, bram36=bram36), basis)

    add("dot products", "yosys", units * count_luts(bits), dsp=units)
    add("accumulators", "hand", units * 48)
    add("sums of other taps", "hand", lanes * RESULT_BITS * SHALLOW)
    add("row sums", "yosys", lanes * count_luts(bits))
    add("FIFOs of slices, packets, runs", "hand", (lanes + columns) * bits + (lanes + 1) * PACKET_BITS + 2 * RUN_BITS)
    # Counted from lane to lane in load, epilogue and twice in store, from round to round in these three; the lanes that
    # work, in six stages; a divider and two addresses.
    add("bands", "hand", 2 * (7 * BAND_BITS + 2 * ROW_BITS) + 6 * 40 + 3 * 64, dsp=2)
    leaving = multiplexer(ceil(lanes / outputs)) + 1
    add("results, lane after lane", "hand", outputs * RESULT_BITS * leaving + rounded * word * 8)
    add("kept slices", "hand", bram36=columns * ceil(build.column_words / 512) * ceil(bits / 72))
    add("lane memories", "hand", bram36=lanes * 16 * ceil(build.lane_words / 16 / 1024) / 2)
    add("windows", "hand", lanes * (taps * word * multiplexer(16) + 2 * bits), dsp=12)
    ordered = 5 * block  # two images' words turned in two steps, and one of them chosen
    phases = 96  # where one starts, which a tap sees, rows times their stride
    add("strips", "hand", lanes // 16 * (readers * ordered + 16 * bits) + ordered + phases, dsp=9, bram36=16)
    add("weights", "hand", columns * bits, bram36=ceil(columns * build.column_words * build.slice_groups / 2048))
    add("rounding", "yosys", rounded * (rtl["requantise"] + rtl["noise"]), dsp=rounded)
    add("tallies", "hand", columns * 160, dsp=columns)
    add("ping-pong memories of results", "hand", bram36=8 * ceil(block / 72) * 2)
    add("unpack", "hand", block * multiplexer(2 * beat), bram36=ceil(word * beat / 72))
    add("store", "hand", 2 * beat * word * multiplexer(16) + block * 6)
    add("masters", "guess", 1.5 * 3 * rtl["axi_reader"], bram36=18)
    add("check, plan, jobs", "guess", CONTROL * (rtl["command_check"] + rtl["planner"] + rtl["loader"]), dsp=30)
    if vector_unit:
        segment = word * beat // 2  # bits
        memories = 5 * 16 * segment + 2 * segment  # bits that operands and results are wide; 32 deep, two halves of 16
        take = segment * multiplexer(2 * beat) + 64 / 32 * word * beat  # and a FIFO of beats, 64 deep
        pixels = 3 * block * multiplexer(beat // 2) + 2 * segment * multiplexer(16)  # of operands, into the store
        add("MAP, memories", "hand", memories * SHALLOW)
        add("MAP, words and pixels", "hand", take + pixels + 2 * beat * word * multiplexer(16))
        add("MAP, lanes", "yosys", 16 * (rtl["requantise"] + rtl["noise"] + 300), dsp=64)
        add("NORM, SCALE, JOIN, ERROR", "guess", 5600, dsp=8)
        add("UPDATE, WEIGHTS", "guess", 16600, dsp=24, bram36=4)
    return found


def total(build: Build, vector_unit: bool = True) -> Use:
    return sum((part.use for part in parts(build, vector_unit).values()), Use())


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
    found = parts(build)
    rows = [(name, basis, use.lut, use.dsp, f"{use.bram36:g}") for name, (use, basis) in found.items()]
    print(as_table(("part of the hls build", "basis", "LUT", "DSP", "BRAM36"), rows, left=(0, 1)))
    guessed = sum(use.lut for use, basis in found.values() if basis == "guess")
    print(f"{100 * guessed / total(build).lut:.0f} % of its LUTs are a guess")
    for name in WIDE:
        for vector_unit in (True, False):
            use = total(Build.named(name), vector_unit)
            text = ", ".join(f"{100 * share:.0f} % {what}" for what, share in shares(use).items())
            verdict = "fits" if fits(use) else f"more than {100 * MOST:.0f} %"
            print(f"{name}, {'with' if vector_unit else 'without'} vector unit: {text}; {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
