"""Profiles by name, from a JSON file, and at another clock or bandwidth.

A file has a name, a build (the name of one of the contract's, or parameters as in `sim/contract/contract.toml`), the
clock, the memory's bandwidth in one of two units, and the cycles to a read's first beat. It may have the microseconds
that the host takes to start a list for each pass (`cpt board fit` writes such files), the milliseconds of a whole step
in which the core waits for it (`cpt bench board` estimates them), and what passes store:

    {"name": "mine", "build": "zc706", "clock_mhz": 150, "gigabytes_per_second": 3.2, "latency": 60}
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ValidationInfo, create_model, field_validator, model_validator
from typing_extensions import Self

from cpt_model.cost.accelerator import PROFILES, Profile
from host.compiler.results import Results
from sim.common.checked import Checked, Name, within
from sim.common.flag_types import BYTES_PER_CYCLE, CLOCK_MHZ, GIGABYTES_PER_SECOND
from sim.common.json_file import read_json
from sim.contract import BUILD_RANGES, BUILDS, Build
from sim.latency import Memory

BANDWIDTHS = ("bytes_per_cycle", "gigabytes_per_second")
Parameters = create_model("Parameters", __base__=Checked, **dict.fromkeys(BUILD_RANGES, (int, ...)))  # type: ignore


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


class ProfileFile(Checked):
    """What a file of a profile holds."""

    error: ClassVar[type[ValueError]] = ProfileError

    name: Name
    build: Build
    clock_mhz: Annotated[float, within(CLOCK_MHZ)]
    bytes_per_cycle: Annotated[float, within(BYTES_PER_CYCLE)] | None = None
    gigabytes_per_second: Annotated[float, within(GIGABYTES_PER_SECOND)] | None = None
    latency: Annotated[int, within((0, 100_000))]
    list_us: Annotated[float, within((0, 1e9))] = 0.0
    host_ms: Annotated[float, within((0, 1e6))] = 0.0
    results: Annotated[Results, BeforeValidator(Results)] = Profile.results

    @field_validator("build", mode="before")
    @classmethod
    def _named_or_described(cls, values: object, info: ValidationInfo) -> Build:
        if isinstance(values, str):
            return Build.named(values)
        if not isinstance(values, dict):
            raise ValueError(f"the name of a build ({', '.join(BUILDS)}) or an object of its parameters, not {values}")
        return Build(info.data.get("name", ""), **dict(Parameters(**values)))

    @model_validator(mode="after")
    def _one_bandwidth(self) -> Self:
        stated = [name for name in BANDWIDTHS if getattr(self, name) is not None]
        if len(stated) != 1:
            names = " or as ".join(BANDWIDTHS)
            raise ProfileError(f"the bandwidth must be given once, as {names}; here {len(stated)} times")
        return self

    def memory(self) -> Memory:
        if self.gigabytes_per_second is None:
            assert self.bytes_per_cycle is not None
            return Memory(self.bytes_per_cycle, self.latency)
        return Memory(self.gigabytes_per_second * 1e3 / self.clock_mhz, self.latency)


def load_profile(path: Path) -> Profile:
    """A profile as a file has it."""
    return profile_of(read_json(path, ProfileError), path)


def profile_of(values: object, where: object) -> Profile:
    """A profile from what a file holds.

    >>> values = {"name": "slow", "build": "zc706", "clock_mhz": 100, "gigabytes_per_second": 5, "latency": 30}
    >>> profile_of(values, "slow.json").memory
    Memory(bytes_per_cycle=50.0, latency=30)
    """
    file = ProfileFile.of(values, where)
    return Profile(file.name, file.build, file.clock_mhz, file.memory(), file.list_us, file.results, file.host_ms)


def adjusted(profile: Profile, clock_mhz: float | None = None, gigabytes_per_second: float | None = None) -> Profile:
    """The same core at another clock, or with another memory. A memory keeps its GB/s and nanoseconds at any clock.

    >>> slow = adjusted(PROFILES["zc706"], clock_mhz=100)
    >>> slow.name, slow.gigabytes_per_second, slow.memory
    ('zc706, 100 MHz', 10.0, Memory(bytes_per_cycle=100.0, latency=30))
    """
    clock = profile.clock_mhz if clock_mhz is None else _within("clock (MHz)", clock_mhz, CLOCK_MHZ)
    bandwidth = profile.gigabytes_per_second
    if gigabytes_per_second is not None:
        bandwidth = _within("bandwidth (GB/s)", gigabytes_per_second, GIGABYTES_PER_SECOND)
    name = profile.name
    if clock_mhz is not None:
        name += f", {clock:g} MHz"
    if gigabytes_per_second is not None:
        name += f", {bandwidth:g} GB/s"
    latency = round(profile.memory.latency * clock / profile.clock_mhz)
    memory = replace(profile.memory, bytes_per_cycle=bandwidth * 1e3 / clock, latency=latency)
    return replace(profile, name=name, clock_mhz=clock, memory=memory)


def _within(name: str, value: float, limits: tuple[float, float]) -> float:
    if not limits[0] <= value <= limits[1]:
        raise ProfileError(f"{name} = {value:g} is not in {limits[0]:g}..{limits[1]:,.9g}")
    return value
