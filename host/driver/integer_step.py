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

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.layer import Conv, Pass
from host.compiler.step.backward import head_blocks
from host.compiler.step.fixed import scalar_of
from host.compiler.step.head import ERROR_BITS, Classifier, Loss, Pooled
from host.compiler.step.images import IMAGE_RANGE, image_codes, image_step
from host.compiler.step.initial import random_parameters
from host.compiler.step.network import Network
from host.compiler.step.places import Places
from host.compiler.step.program import WIDEST, EvaluationList, StepProgram, TrainingLists, seen_tallies
from host.compiler.step.rates import Rates
from host.compiler.step.widths import USUAL, Seen, Widths
from host.driver.machine import Machine, MachineMaker, machine
from host.driver.step_state import load_state, read_state, write_parameters
from sim.contract import BlockPlace, Executor, Tensor, unpack_words

if TYPE_CHECKING:
    from host.driver.accelerator import Accelerator

__all__ = ["IntegerStep", "random_parameters"]
Array = npt.NDArray
Arrays = Mapping[str, npt.NDArray]


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
        self._layers = {unit.name: unit.layer for unit in network.units}
        self.seen = Seen()
        self.machine: Machine = machine(device, self.program.plan)
        self.places = self.program.training(widest).places  # for all that does not depend on bits
        self.head = Classifier.of(parameters[f"{network.head.name}.weight"], parameters[f"{network.head.name}.bias"])
        write_parameters(self, parameters)
        self._write_constants()
        self._training: dict[Bits, tuple[tuple[int, ...], TrainingLists]] = {}
        self._evaluation: dict[tuple[Bits, int], EvaluationList] = {}
        self._loaded: dict[int, CommandList] = {}
        self.last: Loss | None = None

    def train(self, images: Array, labels: Array, bits: Bits, lr: float) -> float:
        """One iteration; the mean loss of its images before the update."""
        if len(images) != self.batch:
            raise ValueError(f"{len(images)} images: an iteration was planned for {self.batch}")
        lists = self.lists(bits)
        places = lists.places
        rates = Rates.of(lr, self.momentum, self.weight_decay, self.seed, self.iteration)
        rates.write(places.step(), self.machine.memory)
        self.wrote(places.step())
        self._write_images(places, images)
        self._run(lists.forward, f"forward list at {bits} bits")
        self.last = self.head.step(self._pooled(places), checked_labels(labels, self.network, self.batch), rates)
        self._write_head_error(places, self.last)
        self._run(lists.backward, f"backward list at {bits} bits")
        for unit, which, tally in seen_tallies(places):
            self.seen.add(unit, which, bits, self._greatest(tally, which_channels(self._layers[unit], which)))
        self.iteration += 1
        return self.last.loss

    def evaluate(self, images: Array, bits: Bits) -> npt.NDArray[np.float64]:
        """Logits by running statistics; nothing of training changes."""
        most = self.program.evaluation_batch
        parts = [images[first : first + most] for first in range(0, len(images), most)]
        return np.concatenate([self._evaluate(part, bits) for part in parts])

    def lists(self, bits: Bits) -> TrainingLists:
        """Those of the next iteration at these bits."""
        widths = self.program.widths(bits, self.seen)
        if bits not in self._training or self._training[bits][0] != widths:
            self._training[bits] = (widths, self.program.training(bits, self.seen))
        return self._training[bits][1]

    def state(self) -> dict[str, Array]:
        """All that the next iteration depends on, in integers: weights, velocities, statistics, ranges, widths."""
        return read_state(self)

    def load(self, state: Arrays) -> None:
        """Goes on from a state as if it had never been left."""
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
        self._write_images(compiled.places, images)
        self._run(compiled.forward, f"evaluation list at {bits} bits")
        return self.head.logits(self._pooled(compiled.places))

    def _run(self, commands: CommandList, what: str) -> None:
        if self._loaded.get(commands.offset) is not commands:
            commands.write(self.machine.memory)
            self.machine.wrote(commands.offset, commands.offset + commands.bytes)
            self._loaded[commands.offset] = commands
        self.machine.run(commands, what)

    def _write_constants(self) -> None:
        step = self.places.source(self.network.blocks[0].chain[0]).step
        header, _ = step.begin(self.machine.memory)
        header["step"][0] = scalar_of(image_step(self.image_range))
        ones = self.places.ones()
        height, width = self.network.last_map[1:]
        each_to_itself = np.broadcast_to(np.eye(16, dtype=np.int32)[:, :, None, None], (16, 16, height, width))
        self.machine.write_codes(ones, each_to_itself, signed=False)
        self.wrote(step)

    def _write_images(self, places: Places, images: Array) -> None:
        shape = (len(images), *self.network.image)
        if images.shape != shape:
            raise ValueError(f"images have shape {images.shape}, '{self.network.name}' takes {shape}")
        self.machine.write_codes(places.images(), image_codes(images, self.image_range), signed=True)

    def _pooled(self, places: Places) -> Pooled:
        sums, step = places.pooled(), places.node_step(self.network.blocks[-1])
        self.reads(sums)
        self.reads(step)
        channels, height, width = self.network.last_map
        fraction = int(step.header(self.machine.memory)["fraction"][0])
        values = unpack_words(sums.read(self.machine.memory), channels)[:, :, 0, 0]
        return Pooled(values, fraction, height * width)

    def _write_head_error(self, places: Places, loss: Loss) -> None:
        memory = self.machine.memory
        self.machine.write_codes(places.head_error(ERROR_BITS), loss.error[:, :, None, None], signed=True)
        step, tally = head_blocks(places)
        step.begin(memory)[0]["fraction"] = loss.fraction
        header, records = tally.begin(memory)
        _, height, width = self.network.last_map
        header["count"] = self.batch * height * width
        records["least"][: loss.error.shape[1]] = loss.error.min(axis=0)
        records["most"][: loss.error.shape[1]] = loss.error.max(axis=0)
        for place in (step, tally):
            self.wrote(place)

    def _greatest(self, tally: BlockPlace, channels: int) -> int:
        self.reads(tally)
        records = tally.records(self.machine.memory)[:channels]
        return int(max(np.abs(records[name].astype(np.int64)).max() for name in ("least", "most")))


def which_channels(layer: Conv, which: Pass) -> int:
    """How many channels a pass's results have."""
    return layer.out_channels if which is Pass.FORWARD else layer.in_channels


def checked_labels(labels: Array, network: Network, batch: int) -> npt.NDArray[np.int64]:
    found = np.asarray(labels).astype(np.int64)
    classes = network.head.classes
    if found.shape != (batch,) or found.min() < 0 or found.max() >= classes:
        raise ValueError(f"labels must be {batch} numbers in 0..{classes - 1}")
    return found
