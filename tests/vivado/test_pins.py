"""The packaged top repeats the kernel's pins in plain Verilog: against the list that the two kernels include."""

from __future__ import annotations

import re

from tests.tools import ROOT

PINS = (ROOT / "vivado" / "rtl" / "cpt_kernel_pins.svh").read_text(encoding="utf-8")
PACKAGED = (ROOT / "vivado" / "ip" / "cpt_kernel_ip.v").read_text(encoding="utf-8")
MASTERS = ("m_axi_commands", "m_axi_loads", "m_axi_stores")
# Attributes of transfers, which only the packaged top drives.
MORE = {
    f"{master}_a{channel}{name}": ("output", width)
    for master in MASTERS
    for channel in "wr"
    for name, width in (("cache", "[3:0]"), ("prot", "[2:0]"))
}


def pins(text: str) -> dict[str, tuple[str, str]]:
    """Direction and width of every pin by its name."""
    found = re.findall(r"\b(input|output)\s+(?:logic|wire)\s+(\[[^]]*\])?\s*(\w+)", text)
    return {name: (direction, width.replace(" ", "")) for direction, width, name in found}


def kernel_pins() -> dict[str, tuple[str, str]]:
    macro, _, rest = PINS.replace("\\\n", "").partition("\n\n    input")
    assert re.findall(r"`MASTER_PORTS\((\w+)\)", rest) == list(MASTERS)
    ports = [macro.partition("MASTER_PORTS(PORT)")[2].replace("PORT``", master) for master in MASTERS]
    return pins("\n".join(["input" + rest, *ports]))


def test_the_packaged_top_has_the_kernels_pins() -> None:
    theirs = {name: (way, width.replace("DATA_BITS/8", "BusBytes")) for name, (way, width) in pins(PACKAGED).items()}
    theirs = {name: (way, width.replace("DATA_BITS", "DataBits")) for name, (way, width) in theirs.items()}
    assert len(kernel_pins()) == 20 + 29 * len(MASTERS)
    assert theirs == kernel_pins() | MORE


def test_the_packaged_top_connects_every_pin_to_its_own() -> None:
    connections = re.findall(r"\.(\w+) *\((\w+)\)", PACKAGED.partition("u_kernel")[2])
    assert connections == [(name, name) for name in kernel_pins()]
