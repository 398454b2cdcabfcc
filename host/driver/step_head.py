"""The classifier in the region: what the host does between two lists, in C where there is a compiler.

Between the lists is only what the backward list waits for: logits, softmax and the error of the features. Gradient and
update of the classifier are for while it runs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from host.compiler.step.backward import head_blocks
from host.compiler.step.head import ERROR_BITS, Classifier, Loss, Pooled
from host.compiler.step.places import Places
from host.driver.machine import Machine, Planes
from host.driver.native_head import NativeHead
from host.native import library
from sim.contract import BlockPlace, Tensor, unpack_words

Done = tuple[Pooled, Loss, npt.NDArray[np.int64]]


class StepHead:
    """Of a network whose training lists have these places; the classifier itself comes with each call."""

    def __init__(self, places: Places, machine: Machine) -> None:
        self._places, self._machine = places, machine
        self._read = _spans(*_sums(places))
        self._written = _spans(places.head_error(ERROR_BITS), *head_blocks(places))
        self.native: NativeHead | None = None
        if library() is not None and isinstance(machine, Planes):  # others keep tensors their own way
            self.native = NativeHead(places, machine.memory, places.network.head.classes)

    def errors(self, head: Classifier, labels: npt.NDArray[np.int64]) -> Callable[[], Done]:
        """From the sums to the error, both in the region; what is returned collects sums, loss and differences."""
        if self.native is not None:
            for start, end in self._read:
                self._machine.reads(start, end)
            if self.native(head, labels):
                for start, end in self._written:
                    self._machine.wrote(start, end)
                return self.native.found
        pooled = self.pooled(self._places)
        loss, differences = head.errors(pooled, labels)
        self._write(loss)
        return lambda: (pooled, loss, differences)

    def ready(self, head: Classifier) -> None:
        """What the next call needs of an updated classifier: to be called while a list runs."""
        if self.native is not None:
            self.native.take(head)

    def pooled(self, places: Places) -> Pooled:
        """The sums that a forward list has left: this network's, or those of an evaluation."""
        sums, step = _sums(places)
        for start, end in _spans(sums, step):
            self._machine.reads(start, end)
        memory = self._machine.memory
        channels, height, width = places.network.last_map
        fraction = int(step.header(memory)["fraction"][0])
        values = unpack_words(sums.read(memory), channels)[:, :, 0, 0]
        return Pooled(values, fraction, height * width)

    def _write(self, loss: Loss) -> None:
        memory, error = self._machine.memory, self._places.head_error(ERROR_BITS)
        self._machine.write_packed(error, self._machine.pack(error, loss.error[:, :, None, None], signed=True))
        step, tally = head_blocks(self._places)
        step.begin(memory)[0]["fraction"] = loss.fraction
        header, records = tally.begin(memory)
        _, height, width = self._places.network.last_map
        header["count"] = self._places.batch * height * width
        records["least"][: loss.error.shape[1]] = loss.error.min(axis=0)
        records["most"][: loss.error.shape[1]] = loss.error.max(axis=0)
        for start, end in _spans(step, tally):
            self._machine.wrote(start, end)


def _sums(places: Places) -> tuple[Tensor, BlockPlace]:
    """And the block that says what they stand for."""
    return places.pooled(), places.node_step(places.network.blocks[-1])


def _spans(*places: Tensor | BlockPlace) -> list[tuple[int, int]]:
    """First byte, and the first behind: made once, as the device waits."""
    return [(place.address, place.end) for place in places]
