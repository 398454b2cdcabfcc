"""Profiles from files: what is read, and what is refused with which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.profile_file import ProfileError, adjusted, find_profile, load_profile
from sim.contract import Build
from sim.latency import Memory

BUILD = {
    "lanes": 32,
    "columns": 16,
    "slice_groups": 6,
    "lane_words": 4096,
    "column_words": 512,
    "row_words": 1024,
    "bus_bytes": 32,
}
PROFILE = {"name": "mine", "build": BUILD, "clock_mhz": 160, "gigabytes_per_second": 4, "latency": 40}


def written(folder: Path, text: str) -> Path:
    path = folder / "profile.json"
    path.write_text(text)
    return path


def changed(**changes: Any) -> str:
    """The profile with other values; None takes a key away."""
    return json.dumps({key: value for key, value in (PROFILE | changes).items() if value is not None})


def test_a_file_is_read(tmp_path: Path) -> None:
    profile = load_profile(written(tmp_path, changed()))
    assert profile.build == Build("mine", 32, 16, 6, 4096, 512, 1024, 32)
    assert (profile.name, profile.clock_mhz, profile.memory) == ("mine", 160.0, Memory(25.0, 40))
    assert profile.gigabytes_per_second == 4


def test_a_build_may_be_named_and_bandwidth_be_per_cycle(tmp_path: Path) -> None:
    text = changed(build="tiny", gigabytes_per_second=None, bytes_per_cycle=7.5, latency=0)
    profile = find_profile(str(written(tmp_path, text)))
    assert profile.build == Build.named("tiny")
    assert profile.memory == Memory(7.5, 0)


def test_a_file_needs_no_special_name(tmp_path: Path) -> None:
    path = written(tmp_path, changed())
    assert find_profile(str(path.rename(tmp_path / "board"))).name == "mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: "),
        ("[1]", "expected an object with name, build, "),
        ("[1]", ", not [1]"),
        ('{"name": "a", "name": "b"}', "'name' is there twice"),
        (changed(lanes=4), "'lanes' is unknown; there are: name, build, "),
        (changed(build=BUILD | {"rows": 4}), "build: 'rows' is unknown; there are: lanes, "),
        (changed(build={"lanes": 32}), "build: 'columns' is missing"),
        (changed(build=BUILD | {"lanes": 20}), "lanes = 20 is not a multiple of 16"),
        (changed(build=BUILD | {"lanes": 512}), "lanes = 512 is not in 16..256"),
        (changed(build=BUILD | {"lanes": 32.0}), "build: lanes = 32.0 is not a whole number"),
        (changed(build="zc702"), "build: unknown build 'zc702'; there are: tiny, zc706, hls, zc706_train"),
        (changed(build=3), "or an object of its parameters, not 3"),
        (
            changed(bytes_per_cycle=50),
            "the bandwidth must be given once, as bytes_per_cycle or as gigabytes_per_second; here 2",
        ),
        (changed(gigabytes_per_second=None), "the bandwidth must be given once"),
        (changed(clock_mhz=None), "'clock_mhz' is missing"),
        (changed(clock_mhz=0), "clock_mhz = 0 is not 1 or more"),
        (changed(clock_mhz=float("inf")), "clock_mhz = inf is not"),
        (changed(clock_mhz=True), "clock_mhz = True is not a number"),
        (changed(gigabytes_per_second="4"), "gigabytes_per_second = '4' is not a number"),
        (changed(latency=-1), "latency = -1 is not 0 or more"),
        (changed(gigabytes_per_second=1e-320), "gigabytes_per_second = 1e-320 is not 0.01 or more"),
        ("[" * 10_000, "nested too deeply"),
        (changed(name=""), "name = '' is empty"),
    ],
)
def test_a_malformed_file_is_refused_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ProfileError) as refusal:
        load_profile(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert message in str(refusal.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProfileError, match="not JSON"):
        load_profile(path)


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ProfileError, match="no profile 'zc7006'; there are: zc706, zc706_train, zc706-rows, zc706-ps, paper, or"
    ):
        find_profile("zc7006", also=("paper",))
    with pytest.raises(ProfileError, match=r"lost\.json: there is no such file"):
        find_profile(str(tmp_path / "lost.json"))


def test_a_memory_keeps_its_speed_at_another_clock() -> None:
    slow = adjusted(PROFILES["zc706-ps"], clock_mhz=100)
    assert slow.gigabytes_per_second == pytest.approx(PROFILES["zc706-ps"].gigabytes_per_second)
    assert slow.memory.bytes_per_cycle == pytest.approx(34)
    assert (slow.clock_mhz, slow.memory.latency) == (100, 30)


def test_another_memory_at_the_same_clock() -> None:
    fast = adjusted(PROFILES["zc706"], gigabytes_per_second=12.8)
    assert fast.name == "zc706, 12.8 GB/s"
    assert fast.memory == Memory(64.0, 60)
    assert adjusted(PROFILES["zc706"]) == PROFILES["zc706"]
    with pytest.raises(ProfileError, match=r"bandwidth \(GB/s\) = 0 is not in 0\.01\.\.100,000"):
        adjusted(PROFILES["zc706"], gigabytes_per_second=0)
