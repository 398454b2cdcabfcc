"""Compiles the C++ files in its folder with g++ on first use, for this machine's processor, and loads them by ctypes.

Without g++ the same arithmetic runs in PyTorch operations, several times slower; CPT_NATIVE=0 asks for that. The result
is kept in out/native, or in the user's cache where that folder cannot be written or the kit is installed.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from sim.common.files import locked
from sim.common.ownership import load_checked, own_folder
from sim.common.places import CACHE, OUT

FOLDER = Path(__file__).parent
FLAGS = ("-O3", "-march=native", "-std=c++17", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi")
# Where operations round, each does it as the contract says: no fused multiply-add. Exact integers need no such care.
SOURCES = {
    "codes.cpp": "-ffp-contract=off",
    "finish.cpp": "-ffp-contract=off",
    "product.cpp": "-ffp-contract=fast",
    "byte_product.cpp": "-ffp-contract=off",
    "gradient.cpp": "-ffp-contract=fast",
    "byte_gradient.cpp": "-ffp-contract=off",
    "memory.cpp": "-ffp-contract=off",
    **dict.fromkeys(("step_scalars.cpp", "step_map.cpp", "step_masters.cpp"), "-ffp-contract=off"),
    **dict.fromkeys(("step_conv.cpp", "step_gradient.cpp"), "-ffp-contract=off"),
}
# Commands of the integer step: each takes a pointer to its arguments and the number of threads.
STEP = ("norm", "scale", "join", "error", "map", "update", "weights")
BYTE_STEP = ("conv", "gradient")
COMPILE_SECONDS = 300
NO_MEMORY = 2  # as in status.h

_POINTER, _INT, _SIZE, _FLOAT, _WORD = (
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int64,
    ctypes.c_float,
    ctypes.c_uint32,
)


@lru_cache
def load() -> ctypes.CDLL | None:
    """The library, or nothing where it is switched off or cannot be made (a warning says why)."""
    if os.environ.get("CPT_NATIVE") == "0":
        return None
    try:
        library = load_checked(_build())
    except (OSError, subprocess.TimeoutExpired) as problem:
        warnings.warn(f"quantised layers run without their C++ kernels, slower: {problem}", stacklevel=2)
        return None
    library.cpt_keep_freed_memory()
    library.cpt_range.argtypes = (_POINTER, _SIZE, _INT, _POINTER, _POINTER)
    library.cpt_codes.argtypes = (
        *(_POINTER, _POINTER, _SIZE, _SIZE, _SIZE, _INT),
        *(_FLOAT, _FLOAT, _FLOAT, _FLOAT, _INT, _WORD, _WORD),
        *(_POINTER, _POINTER, _INT),
    )
    product = (
        *(_POINTER, _POINTER, _INT, _POINTER, _SIZE, _SIZE, _SIZE, _INT, _POINTER, _POINTER, _POINTER),
        *(_FLOAT, _FLOAT, _POINTER, _POINTER, _FLOAT, _INT),
    )
    gradient = (_POINTER, _INT, _POINTER, _INT, _POINTER, _SIZE, _SIZE, _SIZE, _POINTER)
    library.cpt_product.argtypes = (*product, _INT)
    library.cpt_gradient.argtypes = (*gradient, _SIZE, _INT)
    library.cpt_weights.argtypes = (
        _POINTER,
        _POINTER,
        *(_SIZE, _SIZE, _SIZE, _INT, _INT, _FLOAT, _FLOAT),
        *(_POINTER,) * 4,
        _INT,
    )
    library.cpt_finish.argtypes = (
        *(_POINTER, _SIZE, _SIZE, _INT, _INT, _POINTER, _POINTER, _FLOAT, _POINTER),
        *(_FLOAT, _FLOAT, _POINTER, _POINTER, _FLOAT, _INT, _INT),
    )
    library.cpt_finish_gradient.argtypes = (
        *(_POINTER, _POINTER, _SIZE, _SIZE, _SIZE, _POINTER, _POINTER, _INT, _POINTER, _INT),
        *(_FLOAT, _FLOAT, _FLOAT, _FLOAT, ctypes.c_double, ctypes.c_double),
    )
    functions = [
        *(library.cpt_range, library.cpt_codes, library.cpt_weights),
        *(library.cpt_product, library.cpt_finish, library.cpt_gradient, library.cpt_finish_gradient),
    ]
    if has_bytes(library):
        library.cpt_byte_product.argtypes = (*product, _INT, _INT)
        library.cpt_byte_gradient.argtypes = (*gradient, _INT, _INT, _INT)
        functions += [library.cpt_byte_product, library.cpt_byte_gradient]
    for name in (*STEP, *(BYTE_STEP if has_bytes(library) else ())):
        function = getattr(library, f"cpt_step_{name}")
        function.argtypes = (_POINTER, _INT)
        functions.append(function)
    for function in functions:
        function.restype = _INT
        function.errcheck = _check_memory
    return library


def has_bytes(library: ctypes.CDLL) -> bool:
    """Whether its processor multiplies bytes (AVX512-VNNI or AVX-VNNI): else `bytes.h` leaves those kernels out."""
    return hasattr(library, "cpt_byte_product")


def _check_memory(code: Any, function: object, arguments: object) -> Any:
    if code == NO_MEMORY:
        raise MemoryError("the C++ kernels of a quantised layer found no memory")
    return code


def _build() -> Path:
    files = [*(FOLDER / name for name in SOURCES), *sorted(FOLDER.glob("*.h"))]
    texts = b"".join(file.read_bytes() for file in files)
    key = hashlib.sha256(texts + repr((FLAGS, SOURCES, processor(), torch.__version__)).encode()).hexdigest()[:16]
    folder = _writable_folder()
    library = folder / f"kernels-{key}.so"
    with locked(folder / ".lock", COMPILE_SECONDS):
        if not library.exists():
            compiler = shutil.which("g++")
            if compiler is None:
                raise OSError("g++ is missing (apt-get install g++)")
            print(f"compiling {', '.join(SOURCES)} with g++, once (seconds)", file=sys.stderr, flush=True)
            _compile(compiler, folder, library)
    return library


def _compile(compiler: str, folder: Path, library: Path) -> None:
    end = time.monotonic() + COMPILE_SECONDS

    def run(*command: str) -> None:
        left = max(0.0, end - time.monotonic())
        made = subprocess.run([compiler, *command], capture_output=True, text=True, timeout=left, check=False)
        if made.returncode:
            raise OSError(f"g++ {' '.join(command)} failed:\n{made.stderr}")

    objects = [folder / f"{name}.o" for name in SOURCES]
    for (name, rounding), made in zip(SOURCES.items(), objects, strict=True):
        run(*FLAGS, rounding, "-fopenmp", "-fPIC", "-c", str(FOLDER / name), "-o", str(made))
    part = library.with_suffix(".part")
    # torch's own OpenMP runtime has the same soname, so both share one pool of threads.
    run("-fopenmp", "-shared", *map(str, objects), "-o", str(part))
    part.replace(library)
    for made in objects:
        made.unlink()


def processor() -> str:
    """-march=native code of one processor may not run on another that sees the same folder."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())


def _writable_folder() -> Path:
    """In `out`, or the user's cache: where no one else can put a library."""
    problem: OSError | None = None
    for folder in (OUT / "native", CACHE / "native"):
        try:
            own_folder(folder)
        except OSError as found:
            problem = found
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise problem or OSError("no folder to compile into")
