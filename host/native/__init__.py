"""What NumPy does too slowly for an ARM: small C functions, compiled on first use where there is a compiler.

Each has its equal in NumPy, which is taken without a compiler or with CPT_NATIVE=0; results are the same bit for bit.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from sim.common.files import locked
from sim.common.ownership import load_checked, own_folder
from sim.common.places import CACHE

SOURCES = tuple(Path(__file__).with_name(name) for name in ("head.c", "pixels.c"))
HEADERS = tuple(Path(__file__).with_name(name) for name in ("planes.h", "products.h"))
# No product is fused with a sum: every processor rounds alike.
FLAGS = ("-O3", "-std=c99", "-ffp-contract=off", "-shared", "-fPIC")
NEON = {"armv7l": ("-mfpu=neon",)}  # of every Zynq; Debian's compilers leave it out unless told
SECONDS = 120.0


def flags(machine: str) -> tuple[str, ...]:
    return FLAGS + NEON.get(machine, ())


def file_name(machine: str) -> str:
    """Other sources or flags are another file."""
    text = b"".join(file.read_bytes() for file in (*SOURCES, *HEADERS)) + " ".join((*flags(machine), machine)).encode()
    return f"{hashlib.sha256(text).hexdigest()[:16]}.so"


@lru_cache
def library() -> ctypes.CDLL | None:
    """Compiled once; None without a compiler."""
    if os.environ.get("CPT_NATIVE") == "0":
        return None
    machine = os.uname().machine
    try:
        built = own_folder(CACHE / "native") / file_name(machine)
        with locked(built.parent / "lock", SECONDS):
            if not built.exists():
                compiler = shutil.which("cc") or shutil.which("gcc")
                if compiler is None:
                    return None
                part = built.with_suffix(".part")
                command = [compiler, *flags(machine), "-o", str(part), *map(str, SOURCES)]
                subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
                part.replace(built)
        found = load_checked(built)
    except (OSError, subprocess.SubprocessError):
        return None
    found.cpt_pack_pixels.argtypes = (*(ctypes.c_void_p,) * 4, *(ctypes.c_int32,) * 4)
    found.cpt_pack_pixels.restype = None
    found.cpt_head_error.argtypes = (ctypes.c_void_p,)
    found.cpt_head_error.restype = ctypes.c_int32
    return found
