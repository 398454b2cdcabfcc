"""What of a machine the float part of a run depends on, to the last bit.

Products of codes are the same everywhere, with and without the C++ kernels. Sums of floats are not: those of batch
normalisation are split by the number of threads and by the width of the processor's vectors, softmax and its gradient
by the latter, and the last Linear's are the matrix library's own.
"""

from __future__ import annotations

import hashlib
from typing import Any

import torch

from cpt_model.arithmetic import native
from cpt_model.arithmetic.native.library import processor

# The kernels are recorded and not compared: they change no bit.
COMPARED = ("threads", "capability", "processor", "pytorch")


def machine() -> dict[str, Any]:
    """Plain values, for a checkpoint."""
    kernels = "none" if native.load() is None else "bytes" if native.has_bytes() else "float32"
    return {
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "processor": hashlib.sha256(processor().encode()).hexdigest()[:16],  # its instructions
        "pytorch": str(torch.__version__),
        "kernels": kernels,
    }


def difference(saved: dict[str, Any], here: dict[str, Any]) -> str | None:
    """What of a saved machine is another one here, in words.

    >>> difference({"threads": 1}, {"threads": 2, "kernels": "none"})
    'threads = 1, here it is 2'
    """
    for name in COMPARED:
        if name in saved and saved[name] != here.get(name):
            return f"{name} = {saved[name]}, here it is {here.get(name)}"
    return None
