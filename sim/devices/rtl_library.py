"""The Verilated core as a shared library: built when its sources have changed, then loaded.

CPT_VECTOR_UNIT=0 in the environment leaves out its vector unit, in folders of their own.

python -m sim.devices.rtl_library [BUILD ...]      builds the libraries of these builds, or of all
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import lru_cache
from pathlib import Path

from sim.common.files import locked
from sim.common.ownership import load_checked, own_folder
from sim.common.places import OUT, ROOT, RTL, VIVADO
from sim.common.plain_names import plain_folder, plain_name
from sim.contract import BUILDS
from sim.devices.native import compile_with
from sim.devices.rtl_sources import RTL_BUILDS, SPLIT, STRICT, rtl_sources
from sim.devices.verilator import verilator_environment

HARNESS = VIVADO / "harness"
OPTIMISE = "-O2 -march=native"
BUILD_SECONDS = 3600
LINE_SECONDS = 30.0
# The core with the LUTs and carry chains that it names; those of the dot products are too many to simulate, and proved.
SYNTHESISED = ("+define+SYNTHESIS", "+define+DOT_PRODUCT_MODELS", str(plain_name(HARNESS / "slice_models.sv")))


class View(str, Enum):
    """How the core is simulated: as usual, with waveforms, or with the LUTs and carry chains that synthesis gets."""

    PLAIN = ""
    WAVES = "waves"
    SYNTHESISED = "synthesised"


def with_vector_unit() -> bool:
    return os.environ.get("CPT_VECTOR_UNIT", "1") == "1"


def vector_parameter() -> list[str]:
    """For Verilator and Yosys."""
    return ["-GVectorUnit=1"] if with_vector_unit() else []


def build_folder(name: str, view: View) -> Path:
    what = "-".join([name, *["matrix"] * (not with_vector_unit()), *[view.value] * bool(view.value)])
    return plain_folder(OUT / "rtl" / what)


def load_library(build: str, view: View) -> ctypes.CDLL:
    return _loaded(build, view, with_vector_unit())


@lru_cache
def _loaded(build: str, view: View, _vector: bool) -> ctypes.CDLL:
    library = load_checked(build_library(build, view))
    pointer, number, small = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32
    calls: dict[str, tuple[type | None, tuple[type, ...]]] = {
        "open": (pointer, (pointer, ctypes.c_char_p)),
        "close": (None, (pointer,)),
        "memory": (None, (pointer, pointer, pointer, number, number)),
        "write": (ctypes.c_int, (pointer, small, small)),
        "read": (ctypes.c_int, (pointer, small, pointer)),
        "step": (None, (pointer, number)),
        "wait": (ctypes.c_int, (pointer, number, pointer, number)),
        "report": (None, (pointer, pointer)),
        "machine": (ctypes.c_int, (number, pointer, pointer)),
        "forget_states": (None, ()),
    }
    for name, (result, arguments) in calls.items():
        function = getattr(library, f"cpt_rtl_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def build_library(name: str, view: View = View.PLAIN, jobs: int = 1) -> Path:
    """The shared library of a build, up to date; one process at a time builds in a folder, with `jobs` compilers."""
    folder = own_folder(build_folder(name, view))
    library, stamp = folder / "libcpt_rtl.so", folder / "sources.sha256"
    commands = build_commands(name, folder, view)
    with locked(folder / ".lock", BUILD_SECONDS):
        digest = sources_digest(commands)
        if not library.exists() or not stamp.exists() or stamp.read_text() != digest:
            print(f"compiling the RTL core, {name} build, once (minutes)", file=sys.stderr, flush=True)
            stamp.unlink(missing_ok=True)
            with telling(folder / "verilated"):
                for command in build_commands(name, folder, view, jobs):
                    run_tool(command, folder)
            stamp.write_text(digest)
    return library


@contextmanager
def telling(folder: Path) -> Iterator[None]:
    """A line every 30 seconds: how many of the files that Verilator wrote are compiled."""
    began, done = time.time(), threading.Event()

    def tell() -> None:
        while not done.wait(LINE_SECONDS):
            objects = sum(file.stat().st_mtime >= began for file in folder.glob("*.o"))
            so_far = f"{objects} of {len(list(folder.glob('*.cpp')))} files" if objects else "reading the RTL"
            print(f"  compiling the RTL core: {so_far}, {time.time() - began:.0f} s", file=sys.stderr, flush=True)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def build_commands(name: str, folder: Path, view: View, jobs: int = 1) -> list[list[str]]:
    """Verilate and compile the core, then link it with the harness."""
    include = Path(verilator_environment()["VERILATOR_ROOT"]) / "include"
    bus, verilated = BUILDS[name]["bus_bytes"], folder / "verilated"
    flags = ["-fPIC", "-std=c++17"]
    waves = view is View.WAVES
    options = ["--trace-vcd"] if waves else SYNTHESISED if view is View.SYNTHESISED else ()
    verilate = [
        *(
            "verilator",
            "--cc",
            "--build",
            "-j",
            str(jobs),
            "-O3",
            "--x-assign",
            "unique",
            "--x-initial",
            "unique",
            *SPLIT,
        ),
        *("--assert", *STRICT, f"-GBuildNumber={RTL_BUILDS[name]}", *vector_parameter(), *options),
        *("--top-module", "cpt_kernel", "--prefix", "Vcpt_kernel", "-Mdir", str(verilated)),
        *("-CFLAGS", " ".join(flags), "-MAKEFLAGS", f"OPT_FAST='{OPTIMISE}' OPT_SLOW=-O0"),
        *(str(plain_name(each)) for each in (HARNESS / "states.vlt", *rtl_sources())),
    ]
    link = [
        *("g++", "-shared", "-pthread", *OPTIMISE.split(), *flags, f"-DBUS_BYTES={bus}u"),
        *(f"-DVM_TRACE_VCD={int(waves)}", f"-DVM_TRACE={int(waves)}", "-DVM_COVERAGE=0", "-DVM_SC=0"),
        *("-DVM_TIMING=0", "-DVM_TRACE_FST=0", f"-I{verilated}", f"-I{HARNESS}"),
        *("-isystem", str(include), "-isystem", str(include / "vltstd"), str(HARNESS / "harness.cpp")),
        *("-Wl,--whole-archive", str(verilated / "libVcpt_kernel.a"), str(verilated / "libverilated.a")),
        *("-Wl,--no-whole-archive", "-o", str(folder / "libcpt_rtl.so")),
    ]
    return [verilate, link]


def main() -> None:
    for name in sys.argv[1:] or RTL_BUILDS:
        print(build_library(name, jobs=min(2, os.cpu_count() or 1)).relative_to(OUT.parent))


def sources_digest(commands: list[list[str]]) -> str:
    """Independent of the folder that the files are in."""
    digest = hashlib.sha256(repr(commands).replace(str(ROOT), "").encode())
    for path in [*rtl_sources(), *sorted(RTL.glob("*.svh")), *sorted(HARNESS.iterdir())]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def run_tool(command: list[str], folder: Path) -> None:
    made = compile_with(command, BUILD_SECONDS, "the RTL", verilator_environment())
    (folder / f"{Path(command[0]).name}.log").write_text(made.stdout + made.stderr)
    if made.returncode:
        raise OSError(f"the RTL does not build ({command[0]}):\n{(made.stdout + made.stderr)[-4000:]}")


if __name__ == "__main__":
    main()
