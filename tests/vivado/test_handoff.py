"""The hardware handoff, written from the calls that the scripts make, as pynq's own parser understands it.

The file is an imitation of Vivado's: enough of it to see that pynq finds the core, its interrupt and its memory.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sim import contract
from tests.vivado.stubbed import calls, succeed

CLOCKS = {f"PCW_FPGA_FCLK{i}_ENABLE": str(int(i == 0)) for i in range(4)} | {
    f"PCW_FCLK{i}_PERIPHERAL_DIVISOR{j}": ("5" if j == 0 else "1") for i in range(4) for j in range(2)
}


def handoff(lines: list[str]) -> str:
    """A .hwh of the cells, wires and the ARM's addresses that the scripts asked for."""
    root = ElementTree.Element("EDKSYSTEM")
    external = ElementTree.SubElement(root, "EXTERNALPORTS")
    modules = ElementTree.SubElement(root, "MODULES")
    ports: dict[str, Any] = {}
    for call in calls(lines, "create_bd_cell"):
        vlnv, name = call.split()[-2:]
        attributes = {"INSTANCE": name, "FULLNAME": f"/{name}", "VLNV": vlnv, "MODTYPE": vlnv.split(":")[2]}
        module = ElementTree.SubElement(modules, "MODULE", attributes)
        parameters = ElementTree.SubElement(module, "PARAMETERS")
        ports[name] = ElementTree.SubElement(module, "PORTS")
        if name == "ps":
            for key, value in CLOCKS.items():
                ElementTree.SubElement(parameters, "PARAMETER", NAME=key, VALUE=value)
            addresses = ElementTree.SubElement(module, "MEMORYMAP")
    for call in calls(lines, "connect_bd_net"):
        driver, sink = call.split()[1:]
        signal = driver.replace("/", "_")
        for pin in (driver, sink):
            owner, _, name = pin.removeprefix("port:").rpartition("/")
            ElementTree.SubElement(ports.get(owner, external), "PORT", NAME=name, SIGNAME=signal)
    for call in calls(lines, "assign_bd_address"):
        found = re.search(r"-offset (\w+) -range (\w+) -target_address_space ps/Data (\w+)/", call)
        if found is not None:
            base, size = int(found[1], 0), eval_size(found[2])
            memory = "MEMORY" if found[3] == contract.OVERLAY_PL_MEMORY else "REGISTER"
            span = {"INSTANCE": found[3], "BASEVALUE": hex(base), "HIGHVALUE": hex(base + size - 1), "MEMTYPE": memory}
            ElementTree.SubElement(addresses, "MEMRANGE", span)
    return ElementTree.tostring(root, encoding="unicode")


def eval_size(text: str) -> int:
    units = {"K": 1 << 10, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def parse(copy: Path, memory: str) -> Any:
    parser = pytest.importorskip("pynq.pl_server.hwh_parser")
    written = copy / "cpt.hwh"
    written.write_text(handoff(succeed(copy, CPT_MEMORY=memory)))
    return parser._HWHZynq(str(written))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("memory", ["ps", "pl"])
def test_pynq_finds_the_core_its_interrupt_and_its_memory(copy: Path, memory: str) -> None:
    overlay = parse(copy, memory)
    core = overlay.ip_dict[contract.OVERLAY_CELL]
    assert core["type"] == contract.OVERLAY_VLNV
    assert core["addr_range"] == contract.OVERLAY_CONTROL_BYTES
    # No controller in between: pynq waits on the UIO device of the fabric's first interrupt.
    interrupt = core["interrupts"]["interrupt"]
    assert (interrupt["controller"], interrupt["raw_irq"]) == ("", 61)
    assert overlay.clock_dict[0] == {"enable": 1, "divisor0": 5, "divisor1": 1}
    banks = {name: bank["phys_addr"] for name, bank in overlay.mem_dict.items()}
    assert banks == ({contract.OVERLAY_PL_MEMORY: 0x80000000} if memory == "pl" else {})
