"""Yosys from the package pyosys, in a process of its own: its errors end the process they happen in."""

from __future__ import annotations

import importlib.util
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sim.common.isolated import python
from sim.common.places import INSTALLER, VIVADO
from sim.devices.rtl_sources import rtl_sources

PRIMITIVES = VIVADO / "synth" / "primitives.sv"
MODELS = "read_verilog -overwrite +/xilinx/cells_sim.v"  # what LUT6_2, CARRY4 and DSP48E1 do
CHILD = "import sys\nfrom pyosys import libyosys\ndesign = libyosys.Design()\n" + (
    "for line in open(sys.argv[1]):\n    libyosys.run_pass(line.strip(), design)\n"
)


class YosysError(RuntimeError):
    """Yosys refused something or did not prove it; the message is the end of its log."""


def run_yosys(script: Sequence[str], seconds: int = 1800) -> str:
    """Runs commands one after the other; returns the log."""
    if importlib.util.find_spec("pyosys") is None:
        raise OSError(f"the package 'pyosys' is missing; {INSTALLER} installs it")
    with tempfile.TemporaryDirectory() as folder:
        commands = Path(folder) / "script.ys"
        commands.write_text("\n".join(script))
        try:
            command = python(CHILD, str(commands))
            ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise YosysError(f"Yosys did not end in {seconds} seconds and was stopped") from None
    if ran.returncode:
        raise YosysError((ran.stdout + ran.stderr)[-3000:])
    return ran.stdout


def read_rtl(top: str, *options: str, more: Sequence[Path] = (), without: Sequence[str] = ()) -> str:
    """The command that reads the core as synthesis sees it; `without` names files to leave out."""
    sources = [path for path in rtl_sources() if path.name not in without]
    files = " ".join(map(str, [PRIMITIVES, *sources, *more]))
    return f"read_slang -j 1 -D SYNTHESIS --top {top} {' '.join(options)} {files}"
