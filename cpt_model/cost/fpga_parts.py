"""FPGAs by name: what a design may use of them; and boards that carry one."""

from __future__ import annotations

from dataclasses import dataclass

from cpt_model.cost.resources import Resources, read_table

# LUT, FF, DSP slices, BRAM36, by the vendor's published counts. The XC7Z045's are in the synthesis table.
OTHERS = {
    "xc7z020": Resources(53_200, 106_400, 220, 140),
    "xc7z030": Resources(78_600, 157_200, 400, 265),
    "xc7z100": Resources(277_400, 554_800, 2_020, 755),
    "xczu9eg": Resources(274_080, 548_160, 2_520, 912),
    "xczu7ev": Resources(230_400, 460_800, 1_728, 312),
    "xck26": Resources(117_120, 234_240, 1_248, 144),
}
PARTS = ("xc7z045", *OTHERS)
MEMORY_SHARE = 0.78  # of a memory's peak that is reckoned with: the ZC706's 10 of 12.8 GB/s


@dataclass(frozen=True)
class Board:
    """A board people own: its FPGA, its memory's peak in GB/s, a clock to hope for, lane memories to try."""

    part: str
    peak: float
    clock_mhz: float
    lane_words: tuple[int, ...]
    state: str

    @property
    def bandwidth(self) -> float:
        return round(MEMORY_SHARE * self.peak, 1)


COUNTED = "only counted: the Vivado scripts build for the ZC706 alone"
SMALL = (2048, 4096)
BOARDS = {
    "zc706": Board("xc7z045", 12.8, 200.0, (12288,), "the Vivado scripts build for it"),
    "pynq-z2": Board("xc7z020", 2.1, 100.0, SMALL, COUNTED),
    "zcu104": Board("xczu7ev", 19.2, 200.0, (12288,), COUNTED),
    "kv260": Board("xck26", 19.2, 200.0, SMALL, COUNTED),
}


def fpga_board(name: str) -> Board:
    """A board by name.

    >>> fpga_board("pynq-z2").part, fpga_board("zc706").bandwidth
    ('xc7z020', 10.0)
    """
    if name.lower() not in BOARDS:
        raise ValueError(f"no board '{name}'; there are: {', '.join(BOARDS)}; others by --part")
    return BOARDS[name.lower()]


def fpga_part(name: str) -> Resources:
    """What is there of each resource.

    >>> fpga_part("xc7z020").dsp
    220
    """
    if name.lower() not in PARTS:
        raise ValueError(f"no part '{name}'; there are: {', '.join(PARTS)}; others by --lut, --ff, --dsp and --bram")
    return OTHERS.get(name.lower()) or read_table().device
