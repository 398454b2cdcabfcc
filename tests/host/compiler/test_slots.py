"""Slots: tensors written to and read from their place in the region."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.compiler.slots import Slot
from sim.contract import Format, pack_words
from tests.tools import draw_codes

SLOT = Slot("x", (2, 20, 3, 5), signed=True, bits=6, offset=128)
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 40), st.integers(1, 3), st.integers(1, 3))


@given(SHAPES, st.integers(1, 16), st.booleans(), st.integers(0, 5))
def test_codes_are_read_back(shape: tuple[int, int, int, int], bits: int, signed: bool, steps: int) -> None:
    slot = Slot("x", shape, signed, bits, offset=64 * steps)
    codes = draw_codes(1, shape, bits, signed)
    memory = np.full(slot.offset + slot.bytes, 0xFF, dtype=np.uint8)
    slot.write(memory, codes)
    assert np.array_equal(slot.read(memory), codes)


@given(SHAPES, st.integers(1, 16))
def test_nothing_outside_of_the_slot_is_written(shape: tuple[int, int, int, int], bits: int) -> None:
    slot = Slot("x", shape, False, bits, offset=192)
    memory = np.zeros(192 + slot.bytes + 192, dtype=np.uint8)
    slot.write(memory, np.full(shape, 2**bits - 1))
    assert memory.any()
    assert not memory[:192].any()
    assert not memory[192 + slot.bytes :].any()


def test_images_start_on_64_bytes() -> None:
    """20 channels are two blocks of 3 × 5 words for each of 6 bits: 360 bytes, 384 with the gap."""
    assert (SLOT.blocks, SLOT.block_stride, SLOT.image_stride, SLOT.bytes) == (2, 180, 384, 768)


def test_a_block_of_channels_can_be_addressed() -> None:
    assert [SLOT.at(channel) for channel in (0, 16)] == [128, 128 + 180]


@pytest.mark.parametrize("out_format", [Format.INT16, Format.INT32, Format.INT64])
def test_results_are_read_as_words(out_format: Format) -> None:
    slot = replace(SLOT, out_format=out_format, bits=0)
    values = draw_codes(2, (2, 32, 3, 5), 16, True)
    memory = np.zeros(128 + slot.bytes, dtype=np.uint8)
    for image, words in enumerate(pack_words(values, out_format)):
        start = 128 + image * slot.image_stride
        memory[start : start + words.nbytes] = words.view(np.uint8).ravel()
    assert np.array_equal(slot.read(memory), values[:, :20])


def test_unsigned_results_are_read_unsigned() -> None:
    slot = Slot("y", (1, 1, 1, 1), signed=False, bits=16, out_format=Format.INT16)
    assert slot.read(np.full(slot.bytes, 0xFF, dtype=np.uint8)).item() == 65535


def test_a_wrong_shape_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"tensor 'x' has shape \(2, 20, 5, 3\), expected \(2, 20, 3, 5\)"):
        SLOT.write(np.zeros(1024, dtype=np.uint8), np.zeros((2, 20, 5, 3), dtype=np.int64))


def test_a_code_out_of_range_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"tensor 'x': codes 32\.\.32 do not fit 6 signed bits"):
        SLOT.write(np.zeros(1024, dtype=np.uint8), np.full(SLOT.shape, 32))
