"""What `import cpt_model` gives, and that it is quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cpt_model


def test_every_exported_name_is_there() -> None:
    assert [name for name in cpt_model.__all__ if not hasattr(cpt_model, name)] == []


def test_nothing_is_imported_before_it_is_needed() -> None:
    """A board has no torch, and needs the schedules only."""
    unwanted = ("torch", "matplotlib", "lightning", "transformers")
    command = f"import sys, cpt_model; print([name for name in {unwanted} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True, timeout=120)
    assert found.stdout.strip() == "[]"


def test_without_torch_what_needs_it_says_so() -> None:
    command = "import sys; sys.modules['torch'] = None; import cpt_model; print(cpt_model.CPT); cpt_model.prepare_"
    found = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False, timeout=120)
    assert "CPT" in found.stdout
    assert found.stderr.splitlines()[-1] == "ModuleNotFoundError: cpt_model.prepare_ needs torch: pip install torch"


def test_a_name_that_does_not_exist_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'cpt_model' has no attribute 'prepared'"):
        _ = cpt_model.prepared
