"""FPGAs by name: what a design may use of them."""

from __future__ import annotations

from cpt_model.cost.resources import Resources, read_table

# LUT, FF, DSP slices, BRAM36, by the vendor's published counts. The XC7Z045's are in the synthesis table.
OTHERS = {
    "xc7z020": Resources(53_200, 106_400, 220, 140),
    "xc7z030": Resources(78_600, 157_200, 400, 265),
    "xc7z100": Resources(277_400, 554_800, 2_020, 755),
    "xczu9eg": Resources(274_080, 548_160, 2_520, 912),
}
PARTS = ("xc7z045", *OTHERS)


def fpga_part(name: str) -> Resources:
    """What is there of each resource.

    >>> fpga_part("xc7z020").dsp
    220
    """
    if name.lower() not in PARTS:
        raise ValueError(f"no part '{name}'; there are: {', '.join(PARTS)}; others by --lut, --ff, --dsp and --bram")
    return OTHERS.get(name.lower()) or read_table().device
