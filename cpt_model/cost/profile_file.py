"""Profiles by name, from a JSON file, and at another clock or bandwidth.

A file has a name, a build (the name of one of the contract's, or parameters as in `sim/contract/contract.toml`), the
clock, the memory's bandwidth in one of two units, and the cycles to a read's first beat. It may have the microseconds
that the host takes to start a list for each pass (`cpt board fit` writes such files), and what passes store:

    {"name": "mine", "build": "zc706", "clock_mhz": 150, "gigabytes_per_second": 3.2, "latency": 60}
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from cpt_model.cost.accelerator import PROFILES, Profile
from host.compiler.results import Results
from sim.contract import BUILD_RANGES, BUILDS, Build
from sim.latency import Memory

BANDWIDTHS = ("bytes_per_cycle", "gigabytes_per_second")
KEYS = ("name", "build", "clock_mhz", *BANDWIDTHS, "latency", "list_us", "results")


class ProfileError(ValueError):
    """A profile that is unknown or malformed; the message says where, what is wrong and what is allowed."""


def find_profile(name: str, also: tuple[str, ...] = ()) -> Profile:
    """A profile of `PROFILES`, or a file's; a refusal lists what the caller knows besides, too.

    >>> find_profile("zc706").build.lanes
    48
    """
    if name in PROFILES:
        return PROFILES[name]
    if not name.endswith(".json") and not Path(name).is_file():
        raise ProfileError(f"no profile '{name}'; there are: {', '.join((*PROFILES, *also))}, or a JSON file of one")
    return load_profile(Path(name))


def load_profile(path: Path) -> Profile:
    """A profile as a file has it."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once)
        return profile_of(values)
    except FileNotFoundError:
        raise ProfileError(f"{path}: there is no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ProfileError(f"{path}: not JSON: {problem}") from None
    except ValueError as problem:
        raise ProfileError(f"{path}: {problem}") from None


def profile_of(values: object) -> Profile:
    """A profile from what a file holds.

    >>> values = {"name": "slow", "build": "zc706", "clock_mhz": 100, "gigabytes_per_second": 5, "latency": 30}
    >>> profile_of(values).memory
    Memory(bytes_per_cycle=50.0, latency=30)
    """
    if not isinstance(values, dict):
        raise ProfileError(f"a profile is an object with {', '.join(KEYS)}, not {_kind(values)}")
    _known_keys(values, KEYS, "profile")
    stated = [name for name in BANDWIDTHS if name in values]
    if len(stated) != 1:
        names = " or as ".join(BANDWIDTHS)
        raise ProfileError(f"the bandwidth must be given once, as {names}; here {len(stated)} times")
    for key in ("name", "build", "clock_mhz", "latency"):
        if key not in values:
            raise ProfileError(f"'{key}' is missing")
    if not isinstance(values["name"], str) or not values["name"]:
        raise ProfileError(f"name = {values['name']!r} is not a name")
    clock = _positive("clock_mhz", values["clock_mhz"])
    bandwidth = _positive(stated[0], values[stated[0]])
    per_cycle = bandwidth if stated[0] == "bytes_per_cycle" else bandwidth * 1e3 / clock
    return Profile(
        values["name"],
        _build(values["name"], values["build"]),
        clock,
        Memory(per_cycle, _whole("latency", values["latency"], least=0)),
        0.0 if values.get("list_us", 0) == 0 else _positive("list_us", values["list_us"]),
        Results(values.get("results", Profile.results)),
    )


def adjusted(profile: Profile, clock_mhz: float | None = None, gigabytes_per_second: float | None = None) -> Profile:
    """The same core at another clock, or with another memory. A memory keeps its GB/s and nanoseconds at any clock.

    >>> slow = adjusted(PROFILES["zc706"], clock_mhz=100)
    >>> slow.name, slow.gigabytes_per_second, slow.memory
    ('zc706, 100 MHz', 10.0, Memory(bytes_per_cycle=100.0, latency=30))
    """
    clock = profile.clock_mhz if clock_mhz is None else _positive("clock (MHz)", clock_mhz)
    bandwidth = profile.gigabytes_per_second
    if gigabytes_per_second is not None:
        bandwidth = _positive("bandwidth (GB/s)", gigabytes_per_second)
    name = profile.name
    if clock_mhz is not None:
        name += f", {clock:g} MHz"
    if gigabytes_per_second is not None:
        name += f", {bandwidth:g} GB/s"
    latency = round(profile.memory.latency * clock / profile.clock_mhz)
    memory = replace(profile.memory, bytes_per_cycle=bandwidth * 1e3 / clock, latency=latency)
    return replace(profile, name=name, clock_mhz=clock, memory=memory)


def _build(name: str, values: object) -> Build:
    if isinstance(values, str):
        if values not in BUILDS:
            raise ProfileError(f"build '{values}' is none of the contract's builds: {', '.join(BUILDS)}")
        return Build.named(values)
    if not isinstance(values, dict):
        names, kind = ", ".join(BUILDS), _kind(values)
        raise ProfileError(f"build is the name of a build ({names}) or an object of its parameters, not {kind}")
    _known_keys(values, tuple(BUILD_RANGES), "build")
    for parameter in BUILD_RANGES:
        if parameter not in values:
            raise ProfileError(f"build: '{parameter}' is missing")
    return Build(name, **{key: _whole(f"build: {key}", value) for key, value in values.items()})


def _known_keys(values: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in values:
        if key not in known:
            raise ProfileError(f"{where}: '{key}' is unknown; there are: {', '.join(known)}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON would let the last of two equal keys win."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ProfileError(f"'{key}' is there twice")
        values[key] = value
    return values


def _positive(name: str, value: object) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value <= 0:  # type: ignore[arg-type, operator]
        raise ProfileError(f"{name} = {value!r} is not a number above 0")
    return float(value)  # type: ignore[arg-type]


def _whole(name: str, value: object, least: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ProfileError(f"{name} = {value!r} is not a whole number of {least} or more")
    return value


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", type(None): "null", bool: "true or false"}.get(type(value), "a number")
