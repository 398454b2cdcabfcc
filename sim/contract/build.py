"""A build of the accelerator: how many lanes and columns it has and how deep its memories are."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sim.common.numbers import integer
from sim.contract.constants import BUILD_RANGES, BUILDS


@dataclass(frozen=True)
class Build:
    """Parameters of a build; a value outside its legal range is refused by name.

    >>> Build.named("zc706").lanes
    48
    """

    name: str
    lanes: int
    columns: int
    slice_groups: int
    lane_words: int
    column_words: int
    row_words: int
    bus_bytes: int

    def __post_init__(self) -> None:
        for parameter, (least, most, divides, multiple) in BUILD_RANGES.items():
            value = integer(f"build {self.name}: {parameter}", getattr(self, parameter))
            object.__setattr__(self, parameter, value)
            if not least <= value <= most:
                raise ValueError(f"build {self.name}: {parameter} = {value} is not in {least}..{most}")
            if divides and divides % value:
                raise ValueError(f"build {self.name}: {parameter} = {value} does not divide {divides}")
            if value % multiple:
                raise ValueError(f"build {self.name}: {parameter} = {value} is not a multiple of {multiple}")

    @classmethod
    def named(cls, name: str) -> Build:
        if name not in BUILDS:
            raise ValueError(f"unknown build '{name}'; there are: {', '.join(BUILDS)}")
        return cls(name=name, **BUILDS[name])

    def parameters(self) -> dict[str, int]:
        """The parameters alone, as the capability registers show them."""
        return {key: value for key, value in asdict(self).items() if key != "name"}
