"""What `import cpt_model` gives, and that it is quick."""

from __future__ import annotations

import subprocess
import sys

import cpt_model


def test_every_exported_name_is_there() -> None:
    assert [name for name in cpt_model.__all__ if not hasattr(cpt_model, name)] == []


def test_nothing_is_imported_before_it_is_needed() -> None:
    """Plots, trainers and the compiler of kernels take longer to import than the rest."""
    unwanted = ("matplotlib", "lightning", "transformers", "torch._inductor.compile_fx")
    command = f"import sys, cpt_model; print([name for name in {unwanted} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True, timeout=120)
    assert found.stdout.strip() == "[]"
