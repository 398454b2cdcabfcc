"""Training in whole iterations: two lists an iteration, and the head between them on the host.

>>> from host.compiler.step.networks import named
>>> from sim.contract import Build
>>> from sim.reference import Reference
>>> network = named("digits_resnet_8")
>>> step = IntegerStep(network, 4, Reference(Build.named("tiny")), random_parameters(network, seed=0))
>>> images, labels = np.zeros((4, 1, 8, 8)), np.array([1, 2, 3, 4])
>>> round(step.train(images, labels, Bits(4, 8), lr=0.1), 1) > 1
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.layer import Pass
from host.compiler.step.fixed import scalar_of
from host.compiler.step.head import Classifier, Loss
from host.compiler.step.images import IMAGE_RANGE, image_codes, image_step
from host.compiler.step.initial import random_parameters
from host.compiler.step.network import Network
from host.compiler.step.places import Places
from host.compiler.step.program import WIDEST, EvaluationList, StepProgram, TrainingLists
from host.compiler.step.rates import Rates
from host.compiler.step.widths import USUAL, Seen, Widths
from host.driver.list_times import ListTimes
from host.driver.machine import Machine, MachineMaker, Work, machine
from host.driver.results_seen import Results
from host.driver.step_head import StepHead
from host.driver.step_state import load_state, read_state, write_parameters
from sim.contract import BlockPlace, Executor, Tensor

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator

__all__ = ["IntegerStep", "random_parameters"]
Array = npt.NDArray
Arrays = Mapping[str, npt.NDArray]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Images of an iteration, packed."""

    packed: Any


@dataclass(frozen=True)
class Compiled:
    """Lists of some bits, the widths they store, and what was seen by then."""

    widths: tuple[int, ...]
    changes: int
    lists: TrainingLists


class IntegerStep:
    """A network in training on an executor or an opened device.

    Args:
        network: what to train.
        batch: images of an iteration.
        device: an executor of the contract, or an opened device.
        parameters: floats by PyTorch's names: weights, γ, β, running statistics, and the classifier's.
        widest: the greatest bits of any iteration.
        evaluation_batch: images of an evaluation at once; those of an iteration by default.
        seed: of stochastic rounding.
        momentum: of SGD.
        weight_decay: of SGD, for all parameters.
        image_range: what the greatest code of an image stands for.
        limit: bytes of memory there are.
        widths: what of the design an experiment may choose.
    """

    def __init__(
        self,
        network: Network,
        batch: int,
        device: Accelerator | Executor | MachineMaker,
        parameters: Arrays,
        *,
        widest: Bits = WIDEST,
        evaluation_batch: int | None = None,
        seed: int = 0,
        momentum: float = 0.9,
        weight_decay: float = 1e-4,
        image_range: float = IMAGE_RANGE,
        limit: int | None = None,
        widths: Widths = USUAL,
    ) -> None:
        self.program = StepProgram(network, batch, device.build, widest, evaluation_batch, limit, widths)
        self.network, self.batch = network, batch
        self.seed, self.momentum, self.weight_decay, self.image_range = seed, momentum, weight_decay, image_range
        self.iteration = 0
        self.seen = Seen()
        self.machine: Machine = machine(device, self.program.plan)
        self.places = self.program.training(widest).places  # for all that does not depend on bits
        self._banks = self.places.images(), self.places.images(1)
        self._step = self.places.step()
        self.head: Classifier  # written with the parameters
        write_parameters(self, parameters)
        self._write_constants()
        self._training: dict[Bits, Compiled] = {}
        self._results = Results(self.machine, self.seen)
        self._evaluation: dict[tuple[Bits, int], EvaluationList] = {}
        self._loaded: dict[int, CommandList] = {}
        self._unseen: tuple[TrainingLists, Bits] | None = None  # whose backward tallies have not been read yet
        self._head = StepHead(self.places, self.machine)
        self._bank = 0  # of images
        self._uploaded: Prepared | None = None  # in the other bank
        self.last: Loss | None = None
        self.device_seconds = 0.0  # in which lists ran
        self.hidden_seconds = 0.0  # of the host's work meanwhile

    def prepared(self, images: Array) -> Prepared:
        """Images of an iteration as the device reads them; this may be done while a list runs."""
        if len(images) != self.batch:
            raise ValueError(f"{len(images)} images: an iteration was planned for {self.batch}")
        return Prepared(self._packed(self.places, images))

    def upload(self, images: Prepared) -> None:
        """Images of the next iteration, to where no list of this one looks: to be called while lists run."""
        self.machine.write_packed(self._banks[1 - self._bank], images.packed)
        self._uploaded = images

    def train(
        self,
        images: Array | Prepared,
        labels: Array,
        bits: Bits,
        lr: float,
        times: ListTimes | None = None,
        meanwhile: Callable[[Loss], object] = bool,
    ) -> float:
        """One iteration; the mean loss of its images before the update.

        Args:
            images: of the iteration; those that `upload` has taken already are not copied once more.
            labels: their classes.
            bits: of the iteration.
            lr: the learning rate.
            times: takes the seconds of its commands, which then run in parts.
            meanwhile: called with the loss while the backward list runs.
        """
        ready = images if isinstance(images, Prepared) else self.prepared(images)
        numbers = checked_labels(labels, self.network, self.batch)
        rates = Rates.of(lr, self.momentum, self.weight_decay, self.seed, self.iteration)
        rates.write(self._step, self.machine.memory)
        self.wrote(self._step)
        if ready is not self._uploaded:
            self.upload(ready)
        self._bank, self._uploaded = 1 - self._bank, None

        def behind_forward() -> None:
            self._look()  # what was seen of the last backward list decides on this one
            self._load(self.lists(bits).on(self._bank).backward)

        def behind_backward() -> None:
            pooled, self.last, differences = done()
            self.head.update(pooled, differences, rates)
            self._head.ready(self.head)
            self._results.see(lists, Pass.FORWARD, bits)
            self._load(self.lists(bits).on(1 - self._bank).forward)  # most often the next iteration has these bits
            meanwhile(self.last)

        self._run(self.lists(bits).on(self._bank).forward, f"forward list at {bits} bits", times, behind_forward)
        lists = self.lists(bits)
        done = self._head.errors(self.head, numbers)
        self._run(lists.on(self._bank).backward, f"backward list at {bits} bits", times, behind_backward)
        self._unseen = lists, bits
        self.iteration += 1
        assert self.last is not None
        return self.last.loss

    def evaluate(self, images: Array, bits: Bits) -> npt.NDArray[np.float64]:
        """Logits by running statistics; nothing of training changes."""
        self._look()
        most = self.program.evaluation_batch
        parts = [images[first : first + most] for first in range(0, max(1, len(images)), most)]
        return np.concatenate([self._evaluate(part, bits) for part in parts])

    def lists(self, bits: Bits) -> TrainingLists:
        """Those of the next iteration at these bits."""
        known = self._training.get(bits)
        if known is None or known.changes != self.seen.changes:
            widths = self.program.widths(bits, self.seen)
            lists = known.lists if known and known.widths == widths else self.program.training(bits, self.seen)
            self._training[bits] = known = Compiled(widths, self.seen.changes, lists)
        return known.lists

    def state(self) -> dict[str, Array]:
        """All that the next iteration depends on, in integers: weights, velocities, statistics, ranges, widths."""
        self._look()
        return read_state(self)

    def load(self, state: Arrays) -> None:
        """Goes on from a state as if it had never been left."""
        self._unseen = None
        load_state(self, state)

    def close(self) -> None:
        """Gives a device's memory back."""
        self.machine.close()

    def wrote(self, place: Tensor | BlockPlace) -> None:
        self.machine.wrote(place.address, place.end)

    def reads(self, place: Tensor | BlockPlace) -> None:
        self.machine.reads(place.address, place.end)

    def _evaluate(self, images: Array, bits: Bits) -> npt.NDArray[np.float64]:
        key = (bits, len(images))
        if key not in self._evaluation:
            self._evaluation[key] = self.program.evaluation(bits, len(images))
        compiled = self._evaluation[key]
        memory = self.machine.memory
        for block in self.network.blocks:
            for record in (Places.node_step, Places.node_tally):
                ours, theirs = record(self.places, block), record(compiled.places, block)
                self.reads(ours)
                memory[theirs.address : theirs.end] = memory[ours.address : ours.end]
                self.wrote(theirs)
        self.machine.write_packed(compiled.places.images(), self._packed(compiled.places, images))
        self._run(compiled.forward, f"evaluation list at {bits} bits")
        return self.head.logits(self._head.pooled(compiled.places))

    def _run(
        self, commands: CommandList, what: str, times: ListTimes | None = None, meanwhile: Work | None = None
    ) -> None:
        self._load(commands)

        def timed() -> None:
            begin = time.perf_counter()
            if meanwhile is not None:
                meanwhile()
            self.hidden_seconds += time.perf_counter() - begin

        began = time.perf_counter()
        if times is None:
            self.machine.run(commands, what, timed)
        else:
            times.run(self.machine, commands, what)
            timed()
        self.device_seconds += time.perf_counter() - began

    def _load(self, commands: CommandList) -> None:
        if self._loaded.get(commands.offset) is not commands:
            commands.write(self.machine.memory)
            self.machine.wrote(commands.offset, commands.offset + commands.bytes)
            self._loaded[commands.offset] = commands

    def _look(self) -> None:
        """At the results of the last backward list: they stay until the next."""
        if self._unseen is not None:
            (lists, bits), self._unseen = self._unseen, None
            self._results.see(lists, Pass.INPUT_ERROR, bits)

    def _write_constants(self) -> None:
        step = self.places.source(self.network.blocks[0].chain[0]).step
        header, _ = step.begin(self.machine.memory)
        header["step"][0] = scalar_of(image_step(self.image_range))
        ones = self.places.ones()
        height, width = self.network.last_map[1:]
        each_to_itself = np.broadcast_to(np.eye(16, dtype=np.int32)[:, :, None, None], (16, 16, height, width))
        self.machine.write_packed(ones, self.machine.pack(ones, each_to_itself, signed=False))
        self.wrote(step)

    def _packed(self, places: Places, images: Array) -> Any:
        shape = (len(images), *self.network.image)
        if images.shape != shape:
            raise ValueError(f"images have shape {images.shape}, '{self.network.name}' takes {shape}")
        return self.machine.pack(places.images(), image_codes(images, self.image_range), signed=True)


def checked_labels(labels: Array, network: Network, batch: int) -> npt.NDArray[np.int64]:
    found, classes = np.asarray(labels), network.head.classes
    if found.dtype.kind in "iu" and found.shape == (batch,):
        numbers = found.astype(np.int64)
        if numbers.view(np.uint64).max() < classes:  # which no negative number is
            return numbers
    raise ValueError(f"labels must be {batch} whole numbers in 0..{classes - 1}")
