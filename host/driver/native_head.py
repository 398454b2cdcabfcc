"""The head between two lists in C, from the sums in the region to its error in the region (host/native/head.c)."""

from __future__ import annotations

import ctypes
from math import ldexp

import numpy as np
import numpy.typing as npt

from host.compiler.step.backward import head_blocks
from host.compiler.step.fixed import WEIGHT_FRACTION, Words
from host.compiler.step.head import ERROR_BITS, Classifier, Loss, Pooled
from host.compiler.step.places import Places
from host.native import library
from sim.contract import TENSOR_ALIGNMENT, BlockPlace, Memory
from sim.contract.blocks import HEADERS, RECORDS

POINTERS = (
    *("sums", "planes", "step", "tally", "blank_step", "blank_tally", "weight", "bias", "labels"),
    *("pooled", "logits", "differences", "error", "rows", "errors", "bounds"),
)
DOUBLES = ("logit_scale", "pixels", "all_pixels", "loss")
INTEGERS = (
    *("images", "features", "classes", "sums_stride", "planes_stride", "step_bytes", "tally_bytes", "fraction_at"),
    *("records_at", "record_bytes", "least_at", "most_at", "fraction"),
)
FARTHEST = 900  # bits behind the point up to which 2^-n is no subnormal number


class Call(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in POINTERS),
        *((name, ctypes.c_double) for name in DOUBLES),
        *((name, ctypes.c_int32) for name in INTEGERS),
    )


class NativeHead:
    """For one place of everything: arrays and pointers are made once, those of the weights after each update."""

    def __init__(self, places: Places, memory: Memory, classes: int) -> None:
        compiled = library()
        assert compiled is not None
        self._function = compiled.cpt_head_error
        images, (features, height, width) = places.batch, places.network.last_map
        self._pixels = height * width
        step, tally = head_blocks(places)
        sums, planes = places.pooled(), places.head_error(ERROR_BITS)
        self._fraction = places.node_step(places.network.blocks[-1]).header(memory)["fraction"]
        self._labels = np.empty(images, np.int64)
        self._pooled, self._differences = np.empty((images, features), np.int32), np.empty((images, classes), np.int32)
        self._logits, self._error = np.empty((images, classes)), np.empty((images, features), np.int32)
        self._room = np.empty((2, features), np.int64), np.empty((images, features)), np.empty((2, features), np.int32)
        self._blank = tuple(begun(place, images * self._pixels) for place in (step, tally))
        start, record = memory.ctypes.data, RECORDS[tally.kind]
        self._call = Call(
            sums=start + sums.address,
            planes=start + planes.address,
            step=start + step.address,
            tally=start + tally.address,
            blank_step=self._blank[0].ctypes.data,
            blank_tally=self._blank[1].ctypes.data,
            labels=self._labels.ctypes.data,
            pooled=self._pooled.ctypes.data,
            logits=self._logits.ctypes.data,
            differences=self._differences.ctypes.data,
            error=self._error.ctypes.data,
            rows=self._room[0].ctypes.data,
            errors=self._room[1].ctypes.data,
            bounds=self._room[2].ctypes.data,
            pixels=self._pixels,
            all_pixels=self._pixels * images,
            images=images,
            features=features,
            classes=classes,
            sums_stride=sums.image_stride,
            planes_stride=planes.image_stride,
            step_bytes=step.bytes,
            tally_bytes=tally.bytes,
            fraction_at=field(HEADERS[step.kind], "fraction"),
            records_at=TENSOR_ALIGNMENT,
            record_bytes=record.itemsize,
            least_at=field(record, "least"),
            most_at=field(record, "most"),
        )
        self._at = ctypes.addressof(self._call)
        self._taken: tuple[Words, ...] = ()

    def take(self, head: Classifier) -> None:
        """The weights of the next call, if they are not known yet."""
        if len(self._taken) == 0 or head.weight is not self._taken[0] or head.bias is not self._taken[1]:
            self._taken = head.weight, head.bias
            self._kept = np.ascontiguousarray(head.weight), np.ascontiguousarray(head.bias)
            self._call.weight, self._call.bias = (each.ctypes.data for each in self._kept)

    def __call__(self, head: Classifier, labels: npt.NDArray[np.int64]) -> bool:
        """Whether the error is in the region; if not, NumPy must do it, which refuses what cannot be."""
        self.take(head)
        self._exponent = int(self._fraction[0])
        if abs(self._exponent) > FARTHEST:
            return False
        self._labels[:] = labels
        self._call.logit_scale = ldexp(1.0, -WEIGHT_FRACTION - self._exponent)
        return not self._function(self._at)

    def found(self) -> tuple[Pooled, Loss, npt.NDArray[np.int64]]:
        """Sums, loss and differences of the last call."""
        call = self._call
        loss = Loss(call.loss, self._logits.copy(), self._error.copy(), call.fraction)
        pooled = Pooled(self._pooled.astype(np.int64), self._exponent, self._pixels)
        return pooled, loss, self._differences.astype(np.int64)


def begun(place: BlockPlace, count: int) -> npt.NDArray[np.uint8]:
    """The bytes of a block that was begun, and counts this many."""
    blank = np.zeros(place.bytes, np.uint8)
    header, _ = BlockPlace(place.kind, 0, place.channels).begin(blank)
    if "count" in (header.dtype.names or ()):
        header["count"] = count
    return blank


def field(record: np.dtype, name: str) -> int:
    """The byte where it begins."""
    assert record.fields is not None
    return record.fields[name][1]
