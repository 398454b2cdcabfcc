"""Names with spaces, by way of links; names without are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.common import plain_names
from sim.common.plain_names import has_space, plain_folder, plain_name


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(plain_names, "CACHE", tmp_path / "cache")
    return tmp_path / "cache"


def test_a_name_without_spaces_is_left_alone(tmp_path: Path, cache: Path) -> None:
    assert plain_name(tmp_path / "file") == tmp_path / "file"
    assert plain_folder(tmp_path / "build") == tmp_path / "build"
    assert not cache.exists()


def test_a_file_is_the_same_by_another_name(tmp_path: Path) -> None:
    folder = tmp_path / "my own clone" / "rtl"
    folder.mkdir(parents=True)
    (folder / "core.sv").write_text("module core;")
    for _ in range(2):
        plain = plain_name(folder / "core.sv")
        assert not has_space(plain)
        assert plain.name == "core.sv"
        assert plain.samefile(folder / "core.sv")
    assert plain_name(folder / "other.sv").parent == plain.parent


def test_a_folder_to_build_in_is_elsewhere_and_each_has_its_own(tmp_path: Path) -> None:
    one, other = (plain_folder(tmp_path / "my own clone" / name) for name in ("a", "b"))
    assert one != other
    assert not has_space(one)
    assert one.is_dir()
    assert one == plain_folder(tmp_path / "my own clone" / "a")


def test_a_planted_link_is_refused(tmp_path: Path) -> None:
    plain = plain_name(tmp_path / "a clone" / "file")
    plain.parent.unlink()
    plain.parent.symlink_to(tmp_path)
    with pytest.raises(OSError, match=r"leads to .* remove it"):
        plain_name(tmp_path / "a clone" / "file")


def test_what_cannot_be_linked_away_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"'my file\.sv': Verilator takes no name with a space"):
        plain_name(tmp_path / "a clone" / "my file.sv")
