"""The head between two lists in C, from the sums in the region to its error in the region (host/native/head.c)."""

from __future__ import annotations

import ctypes
from math import ldexp

import numpy as np
import numpy.typing as npt

from host.compiler.step.backward import head_blocks
from host.compiler.step.fixed import WEIGHT_FRACTION
from host.compiler.step.head import ERROR_BITS, Classifier, Loss, Pooled
from host.compiler.step.places import Places
from host.native import library
from sim.contract import TENSOR_ALIGNMENT, BlockPlace, Memory
from sim.contract.blocks import HEADERS, RECORDS

POINTERS = (
    *("sums", "planes", "records", "fraction", "weight", "bias", "labels"),
    *("pooled", "logits", "differences", "error", "rows", "errors", "bounds"),
)
DOUBLES = ("logit_scale", "pixels", "all_pixels", "loss")
INTEGERS = ("images", "features", "classes", "sums_stride", "planes_stride", "record_bytes", "least_at", "most_at")
FARTHEST = 900  # bits behind the point up to which 2^-n is no subnormal number


class Call(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in POINTERS),
        *((name, ctypes.c_double) for name in DOUBLES),
        *((name, ctypes.c_int32) for name in INTEGERS),
    )


class NativeHead:
    """For one place of everything: arrays and pointers are made once."""

    def __init__(self, places: Places, memory: Memory, classes: int) -> None:
        compiled = library()
        assert compiled is not None
        self._function, self._memory = compiled.cpt_head_error, memory
        images, (features, height, width) = places.batch, places.network.last_map
        self._pixels = height * width
        step, tally = head_blocks(places)
        sums, planes = places.pooled(), places.head_error(ERROR_BITS)
        self._fraction = places.node_step(places.network.blocks[-1]).header(memory)["fraction"]
        self._blocks = [(place, named(place, images * self._pixels)) for place in (step, tally)]
        self._pooled, self._differences = np.empty((images, features), np.int64), np.empty((images, classes), np.int64)
        self._logits, self._error = np.empty((images, classes)), np.empty((images, features), np.int32)
        self._room = np.empty(features, np.int64), np.empty((images, features)), np.empty(2 * features, np.int32)
        start, record = memory.ctypes.data, RECORDS[tally.kind]
        assert record.fields is not None
        self._call = Call(
            sums=start + sums.address,
            planes=start + planes.address,
            records=start + tally.address + TENSOR_ALIGNMENT,
            fraction=start + step.address + field(HEADERS[step.kind], "fraction"),
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
            record_bytes=record.itemsize,
            least_at=field(record, "least"),
            most_at=field(record, "most"),
        )
        self._at = ctypes.addressof(self._call)

    def __call__(
        self, head: Classifier, labels: npt.NDArray[np.int64]
    ) -> tuple[Pooled, Loss, npt.NDArray[np.int64]] | None:
        """Sums, loss and differences; None if NumPy must do it, which refuses what cannot be."""
        fraction, call = int(self._fraction[0]), self._call
        if abs(fraction) > FARTHEST:
            return None
        weight, bias = np.ascontiguousarray(head.weight), np.ascontiguousarray(head.bias)
        call.weight, call.bias, call.labels = weight.ctypes.data, bias.ctypes.data, labels.ctypes.data
        call.logit_scale = ldexp(1.0, -WEIGHT_FRACTION - fraction)
        for place, template in self._blocks:
            self._memory[place.address : place.end] = template
        if self._function(self._at):
            return None
        loss = Loss(call.loss, self._logits.copy(), self._error.copy(), self._error_fraction())
        return Pooled(self._pooled, fraction, self._pixels), loss, self._differences

    def _error_fraction(self) -> int:
        return ctypes.c_int32.from_address(self._call.fraction).value


def named(place: BlockPlace, count: int) -> npt.NDArray[np.uint8]:
    """The bytes of a block that was begun, and counts so many."""
    blank = np.zeros(place.bytes, np.uint8)
    header, _ = BlockPlace(place.kind, 0, place.channels).begin(blank)
    if "count" in (header.dtype.names or ()):
        header["count"] = count
    return blank


def field(record: np.dtype, name: str) -> int:
    """The byte where it begins."""
    assert record.fields is not None
    return record.fields[name][1]
