"""Without g++, or when asked, PyTorch does the kernels' work; a broken build is said, not hidden."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic import native
from cpt_model.arithmetic.native import library
from sim.common.files import locked
from tests.cpt_model.layer_tools import patterns, pytorch_alone, trained_step


@pytest.fixture(autouse=True)
def _load_anew() -> Iterator[None]:
    library.load.cache_clear()
    yield
    library.load.cache_clear()


def test_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPT_NATIVE", "0")
    assert library.load() is None


def test_without_a_compiler_a_warning_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert library.load() is not None
    library.load.cache_clear()
    monkeypatch.setattr(library.shutil, "which", lambda name: None)
    assert library.load() is not None, "what was compiled before needs no compiler"
    library.load.cache_clear()
    monkeypatch.setattr(library, "_writable_folder", lambda: tmp_path)
    with pytest.warns(UserWarning, match=r"without their C\+\+ kernels, slower: g\+\+ is missing"):
        assert library.load() is None


def test_source_that_does_not_compile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "some.cpp"
    broken.write_text("int main( {")
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.setattr(library, "OUT", tmp_path)
    monkeypatch.setattr(library, "SOURCES", {broken.name: "-O0"})
    with pytest.warns(UserWarning, match=r"some\.cpp.* failed"):
        assert library.load() is None
    assert not list((tmp_path / "native").glob("*.so"))


def test_a_processor_that_multiplies_no_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    x = torch.randn(3, 5, 8, 8).contiguous(memory_format=torch.channels_last)
    results = []
    for without in (False, True):
        if without:
            monkeypatch.setattr(library, "FLAGS", (*library.FLAGS, "-U__AVX512VNNI__", "-U__AVXVNNI__"))
            monkeypatch.setattr(library, "_writable_folder", lambda: tmp_path)
        library.load.cache_clear()
        torch.manual_seed(0)
        layer = prepare_(nn.Conv2d(5, 6, 3), Config(bits=Bits(8, 8), policy="none", results="exact"))
        parts = trained_step(layer, x)
        assert layer.weight.grad is not None
        results.append([patterns(each) for each in (*parts, layer.weight.grad)])
    assert not native.has_bytes()
    assert all((one == other).all() for one, other in zip(*results, strict=True))


def test_a_compiler_that_never_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "some.cpp"
    source.write_text("")
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.setattr(library, "OUT", tmp_path)
    monkeypatch.setattr(library, "SOURCES", {source.name: "-O0"})
    monkeypatch.setattr(library, "COMPILE_SECONDS", 0.2)
    monkeypatch.setattr(library, "FLAGS", ("5",))
    monkeypatch.setattr(library.shutil, "which", lambda name: "sleep")
    original = subprocess.run
    monkeypatch.setattr(library.subprocess, "run", lambda command, **options: original(command[:2], **options))
    with pytest.warns(UserWarning, match="timed out"):
        assert library.load() is None


def test_a_checkout_that_cannot_be_written_compiles_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(library, "OUT", tmp_path / "file")  # no folder can be made in a file
    monkeypatch.setattr(library, "CACHE", tmp_path / "cache")
    folder = library._writable_folder()
    assert folder == tmp_path / "cache" / "native"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_lock_that_is_never_given_back_is_waited_for_only_so_long(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "some.cpp"
    source.write_text("")
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.setattr(library, "OUT", tmp_path)
    monkeypatch.setattr(library, "SOURCES", {source.name: "-O0"})
    monkeypatch.setattr(library, "COMPILE_SECONDS", 0.2)
    (tmp_path / "native").mkdir()
    with (
        locked(tmp_path / "native" / ".lock", 0),
        pytest.warns(UserWarning, match=r"another process has held .*/\.lock for 0\.2 s"),
    ):
        assert library.load() is None


def test_kernels_without_memory_say_so() -> None:
    loaded = library.load()
    assert loaded is not None
    huge = 1 << 55
    with pytest.raises(MemoryError, match="found no memory"):
        loaded.cpt_weights(None, None, huge, 0, 1, False, True, 1.0, 1.0, None, None, None, None, 1)


@pytest.mark.parametrize("shape", [(2, 3, 5, 5), (1, 1, 1, 1), (3, 2, 1, 4)])
@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
def test_a_whole_training_step_is_the_same_to_the_bit(
    quantiser: str, memory_format: torch.memory_format, shape: tuple[int, ...]
) -> None:
    results = []
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0)).contiguous(memory_format=memory_format)
    for in_cpp in (True, False):
        for bits in (Bits(2, 2), Bits(8, 8), Bits(16, 16)):
            torch.manual_seed(0)
            layers = nn.Conv2d(shape[1], 6, 3, 1, 2), nn.ReLU(), nn.Conv2d(6, 4, (2, 1), 2, groups=2)
            config = Config(quantiser, bits=bits, gradient_bits=bits.backward, results="exact")
            model = prepare_(nn.Sequential(*layers), config)
            if in_cpp:
                parts = trained_step(model, x)
            else:
                with pytorch_alone():
                    parts = trained_step(model, x)
            gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
            results.append([patterns(each) for each in (*parts, *gradients)])
    for ours, theirs in zip(results[:3], results[3:], strict=True):
        assert all((one == other).all() for one, other in zip(ours, theirs, strict=True))
