"""A checkpoint is the new one or the old one, never half of one."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from cpt_model.training.checkpoint import CheckpointError, load_checkpoint, save_checkpoint

ABOUT: dict[str, Any] = {"settings": {}, "step": 0, "model": {}, "precision": None, "result": None}
OLD, BIG = ABOUT | {"x": torch.arange(4)}, ABOUT | {"x": torch.zeros(500_000)}


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """The kernel refuses to write on, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "last.pt", OLD)
    assert torch.equal(load_checkpoint(tmp_path / "last.pt")["x"], OLD["x"])
    assert os.listdir(tmp_path) == ["last.pt"]


def test_a_disk_that_fills_up_is_named_and_the_old_one_stays(tmp_path: Path) -> None:
    file = tmp_path / "last.pt"
    save_checkpoint(file, OLD)
    before = file.read_bytes()
    with files_no_longer_than(100_000), pytest.raises(CheckpointError, match=r"last\.pt cannot be written: File too"):
        save_checkpoint(file, BIG)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["last.pt"]


def test_the_first_one_of_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with files_no_longer_than(100_000), pytest.raises(CheckpointError, match="cannot be written"):
        save_checkpoint(tmp_path / "last.pt", BIG)
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(tmp_path)], check=False).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        save_checkpoint(tmp_path / "last.pt", OLD)
        with pytest.raises(CheckpointError, match=r"last\.pt cannot be written: No space left"):
            save_checkpoint(tmp_path / "last.pt", BIG)
        assert torch.equal(load_checkpoint(tmp_path / "last.pt")["x"], OLD["x"])
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match=r"file/last\.pt cannot be written: Not a directory"):
        save_checkpoint(tmp_path / "file" / "last.pt", OLD)


@pytest.mark.parametrize("content", [b"", b"no checkpoint", None])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "last.pt"
    save_checkpoint(file, BIG)
    file.write_bytes(file.read_bytes()[:-1000] if content is None else content)
    with pytest.raises(CheckpointError, match=r"last\.pt is not a checkpoint"):
        load_checkpoint(file)


def test_a_flipped_bit_anywhere_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "last.pt"
    save_checkpoint(file, OLD)
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=r"last\.pt is (not a checkpoint|damaged)"):
            load_checkpoint(file)


def test_pytorch_alone_reads_it_too(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "last.pt", OLD)
    assert torch.equal(torch.load(tmp_path / "last.pt")["x"], OLD["x"])
    with zipfile.ZipFile(tmp_path / "last.pt") as archive:
        assert len(archive.comment) == 32


def test_one_from_before_the_checksum_is_read(tmp_path: Path) -> None:
    torch.save({"format": 1} | OLD, tmp_path / "last.pt")
    assert torch.equal(load_checkpoint(tmp_path / "last.pt")["x"], OLD["x"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": None}, "'settings' is missing"),
        ({"step": None}, "'step' is missing"),
        ({"step": -1}, "step = -1 is not 0 or more"),
        ({"model": torch.zeros(2)}, "model = "),
        ({"precision": 3}, "precision = 3 is not an object"),
        ({"result": [1.0]}, "'result.1' is missing"),
    ],
)
def test_a_key_that_is_missing_or_odd_is_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    content = {name: value for name, value in (OLD | changes).items() if changes.get(name, 0) is not None}
    save_checkpoint(tmp_path / "last.pt", content)
    with pytest.raises(CheckpointError, match=r"last\.pt: " + message):
        load_checkpoint(tmp_path / "last.pt")


def test_a_missing_or_foreign_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        load_checkpoint(tmp_path / "last.pt")
    torch.save({"state_dict": {}}, tmp_path / "other.pt")
    with pytest.raises(CheckpointError, match="not a checkpoint of cpt train"):
        load_checkpoint(tmp_path / "other.pt")


KILLER = """
import os, signal, sys, torch
from pathlib import Path
from typing import Any
from cpt_model.training import checkpoint
written, write = 0, checkpoint._Checked.write
def dies(self, data):
    global written
    done = write(self, data)
    written += done
    if written > 200_000:
        self._opened.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return done
checkpoint._Checked.write = dies
checkpoint.save_checkpoint(Path(sys.argv[1]), {"x": torch.zeros(500_000)})
"""


def test_a_process_killed_while_it_writes_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "last.pt"
    save_checkpoint(file, OLD)
    ended = subprocess.run([sys.executable, "-c", KILLER, str(file)], timeout=120, check=False)
    assert ended.returncode == -9
    assert (tmp_path / ".last.pt.tmp").stat().st_size > 100_000
    assert torch.equal(load_checkpoint(file)["x"], OLD["x"])
    save_checkpoint(file, BIG)
    assert os.listdir(tmp_path) == ["last.pt"]
