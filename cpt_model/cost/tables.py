"""The papers' cost columns, computed again and compared with what is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from cpt_model.cost import paper_values as paper
from cpt_model.cost.accelerator import PROFILES, Profile
from cpt_model.cost.bit_operations import AS_PAPERS, gbitops, schedule_saving_pct
from cpt_model.cost.linear_board import paper_board, width_sum
from cpt_model.cost.profile_file import adjusted
from cpt_model.cost.run import PRECISION, Run
from cpt_model.cost.trace import count_network
from cpt_model.cost.whole_step import CREDIBLE_MHZ, step_hours
from cpt_model.schedules import named

BIT_OPERATIONS, BIT_SAVING = "GBitOPs", "GBitOPs saving (%)"
LATENCY, LATENCY_SAVING = "latency (hour)", "latency saving (%)"
DESIGNED = PROFILES["zc706"]
OURS = (adjusted(DESIGNED, CREDIBLE_MHZ), DESIGNED)
ESTIMATE = (
    f"ours is an estimate: whole training steps by the latency model, at {DESIGNED.gigabytes_per_second:g} GB/s,"
    " without the host's own share; the paper's is its board, and it does not say of which work"
)
SCALED = "scaled to the 8/8 row: the paper counts about one iteration, of words it does not say"


@dataclass(frozen=True)
class Row:
    """One number of a paper and ours; the deviation is in per cent of the paper's, for savings in points."""

    table: str
    row: str
    column: str
    paper: float
    ours: float
    deviation_pct: float
    note: str = ""


def static_of(precision: str) -> str:
    """The static precision a CPT run is compared with.

    >>> static_of("3-8/8")
    '8/8'
    """
    match = PRECISION.fullmatch(precision)
    assert match
    return f"{match[2] or match[1]}/{match[3]}"


def table_2() -> Iterator[Row]:
    """ResNet-74, ResNet-164 and MobileNetV2 on CIFAR: bit operations, and hours on the paper's board."""
    for network, precision, operations, hours, _ in paper.TABLE_2:
        count, run = count_network(paper.NETWORKS[network]), Run.named(precision)
        yield _value("Table 2", f"{network} {precision}", BIT_OPERATIONS, operations, gbitops(count, run, AS_PAPERS))
        yield _value("Table 2", f"{network} {precision}", LATENCY, hours, paper_board().hours(count, run))
    for network, precision, of_operations, of_hours in paper.TABLE_2_SAVINGS:
        run, static = Run.named(precision), Run.named(static_of(precision))
        yield _saving("Table 2", f"{network} {precision}", BIT_SAVING, of_operations, schedule_saving_pct(run, static))
        faster = 100 * (1 - width_sum(run) / width_sum(static))
        yield _saving("Table 2", f"{network} {precision}", LATENCY_SAVING, of_hours, faster)


def table_3() -> Iterator[Row]:
    """ResNet-18, -34 and -50 on ImageNet: bit operations of as many samples as on CIFAR."""
    for network, precision, operations, _ in paper.TABLE_3:
        ours = gbitops(count_network(paper.NETWORKS[network]), Run.named(precision), AS_PAPERS)
        yield _value("Table 3", f"{network} {precision}", BIT_OPERATIONS, operations, ours)
    yield from _savings("Table 3", paper.TABLE_3_SAVINGS)


def table_5() -> Iterator[Row]:
    """Language models: what each precision costs in relation to 8/8."""
    for network, at_8_8, others in paper.TABLE_5:
        for precision, operations in others:
            ours = at_8_8 * (1 - schedule_saving_pct(Run.named(precision), Run.named("8/8")) / 100)
            yield _value("Table 5", f"{network} {precision}", BIT_OPERATIONS, operations, ours, SCALED)
    yield from _savings("Table 5", paper.TABLE_5_SAVINGS)


def figure_5() -> Iterator[Row]:
    """CPT against static precision on CIFAR-100."""
    return _savings("Figure 5", (("all ResNets", *values) for values in paper.FIGURE_5))


def better_schedules() -> Iterator[Row]:
    """The ten schedules at FW(3,8)/BW8 in 8 cycles."""
    for name, saving, group in paper.BETTER_SCHEDULES:
        ours = schedule_saving_pct(Run(named(name, 3, 8, cycles=8), 8), Run.named("8/8"))
        note = f"group {group}; the printed value is from our notes on the paper"
        yield _saving("Better Schedules", name, BIT_SAVING, saving, ours, note)


def our_board() -> Iterator[Row]:
    """Table 2's runs on our accelerator: whole training steps, by the latency model."""

    def hours_of(network: str, precision: str, profile: Profile = OURS[0]) -> float:
        return sum(step_hours(paper.NETWORKS[network], Run.named(precision), profile).values())

    for network, precision, _, hours, _ in paper.TABLE_2:
        for profile in OURS:
            ours, column = hours_of(network, precision, profile), f"hours at {profile.clock_mhz:g} MHz"
            yield _value("Table 2 on our zc706", f"{network} {precision}", column, hours, ours, ESTIMATE)
    for network, precision, _, of_hours in paper.TABLE_2_SAVINGS:
        faster = 100 * (1 - hours_of(network, precision) / hours_of(network, static_of(precision)))
        yield _saving("Table 2 on our zc706", f"{network} {precision}", LATENCY_SAVING, of_hours, faster, ESTIMATE)


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "2": table_2,
    "3": table_3,
    "5": table_5,
    "figure5": figure_5,
    "schedules": better_schedules,
    "zc706": our_board,
}


def _savings(table: str, printed: Iterable[tuple[str, str, float]]) -> Iterator[Row]:
    for network, precision, saving in printed:
        ours = schedule_saving_pct(Run.named(precision), Run.named(static_of(precision)))
        yield _saving(table, f"{network} {precision}", BIT_SAVING, saving, ours)


def _value(table: str, row: str, column: str, printed: float, ours: float, note: str = "") -> Row:
    note = paper.NOTES.get((table, row, column), note)
    return Row(table, row, column, printed, ours, 100 * (ours / printed - 1), note)


def _saving(table: str, row: str, column: str, printed: float, ours: float, note: str = "") -> Row:
    note = paper.NOTES.get((table, row, column), note)
    return Row(table, row, column, printed, ours, ours - printed, note)
