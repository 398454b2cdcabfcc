"""The HLS C++ kernel as an executor: compiled by g++ into a shared library on first use, called through ctypes.

>>> hls_sources()[0].suffix
'.cpp'
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

from sim.common.files import locked
from sim.common.ownership import load_checked, own_folder
from sim.common.places import CHECKOUT, HLS, OUT
from sim.contract import OVERLAY_HLS_BUILDS, Build, Memory, Outcome, Register
from sim.devices.native import arguments, check_build, compile_with, outcome, writable

HLS_BUILDS = tuple(OVERLAY_HLS_BUILDS.split())  # builds of the kernel
NOT_KERNEL = ("testbench.cpp", "library.cpp")
MAKE_SECONDS = 1800
WORKPLACE = HLS if CHECKOUT else OUT / "hls"  # where make runs; a copy of an installed kit's sources


def vendor_headers() -> Path:
    """The folder of Xilinx's ap_int.h and hls_stream.h, which the package hls4ml ships; it is not imported."""
    package = importlib.util.find_spec("hls4ml")
    if package is None or not package.submodule_search_locations:
        raise OSError("no Xilinx HLS headers: 'pip install --no-deps hls4ml==1.3.0' brings them")
    return Path(package.submodule_search_locations[0]) / "templates" / "vivado" / "ap_types"


def hls_sources() -> list[Path]:
    """The kernel's C++ files: what Vitis synthesises."""
    found = [*HLS.glob("*.cpp"), *HLS.glob("vector/*.cpp")]
    return sorted(path for path in found if path.name not in NOT_KERNEL)


def make(*goals: str) -> subprocess.CompletedProcess[str]:
    """Runs make in WORKPLACE; one process at a time, as several may want the same files at once."""
    own_folder(WORKPLACE / "build")
    with locked(WORKPLACE / "build" / ".lock", MAKE_SECONDS):
        copy_changed(HLS, WORKPLACE)
        command = ["make", "--no-print-directory", "-C", str(WORKPLACE), *goals, f"PYTHON={sys.executable}"]
        return compile_with(command, MAKE_SECONDS, "the HLS kernel")


def copy_changed(source: Path, target: Path) -> None:
    """Copies files that differ; the others keep their times, so that make does not compile them again."""
    if source == target:
        return
    for path in filter(Path.is_file, source.rglob("*")):
        copy = target / path.relative_to(source)
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(path, copy)


def build_library(name: str) -> Path:
    """The shared library of a folder of hls/build: a build with one set of flags; up to date."""
    vendor_headers()
    library = Path("build") / name / "libcpt_kernel.so"
    if not (WORKPLACE / library).exists():
        print(f"compiling the HLS kernel, {name} build, once (a minute or more)", file=sys.stderr, flush=True)
    made = make(str(library))
    if made.returncode:
        raise OSError(f"the HLS kernel does not compile:\n{made.stdout}{made.stderr}")
    return WORKPLACE / library


@lru_cache
def load_library(name: str) -> ctypes.CDLL:
    library = load_checked(build_library(name))
    library.cpt_run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
    library.cpt_run.restype = None
    library.cpt_register_words.restype = ctypes.c_uint32
    return library


class HlsExecutor:
    """Executes command lists on the C++ kernel of a build; interchangeable with `sim.reference.Reference`."""

    def __init__(self, build: Build, vector_unit: bool = True) -> None:
        check_build(build, "the HLS kernel", HLS_BUILDS)
        self.build = build
        self._library = load_library(self.library_name(build, vector_unit))
        self._registers = np.zeros(self._library.cpt_register_words(), dtype=np.uint32)
        self.run(np.zeros(64, dtype=np.uint8), 0, 0)  # fills the registers of what it can
        self.features = self.register(Register.FEATURES)

    def library_name(self, build: Build, vector_unit: bool) -> str:
        return build.name if vector_unit else f"{build.name}-matrix"

    def register(self, offset: int) -> int:
        """A register after the last list, by its byte offset."""
        return int(self._registers[offset // 4])

    def wide_register(self, offset: int) -> int:
        """One of 64 bits."""
        return self.register(offset) | self.register(offset + 4) << 32

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        """Runs a list, as `sim.contract.Executor` says."""
        size = memory.size if mem_bytes is None else mem_bytes
        for register, value in arguments(list_offset, list_bytes, mem_base, size).items():
            self._registers[register // 4] = value
        with writable(memory) as region:
            self._library.cpt_run(self._registers.ctypes.data, region.ctypes.data, region.size)
        return outcome(self.register, self.wide_register(Register.CYCLES_BUSY))
