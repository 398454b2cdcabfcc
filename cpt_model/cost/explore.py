"""The design space: builds of the core at clocks and bandwidths, what they need and how long a run takes on them.

Hours are of whole training steps where a network runs as such. What a build needs is counted without the vector unit
that they take: it is the same in every build.

A build either fits the part or is left out before it is timed, like one that the latency model is not of: there a
weight gradient takes three pixels of every lane at once, so a slice of K holds at least these, in threes. Clock and
bandwidth are the board's, not the design's: a Pareto front (hours against LUTs) belongs to one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from cpt_model.cost.accelerator import PROFILES, PassError, Profile
from cpt_model.cost.profile_file import adjusted
from cpt_model.cost.resources import Resources, ResourceTable, buildable, read_table
from cpt_model.cost.run import Run
from cpt_model.cost.workload import Cycles, Workload
from host.compiler.plan import PlanError
from sim.contract import BUILD_RANGES, CHANNEL_BLOCK, Build

BASE = PROFILES["zc706"]  # what is not swept is as there: memories, bus, the memory's latency
WORDS = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram36": "BRAM36"}
_least, _most, _, _step = BUILD_RANGES["lanes"]


@dataclass(frozen=True)
class Space:
    """The values to combine; each is legal by the contract, or refused when the builds are made."""

    lanes: Sequence[int] = tuple(range(_least, _most + 1, _step))
    columns: Sequence[int] = (BASE.build.columns,)
    slice_groups: Sequence[int] = (3, 6, 9, 12, 15, 18, 27, 36)
    lane_words: Sequence[int] = (BASE.build.lane_words,)
    clocks_mhz: Sequence[float] = (BASE.clock_mhz / 2, BASE.clock_mhz)
    bandwidths: Sequence[float] = tuple(PROFILES[name].gigabytes_per_second for name in ("zc706-ps", "zc706"))

    def builds(self) -> list[Build]:
        """Every combination of sizes.

        >>> [build.name for build in Space(lanes=(16, 48), slice_groups=(9,)).builds()]
        ['16x16x9', '48x16x9']
        """
        axes = (self.lanes, self.columns, self.slice_groups, self.lane_words)
        several = len(set(self.lane_words)) > 1
        return [
            replace(
                BASE.build,
                name=f"{lanes}x{columns}x{groups}" + (f" {words} words" if several else ""),
                lanes=lanes,
                columns=columns,
                slice_groups=groups,
                lane_words=words,
            )
            for lanes, columns, groups, words in product(*map(dict.fromkeys, axes))
        ]

    def boards(self, build: Build) -> Iterator[Profile]:
        """A build at every clock and bandwidth."""
        for clock, bandwidth in product(dict.fromkeys(self.clocks_mhz), dict.fromkeys(self.bandwidths)):
            board = adjusted(BASE, clock, bandwidth)
            yield replace(board, name=build.name, build=build)


@dataclass(frozen=True)
class Design:
    """A build on a board: what it needs, hours of the run, of its products alone and of the static run, share of the
    time by bottleneck.
    """

    profile: Profile
    resources: Resources
    hours: float
    products_hours: float
    static_hours: float
    shares_pct: dict[str, float]
    buildable: bool

    @property
    def place(self) -> tuple[float, float]:
        """Clock and bandwidth."""
        return self.profile.clock_mhz, self.profile.gigabytes_per_second

    @property
    def array(self) -> str:
        """Lanes, columns and bits of K."""
        build = self.profile.build
        return f"{build.lanes} x {build.columns} x {16 * build.slice_groups}"

    @property
    def saving_hours_pct(self) -> float:
        return 100 * (1 - self.hours / self.static_hours)


@dataclass
class Skipped:
    """Combinations left out for one reason: how many, and one of them in full."""

    example: str
    count: int = 0


@dataclass(frozen=True)
class Sweep:
    """What came of it; combinations that were left out are counted by reason, which the first of them details."""

    designs: list[Design]
    skipped: dict[str, Skipped]

    @property
    def best(self) -> Design:
        """The shortest run; of equal ones the smallest design."""
        return min(self.designs, key=lambda design: (design.hours, design.resources.lut))

    @property
    def best_buildable(self) -> Design | None:
        """Likewise, of those that the RTL elaborates to as it is."""
        known = [design for design in self.designs if design.buildable]
        return min(known, key=lambda design: (design.hours, design.resources.lut)) if known else None

    @property
    def fronts(self) -> dict[tuple[float, float], list[Design]]:
        """The Pareto front of each clock and bandwidth."""
        places = sorted({design.place for design in self.designs})
        return {place: pareto([design for design in self.designs if design.place == place]) for place in places}


def pareto(designs: Iterable[Design]) -> list[Design]:
    """Those that no smaller or equal design is as fast as, the smallest first."""
    front: list[Design] = []
    for design in sorted(designs, key=lambda design: (design.resources.lut, design.hours)):
        if not front or design.hours < front[-1].hours:
            front.append(design)
    return front


def sweep(
    work: Workload,
    run: Run,
    static: Run,
    part: Resources,
    space: Space,
    table: ResourceTable | None = None,
    shown: Callable[[list[Build]], Iterable[Build]] = iter,
) -> Sweep:
    """Times every build that fits the part.

    Args:
        work: an iteration of the network.
        run: what is timed.
        static: what its saving is against.
        part: what may be used.
        space: what is combined.
        table: of resources; by default the repository's.
        shown: passes the builds on, as a progress bar does.
    """
    table = table or read_table()
    designs: list[Design] = []
    skipped: dict[str, Skipped] = {}

    def skip(reason: str, example: str, number: int) -> None:
        skipped.setdefault(reason, Skipped(example)).count += number

    for build in shown(space.builds()):
        boards = list(space.boards(build))
        unknown = not_modelled(build)
        if unknown:
            skip("slices of K that the latency model is not of", f"{build.name}: {unknown}", len(boards))
            continue
        need = table.estimate(build)
        lacking = need.exceeded(part)
        if lacking:
            names = " and ".join(WORDS[name] for name in lacking)
            needs = ", ".join(f"{getattr(need, name):,.0f} {WORDS[name]}" for name in lacking)
            skip(f"too many {names}", f"{build.name} needs {needs}", len(boards))
            continue
        try:
            designs += [_design(work, board, need, run, static) for board in boards]
        except PassError as problem:
            skip(f"cannot run {problem.what}", str(problem), len(boards))
        except PlanError as problem:  # of a whole step
            skip(f"cannot run the {str(problem).partition(':')[0]}", str(problem), len(boards))
    return Sweep(designs, skipped)


def not_modelled(build: Build) -> str:
    """Why the latency model is not of a build, if it is not.

    >>> not_modelled(Build.named("zc706"))
    ''
    """
    least = 3 * build.lanes // CHANNEL_BLOCK
    if build.slice_groups >= least and build.slice_groups % 3 == 0:
        return ""
    return f"{build.lanes} lanes need at least {least} groups of K, a multiple of 3"


def _design(work: Workload, board: Profile, need: Resources, run: Run, static: Run) -> Design:
    taken, of_static = (run_cycles(work, each, board) for each in (run, static))
    shares = {stream: 100 * cycles / taken.total for stream, cycles in taken.ruled.items()}
    an_hour = board.clock_mhz * 3600e6
    hours = (taken.total / an_hour, taken.products / an_hour, of_static.total / an_hour)
    return Design(board, need, *hours, shares, buildable(board.build))


def run_cycles(work: Workload, run: Run, board: Profile) -> Cycles:
    """Cycles of a whole run."""
    total = Cycles.of(())
    for bits, iterations in run.widths().items():
        total = total.plus(iterations, work.cycles(bits, board))
    return total
