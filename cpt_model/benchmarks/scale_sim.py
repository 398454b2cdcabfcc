"""SCALE-Sim v3 (PyPI `scalesim`), which walks through an array cycle by cycle: its run of one forward pass.

It gets every convolution of a network that the accelerator runs, of one image, as a topology file; padding is part of
the map, since it knows none. The array is as large as ours, 48 × 16, output-stationary, with 64 KB for each operand,
bandwidth estimated by itself, no traces written: its quickest ways.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cpt_model.cost import ModelCount
from cpt_model.cost.topology import topology

HOW_TO_GET = "SCALE-Sim is not installed: .venv/bin/pip install -c requirements.lock scalesim==3.0.0"
NAME = "forward"
CONFIG = f"""\
[general]
run_name = {NAME}
[architecture_presets]
ArrayHeight = 48
ArrayWidth = 16
IfmapSramSzkB = 64
FilterSramSzkB = 64
OfmapSramSzkB = 64
IfmapOffset = 0
FilterOffset = 10000000
OfmapOffset = 20000000
Dataflow = os
ReadRequestBuffer = 32
WriteRequestBuffer = 32
[layout]
IfmapCustomLayout = False
FilterCustomLayout = False
IfmapSRAMBankBandwidth = 10
IfmapSRAMBankNum = 10
IfmapSRAMBankPort = 2
FilterSRAMBankBandwidth = 10
FilterSRAMBankNum = 10
FilterSRAMBankPort = 2
[sparsity]
SparsitySupport = false
[run_presets]
InterfaceBandwidth = CALC
UseRamulatorTrace = False
"""


@dataclass(frozen=True)
class ForwardPass:
    """CPU seconds that SCALE-Sim took, and what it simulated."""

    cpu_seconds: float
    layers: int
    cycles: float


def is_installed() -> bool:
    try:
        import scalesim.scale_sim  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def simulate(count: ModelCount) -> ForwardPass:
    """One forward pass of one image; imports are not timed."""
    from scalesim.scale_sim import scalesim

    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        folder = Path(name)
        for file, text in (("array.cfg", CONFIG), ("network.csv", topology(count)), ("layout.csv", "Layer name,\n")):
            (folder / file).write_text(text)
        paths = {key: str(folder / file) for key, file in (("config", "array.cfg"), ("topology", "network.csv"))}
        simulator = scalesim(save_disk_space=True, verbose=False, layout=str(folder / "layout.csv"), **paths)
        start = time.process_time()
        simulator.run_scale(top_path=str(folder))
        seconds = time.process_time() - start
        lines = (folder / NAME / "COMPUTE_REPORT.csv").read_text().splitlines()[1:]
    return ForwardPass(seconds, len(lines), sum(float(line.split(",")[2]) for line in lines))
