"""Files and folders of other users, and links that were planted, are neither followed, written to nor loaded."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from cpt_model.arithmetic.native import library as native
from sim.common import ownership
from sim.common.files import write_atomically
from sim.common.ownership import ForeignFileError, load_checked, own_folder, runtime_folder


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From then on, files that we make are another user's."""
    return lambda: monkeypatch.setattr(ownership, "TRUSTED", frozenset({-1}))


def test_a_planted_temporary_file_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / ".last.pt.tmp").symlink_to(victim)
    write_atomically(tmp_path / "last.pt", "checkpoint")
    assert victim.read_text() == "precious"
    assert (tmp_path / "last.pt").read_text() == "checkpoint"


def test_a_link_of_another_user_is_not_followed(tmp_path: Path, foreign: Callable[[], None]) -> None:
    victim, link = tmp_path / "victim", tmp_path / "last.pt"
    victim.write_text("precious")
    link.symlink_to(victim)
    foreign()
    with pytest.raises(ForeignFileError, match="is a link that another user has made"):
        write_atomically(link, "checkpoint")
    assert victim.read_text() == "precious"


def planted(folder: Path) -> Path:
    library = folder / "kernels.so"
    library.write_bytes(b"not a library: loading it raises another error")
    return library


def test_a_library_of_another_user_is_not_loaded(tmp_path: Path, foreign: Callable[[], None]) -> None:
    foreign()
    with pytest.raises(ForeignFileError, match="belongs to another user"):
        load_checked(planted(tmp_path))


@pytest.mark.parametrize("which", ["folder", "library"])
def test_a_library_that_all_may_write_is_not_loaded(which: str, tmp_path: Path) -> None:
    library = planted(tmp_path)
    loose = {"folder": tmp_path, "library": library}[which]
    loose.chmod(loose.stat().st_mode | stat.S_IWOTH)
    with pytest.raises(ForeignFileError, match="may be written to by other users: 'chmod go-w' it"):
        load_checked(library)


def test_a_library_that_is_a_link_is_not_loaded(tmp_path: Path) -> None:
    link = tmp_path / "link.so"
    link.symlink_to(planted(tmp_path))
    with pytest.raises(ForeignFileError, match="is a link"):
        load_checked(link)


def test_kernels_are_not_taken_from_a_cache_of_another_user(
    tmp_path: Path, foreign: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "OUT", tmp_path / "out")
    monkeypatch.setattr(native, "CACHE", tmp_path / "cache")
    foreign()
    with pytest.warns(UserWarning, match="without their C.. kernels, slower: .* belongs to another user"):
        assert native.load.__wrapped__() is None


def test_a_new_folder_and_that_of_locks_are_ours_alone(tmp_path: Path) -> None:
    for folder in (own_folder(tmp_path / "a" / "b"), runtime_folder()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
