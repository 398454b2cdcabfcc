"""A build of the accelerator: how many lanes and columns it has and how deep its memories are."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sim.contract.constants import CONFIG_RANGES, CONFIGS


@dataclass(frozen=True)
class Config:
    """Parameters of a build; a value outside its legal range is refused by name.

    >>> Config.named("zc706").lanes
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
        for parameter, (least, most, divides, multiple) in CONFIG_RANGES.items():
            value = getattr(self, parameter)
            if not least <= value <= most:
                raise ValueError(f"config {self.name}: {parameter} = {value} is not in {least}..{most}")
            if divides and divides % value:
                raise ValueError(f"config {self.name}: {parameter} = {value} does not divide {divides}")
            if value % multiple:
                raise ValueError(f"config {self.name}: {parameter} = {value} is not a multiple of {multiple}")

    @classmethod
    def named(cls, name: str) -> Config:
        if name not in CONFIGS:
            raise ValueError(f"unknown configuration '{name}'; there are: {', '.join(CONFIGS)}")
        return cls(name=name, **CONFIGS[name])

    def parameters(self) -> dict[str, int]:
        """The parameters alone, as the capability registers show them."""
        return {key: value for key, value in asdict(self).items() if key != "name"}
