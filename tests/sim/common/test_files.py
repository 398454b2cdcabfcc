"""A file is the new one or the old one, never half of one; a lock is waited for only so long."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from sim.common.files import locked, write_atomically

KILLED = """
import os, signal, sys
from pathlib import Path
from sim.common.files import write_atomically
def dies(stream):
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path(sys.argv[1]), dies)
"""


@pytest.mark.parametrize("content", ["größer\n", "größer\n".encode(), lambda stream: stream.write("größer\n".encode())])
def test_text_bytes_and_functions_are_written(tmp_path: Path, content: str) -> None:
    for _ in range(2):
        write_atomically(tmp_path / "file", content)
        assert (tmp_path / "file").read_bytes() == "größer\n".encode()
    assert os.listdir(tmp_path) == ["file"]


def test_a_process_killed_while_it_writes_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(file)], timeout=60, check=False)
    assert ended.returncode == -9
    assert file.read_text() == "old"
    write_atomically(file, "new")
    assert os.listdir(tmp_path) == ["file"]


def test_a_writer_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    def fails(stream: IO[bytes]) -> None:
        stream.write(b"half")
        raise ValueError("no more")

    file = tmp_path / "file"
    file.write_text("old")
    with pytest.raises(ValueError, match="no more"):
        write_atomically(file, fails)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        write_atomically(tmp_path / "missing" / "file", "")
    assert raised.value.filename == str(tmp_path / "missing" / "file")


def test_links_stay_links_and_pipes_pipes(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "through")
    reader.join(60)
    assert read == ["through"]


def test_a_lock_that_others_have_is_named(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    message = r"another process has held .*/\.lock for 0\.2 s"
    with locked(lock, 1), pytest.raises(TimeoutError, match=message), locked(lock, 0.2):
        pass
    with locked(lock, 0):
        pass
