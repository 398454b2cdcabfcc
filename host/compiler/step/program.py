"""A network's whole iteration: one plan of the region, and from it the lists of any bits up to the widest.

>>> from host.compiler.step.networks import named
>>> program = StepProgram(named("digits_resnet_8"), batch=8, build=Build.named("tiny"))
>>> program.bytes
1072704
>>> lists = program.training(Bits(3, 8))
>>> len(lists.forward.commands), len(lists.backward.commands)
(45, 57)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.layer import LayerError, Pass
from host.compiler.plan import Plan, PlanError
from host.compiler.step.backward import backward_list, error_tally, head_blocks, named_backward
from host.compiler.step.forward import forward_list, named_forward, statistics
from host.compiler.step.head import ERROR_BITS
from host.compiler.step.network import Network, Unit
from host.compiler.step.places import Places
from host.compiler.step.space import Space, Span, spans_of
from host.compiler.step.vector import Named
from host.compiler.step.widths import USUAL, Seen, Widths, check_step_bits
from sim.contract import COMMAND_BYTES, MAX_COUNT, BlockPlace, Build, Error, Opcode, Tensor, check_command

WIDEST = Bits(8, 8)
EVALUATION = "evaluation "


@dataclass(frozen=True)
class TrainingLists:
    """What runs before and behind the head, and where its tensors are."""

    forward: CommandList
    backward: CommandList
    places: Places
    banks: dict[int, TrainingLists] = field(default_factory=dict)  # that read another bank of images

    def on(self, bank: int) -> TrainingLists:
        if bank == 0:
            return self
        if bank not in self.banks:
            first, other = self.places.images(), self.places.images(bank)
            span = first.address, first.end, other.address
            self.banks[bank] = TrainingLists(self.forward.moved(*span), self.backward.moved(*span), self.places)
        return self.banks[bank]


@dataclass(frozen=True)
class EvaluationList:
    forward: CommandList
    places: Places


class StepProgram:
    """The plan and its lists.

    Args:
        network: what to train.
        batch: images of an iteration.
        build: the build of the core that will run it.
        widest: the greatest bits of any iteration; narrower ones fit into the same plan.
        evaluation_batch: images of an evaluation list; those of an iteration by default.
        limit: bytes of memory there are; a plan that needs more is refused.
        widths: what of the design an experiment may choose.
    """

    def __init__(
        self,
        network: Network,
        batch: int,
        build: Build,
        widest: Bits = WIDEST,
        evaluation_batch: int | None = None,
        limit: int | None = None,
        widths: Widths = USUAL,
    ) -> None:
        check_step_bits(widest)
        _check_counts(network, batch)
        self.chosen = widths
        self.network, self.batch, self.build, self.widest = network, batch, build, widest
        self.evaluation_batch = batch if evaluation_batch is None else evaluation_batch
        self.plan = Plan()
        space = Space()
        places = Places(space, network, batch, widest, _start, widths=widths)
        forward, backward = forward_list(places, build), backward_list(places, build)
        self._lists = {
            "forward": self.plan.add("forward list", COMMAND_BYTES * len(forward)),
            "backward": self.plan.add("backward list", COMMAND_BYTES * len(backward)),
            "evaluation": self.plan.add("evaluation list", COMMAND_BYTES * len(forward)),
        }
        errors = [tally for _, which, tally in seen_tallies(places) if which is Pass.INPUT_ERROR]
        moments = [
            _host(places.images(), places.images(1), *errors),  # errors' tallies are read while the next list runs
            *map(spans_of, forward),
            _host(places.pooled(), places.head_error(ERROR_BITS), *head_blocks(places)),
            *map(spans_of, backward),
            _host(*(tally for _, _, tally in seen_tallies(places))),
        ]
        self._space = space.settle(moments, self.plan, {})
        self._evaluation = self._evaluation_space()
        most = max(self._space.end, self._evaluation.end)
        self.plan.add("shared by all that passes", most - self.plan.bytes)
        if limit is not None and self.bytes > limit:
            raise PlanError(
                f"network '{network.name}', batch {batch}, {widest} bits needs {self.bytes:,} bytes in one piece, "
                f"{limit:,} are available: {self.bytes - limit:,} too few"
            )
        lists = self.training(widest)
        for each in (lists.forward, lists.backward, self.evaluation(widest).forward):
            self._check(each)

    @property
    def bytes(self) -> int:
        """Of the region."""
        return self.plan.bytes

    def training(self, bits: Bits, seen: Seen | None = None) -> TrainingLists:
        """The lists of an iteration, results as narrow as what was seen allows."""
        self._require(bits)
        places = self._places(bits, seen or Seen())
        return TrainingLists(
            self._list("forward", named_forward(places, self.build)),
            self._list("backward", named_backward(places, self.build)),
            places,
        )

    def widths(self, bits: Bits, seen: Seen) -> tuple[int, ...]:
        """Those of all results; other ones take other lists."""
        places = self._places(bits, seen)
        back = (places.e_bits(unit) for unit in self.network.units if not places.reads_images(unit))
        return (*map(places.y_bits, self.network.units), *back)

    def evaluation(self, bits: Bits, batch: int | None = None) -> EvaluationList:
        """The list that takes images to the sums of the last map by running statistics; for fewer images on request."""
        self._require(bits)
        images = self.evaluation_batch if batch is None else batch
        if not 1 <= images <= self.evaluation_batch:
            raise LayerError(f"{images} images: an evaluation list was planned for 1..{self.evaluation_batch}")
        places = Places(self._evaluation, self.network, images, bits, _start, EVALUATION, self.chosen)
        return EvaluationList(self._list("evaluation", named_forward(places, self.build, evaluate=True)), places)

    def _places(self, bits: Bits, seen: Seen) -> Places:
        def width(unit: str, which: Pass, start: int) -> int:
            return seen.bits(unit, which, bits, start)

        return Places(self._space, self.network, self.batch, bits, width, widths=self.chosen)

    def _evaluation_space(self) -> Space:
        """Evaluation runs between iterations: what passes in one may lie where it does in the other."""
        space = Space()
        places = Places(space, self.network, self.evaluation_batch, self.widest, _start, EVALUATION, self.chosen)
        forward = forward_list(places, self.build, evaluate=True)
        records = [record(block) for block in self.network.blocks for record in (places.node_step, places.node_tally)]
        moments = [_host(places.images(), *records), *map(spans_of, forward), _host(places.pooled(), *records)]
        kept = {name: address for name, address in self._space.addresses.items() if name in self._space.kept}
        return space.settle(moments, self.plan, kept)

    def _list(self, name: str, commands: Iterable[Named]) -> CommandList:
        layers, encoded = zip(*commands, strict=True)
        return CommandList(encoded, self._lists[name], layers)

    def _require(self, bits: Bits) -> None:
        check_step_bits(bits)
        if bits.forward > self.widest.forward or bits.backward > self.widest.backward:
            raise LayerError(f"{bits} bits: the plan was made for at most {self.widest}")

    def _check(self, commands: CommandList) -> None:
        """What an executor would refuse is refused here."""
        where = (commands.offset, commands.offset + commands.bytes)
        for number, command in enumerate(commands.commands):
            error = check_command(command.encode(), self.build, self.bytes, where)
            if error is not Error.OK:
                name = Opcode(command.opcode).name
                raise LayerError(
                    f"network '{self.network.name}': command {number}, {name}, would be refused with {error.name}:"
                    f" {command}"
                )


def seen_tallies(places: Places) -> Iterable[tuple[Unit, Pass, BlockPlace]]:
    """The tallies that say how wide the results of an iteration were."""
    for unit in places.network.units:
        yield unit, Pass.FORWARD, statistics(places, unit)
        if not places.reads_images(unit):
            yield unit, Pass.INPUT_ERROR, error_tally(places, unit)


def _check_counts(network: Network, batch: int) -> None:
    """Results a channel: statistics of one say nothing, sums of more than the contract's bound do not fit."""
    if batch < 1:
        raise LayerError(f"batch = {batch}: an iteration needs at least one image")
    for unit in network.units:
        _, height, width = unit.makes
        count, pixels = batch * height * width, height * width
        if count < 2:
            raise LayerError(
                f"'{unit.name}': {count} result a channel with batch {batch}: batch normalisation needs at least 2"
            )
        if count > MAX_COUNT:
            raise LayerError(
                f"'{unit.name}': {count:,} results a channel with batch {batch}: at most {MAX_COUNT:,} fit,"
                f" of batch {MAX_COUNT // pixels}"
            )


def _start(unit: str, which: Pass, start: int) -> int:
    return start


def _host(*places: Tensor | BlockPlace) -> list[Span]:
    return [(place.address, place.end) for place in places]
