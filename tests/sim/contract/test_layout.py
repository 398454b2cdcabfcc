"""Where every bit of a code and every byte of a result lies in memory."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contract import (
    Format,
    blocks_of,
    pack_planes,
    pack_words,
    plane_bytes,
    unpack_planes,
    unpack_words,
    word_bytes,
)
from tests.tools import draw_codes, least_and_greatest

SHAPES = st.tuples(st.integers(1, 2), st.integers(1, 40), st.integers(1, 3), st.integers(1, 4))
WIDTHS = st.integers(1, 16)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("bits", range(1, 17))
def test_every_code_of_every_width_survives_packing(bits: int, signed: bool) -> None:
    low, high = least_and_greatest(bits, signed)
    codes = np.arange(low, high + 1).reshape(1, -1, 1, 2)
    assert np.array_equal(unpack_planes(pack_planes(codes, bits, signed), codes.shape[1], signed), codes)


@given(SHAPES, WIDTHS, st.booleans(), st.integers(0, 99))
def test_codes_of_any_shape_survive_packing(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> None:
    codes = draw_codes(seed, shape, bits, signed)
    assert np.array_equal(unpack_planes(pack_planes(codes, bits, signed), shape[1], signed), codes)


@given(SHAPES, WIDTHS, st.booleans(), st.integers(0, 99))
def test_each_bit_lies_where_the_contract_puts_it(shape: tuple[int, ...], bits: int, signed: bool, seed: int) -> None:
    codes = draw_codes(seed, shape, bits, signed)
    stored = pack_planes(codes, bits, signed).tobytes()
    _, channels, height, width = shape
    blocks = (channels + 15) // 16
    for (n, c, y, x), code in np.ndenumerate(codes):
        for i in range(bits):
            word = (((n * blocks + c // 16) * height + y) * bits + i) * width + x
            assert stored[2 * word + c % 16 // 8] >> c % 8 & 1 == int(code) >> i & 1


@given(SHAPES, WIDTHS, st.booleans())
def test_channels_beyond_the_real_ones_are_stored_as_zero(shape: tuple[int, ...], bits: int, signed: bool) -> None:
    codes = np.full(shape, -1 if signed else 2**bits - 1)
    words = pack_planes(codes, bits, signed)
    real_in_last_block = shape[1] - 16 * (words.shape[1] - 1)
    assert (words[:, -1] == 2**real_in_last_block - 1).all()
    assert (words[:, :-1] == 0xFFFF).all()


def test_codes_of_a_narrow_type_keep_their_sign() -> None:
    codes = np.array([-128, -1, 0, 127], dtype=np.int8).reshape(1, 4, 1, 1)
    assert np.array_equal(unpack_planes(pack_planes(codes, 16, True), 4, True), codes)


def test_codes_need_not_be_contiguous() -> None:
    codes = draw_codes(0, (3, 5, 2, 7), 6, True)
    assert np.array_equal(
        pack_planes(codes[:, :, ::-1, ::2], 6, True), pack_planes(codes[:, :, ::-1, ::2].copy(), 6, True)
    )


@pytest.mark.parametrize(
    ("bits", "signed", "code"),
    [(3, False, 8), (3, False, -1), (3, True, 4), (3, True, -5), (1, True, 1), (16, False, 65536), (16, True, -32769)],
)
def test_a_code_out_of_range_is_refused_with_the_range(bits: int, signed: bool, code: int) -> None:
    codes = np.zeros((1, 2, 1, 1), dtype=np.int64)
    codes[0, 1] = code
    low, high = least_and_greatest(bits, signed)
    with pytest.raises(ValueError, match=rf"\({low}\.\.{high}\)"):
        pack_planes(codes, bits, signed)


@pytest.mark.parametrize("bits", [-1, 0, 17])
def test_a_width_that_does_not_exist_is_refused(bits: int) -> None:
    with pytest.raises(ValueError, match=rf"width {bits} is not in 1\.\.16"):
        pack_planes(np.zeros((1, 1, 1, 1), dtype=np.int64), bits, False)


@pytest.mark.parametrize("shape", [(), (4,), (1, 2, 3), (1, 1, 1, 1, 1)])
def test_a_tensor_without_four_indices_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="n, c, h, w"):
        pack_planes(np.zeros(shape, dtype=np.int64), 4, False)


@pytest.mark.parametrize(("out_format", "size"), [(Format.INT16, 2), (Format.INT32, 4), (Format.INT64, 8)])
def test_each_result_word_lies_where_the_contract_puts_it(out_format: Format, size: int) -> None:
    values = draw_codes(1, (2, 32, 3, 2), 16, True)
    stored = pack_words(values, out_format).tobytes()
    for (n, c, y, x), value in np.ndenumerate(values):
        start = size * ((((n * 2 + c // 16) * 3 + y) * 2 + x) * 16 + c % 16)
        assert int.from_bytes(stored[start : start + size], "little", signed=True) == value


@given(st.sampled_from([Format.INT16, Format.INT32, Format.INT64]), st.integers(1, 32))
def test_result_words_survive_packing(out_format: Format, channels: int) -> None:
    values = draw_codes(2, (2, 32, 2, 3), 16, True)
    assert np.array_equal(unpack_words(pack_words(values, out_format), channels), values[:, :channels])


def test_unsigned_sixteen_bit_results_are_read_back_unsigned() -> None:
    values = np.full((1, 16, 1, 1), 65535)
    assert np.array_equal(unpack_words(pack_words(values, Format.INT16), 16, signed=False), values)


@pytest.mark.parametrize(("channels", "blocks"), [(1, 1), (15, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
def test_blocks_hold_sixteen_channels(channels: int, blocks: int) -> None:
    assert blocks_of(channels) == blocks


def test_sizes_are_those_of_packed_tensors() -> None:
    for channels, height, width in product((3, 32), (1, 5), (2, 7)):
        blocks = blocks_of(channels)
        planes = pack_planes(np.zeros((1, channels, height, width), dtype=np.int64), 5, False)
        assert plane_bytes(blocks, height, width, 5) == planes.nbytes
        values = np.zeros((1, 16 * blocks, height, width), dtype=np.int64)
        for out_format in (Format.INT16, Format.INT32, Format.INT64):
            assert word_bytes(blocks, height, width, out_format) == pack_words(values, out_format).nbytes
