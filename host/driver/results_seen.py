"""What the host looks at after a list: the greatest magnitudes of its results, which decide on later lists' widths."""

from __future__ import annotations

from host.compiler.bits import Bits
from host.compiler.layer import Conv, Pass
from host.compiler.step.program import TrainingLists, seen_tallies
from host.compiler.step.widths import Seen
from host.driver.machine import Machine
from host.driver.tally_reader import TallyReader


class Results:
    """Of the lists that a machine has run; what is found goes into `seen`."""

    def __init__(self, machine: Machine, seen: Seen) -> None:
        self._machine, self._seen = machine, seen
        self._readers: dict[tuple[Bits, Pass], tuple[TrainingLists, list[str], TallyReader]] = {}

    def see(self, lists: TrainingLists, which: Pass, bits: Bits) -> None:
        """The results of these passes."""
        known = self._readers.get((bits, which))
        if known is None or known[0] is not lists:
            found = [(unit, tally) for unit, kind, tally in seen_tallies(lists.places) if kind is which]
            sizes = [(tally, channels(unit.layer, which)) for unit, tally in found]
            known = lists, [unit.name for unit, _ in found], TallyReader(sizes)
            self._readers[bits, which] = known
        _, units, reader = known
        for place in reader.places:
            self._machine.reads(place.address, place.end)
        for unit, greatest in zip(units, reader.greatest(self._machine.memory), strict=True):
            self._seen.add(unit, which, bits, greatest)


def channels(layer: Conv, which: Pass) -> int:
    """How many channels a pass's results have."""
    return layer.out_channels if which is Pass.FORWARD else layer.in_channels
