"""Runs vivado/tcl with stubs in place of Vivado, and reads what was called."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.tools import tcl_interpreter

STUBS = Path(__file__).parent / "stubs"


def run(copy: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "STUB_SCRIPT": str(copy / "vivado" / "tcl" / "build.tcl"),
        "CPT_STAGE": "bitstream",
        "CPT_CORE": "rtl",
        "CPT_BUILD": "zc706",
        "CPT_MEMORY": "ps",
        "CPT_CLOCK_MHZ": "200",
        "CPT_PBLOCKS": "none",
        "CPT_JOBS": "2",
        **settings,
    }
    command = [*tcl_interpreter(), str(STUBS / "run.tcl")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def succeed(copy: Path, **settings: str) -> list[str]:
    done = run(copy, **settings)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout.splitlines()


def calls(lines: list[str], command: str) -> list[str]:
    return [line.removeprefix("CALL ") for line in lines if re.match(rf"CALL {command}( |$)", line)]
