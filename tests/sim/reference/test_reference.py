"""The reference executor: what a list does to memory, and what it leaves alone."""

from collections.abc import Callable

import numpy as np
import pytest

from sim.contract import NO_COMMAND, Build, Command, Error, Flag, Format, Opcode, Outcome, array_cycles, encode_list
from sim.reference import Reference
from sim.vectors import Vector, catalogue
from tests.tools import LIST, REGION, TINY, ZC706, Memory, small_conv, small_wgrad

PIXEL = {Format.INT16: 32, Format.INT32: 64, Format.INT64: 128}


def region(commands: list[Command], fill: int = 0, size: int = REGION) -> Memory:
    """Random operands where `small_conv` and `small_wgrad` have theirs, a list of at most two commands, else `fill`."""
    memory = np.full(size, fill, dtype=np.uint8)
    memory[:2560] = np.random.default_rng(0).integers(0, 256, 2560)
    memory[LIST : LIST + 128 * len(commands)] = np.frombuffer(encode_list(commands), dtype=np.uint8)
    return memory


def run(memory: Memory, commands: int, build: Build = ZC706) -> Outcome:
    return Reference(build).run(memory, LIST, 128 * commands)


def written(command: Command, size: int) -> np.ndarray:
    """True for each byte that a command may write, from the layout of section 2 of the contract."""
    images, height, width = command.images, command.y_height, command.y_width
    sums = images * height * width
    if command.opcode == Opcode.WGRAD:
        images, height, width = 16 * command.a_blocks, command.kernel_h, command.kernel_w
        sums = images * height * width
    planes = command.out_format == Format.PLANES
    tile = height * width * (2 * command.out_bits if planes else PIXEL[Format(command.out_format)])
    mask = np.zeros(size, dtype=bool)
    for image in range(images):
        for block in range(command.y_blocks):
            start = command.out_addr + image * command.out_image_stride + block * command.out_block_stride
            mask[start : start + tile] = True
    if command.flags >> Flag.ROW_SUMS & 1:
        mask[command.sums_addr : command.sums_addr + 4 * sums] = True
    return mask


def completed(vector: Vector) -> list[Command]:
    start, count = vector.list_offset, vector.commands_done
    return [Command.decode(vector.before[start + 128 * i :].tobytes()) for i in range(count)]


def test_an_empty_list_does_nothing_and_is_no_error() -> None:
    memory = region([small_conv()])
    before = memory.copy()
    assert run(memory, 0) == Outcome(Error.OK, NO_COMMAND, 0, 0)
    assert np.array_equal(memory, before)


def test_a_good_list_reports_its_commands_and_cycles() -> None:
    commands = [small_conv(), small_wgrad()]
    cycles = sum(array_cycles(command, ZC706) for command in commands)
    assert run(region(commands), 2) == Outcome(Error.OK, NO_COMMAND, 2, cycles)


@pytest.mark.parametrize(
    ("registers", "error"),
    [
        ({"list_offset": LIST + 32}, Error.LIST_ALIGNMENT),
        ({"mem_base": 32}, Error.LIST_ALIGNMENT),
        ({"mem_bytes": REGION - 1}, Error.LIST_ALIGNMENT),
        ({"list_bytes": 200}, Error.LIST_TRUNCATED),
        ({"list_offset": REGION}, Error.LIST_RANGE),
        ({"list_bytes": 128 * 3}, Error.LIST_RANGE),
    ],
)
def test_a_list_that_is_wrong_as_a_whole_blames_no_command(registers: dict[str, int], error: Error) -> None:
    memory = region([small_conv(), small_conv()])
    before = memory.copy()
    outcome = Reference(ZC706).run(memory, **{"list_offset": LIST, "list_bytes": 256, **registers})
    assert outcome == Outcome(error, NO_COMMAND, 0, 0)
    assert np.array_equal(memory, before)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"opcode": 0}, Error.OPCODE),
        ({"opcode": 77}, Error.OPCODE),
        ({"a_bits": 0}, Error.WIDTH),
        ({"a_bits": 17}, Error.WIDTH),
        ({"b_bits": 0}, Error.WIDTH),
        ({"b_bits": 17}, Error.WIDTH),
        ({"out_format": Format.INT16, "out_bits": 0}, Error.WIDTH),
        ({"out_format": Format.PLANES, "out_bits": 17}, Error.WIDTH),
        ({"a_addr": 1}, Error.ALIGNMENT),
        ({"out_addr": 2560 + 32}, Error.ALIGNMENT),
        ({"a_addr": REGION}, Error.RANGE),
        ({"out_addr": REGION - 64}, Error.RANGE),
        ({"y_height": 3}, Error.SHAPE),
        ({"kernel_w": 5}, Error.SHAPE),
    ],
)
def test_a_bad_command_ends_the_list_with_its_error_and_number(change: dict[str, int], error: Error) -> None:
    memory = region([small_conv(), small_conv(**change)])
    outcome = run(memory, 2)
    assert (outcome.error, outcome.error_index, outcome.commands_done) == (error, 1, 1)
    alone = region([small_conv(), small_conv(**change)])
    run(alone, 1)
    assert np.array_equal(memory, alone)


def test_commands_behind_an_error_do_not_run() -> None:
    commands = [small_conv(opcode=10), small_conv()]
    memory = region(commands)
    assert run(memory, 2).error_index == 0
    assert np.array_equal(memory, region(commands))


@pytest.mark.parametrize("build", [TINY, ZC706], ids=lambda build: build.name)
def test_only_results_of_completed_commands_are_written(build: Build) -> None:
    for vector in catalogue(build, features=0):
        allowed = np.zeros(vector.before.size, dtype=bool)
        for command in completed(vector):
            allowed |= written(command, allowed.size)
        changed = vector.before != vector.after
        assert not (changed & ~allowed).any(), vector.name


def test_vectors_of_errors_and_of_good_lists_are_both_among_those() -> None:
    done = [(vector.error, vector.commands_done) for vector in catalogue(TINY, features=0)]
    assert sum(error != Error.OK and count > 0 for error, count in done) > 20
    assert sum(error == Error.OK and count > 0 for error, count in done) > 100


@pytest.mark.parametrize(
    ("make", "out_format"),
    [*((small_conv, out_format) for out_format in Format), (small_wgrad, Format.INT16), (small_wgrad, Format.INT64)],
)
def test_every_byte_of_a_result_is_written(make: Callable[..., Command], out_format: Format) -> None:
    """Two runs over different backgrounds end with the same bytes exactly where the command writes."""
    requantised = out_format in (Format.INT16, Format.PLANES)
    command = make(out_format=out_format, out_bits=8 if requantised else 0)
    command.out_addr, command.sums_addr = 1 << 13, 1 << 16
    command.out_image_stride, command.out_block_stride = 1 << 12, 1 << 11
    if make is small_wgrad:
        command.out_image_stride, command.out_block_stride = 1 << 8, 1 << 7
    zeros, ones = (region([command], fill, size=1 << 17) for fill in (0x00, 0xFF))
    for memory in (zeros, ones):
        assert run(memory, 1).error == Error.OK
    same = zeros == ones
    same[:2560] = same[LIST : LIST + 128] = False
    assert np.array_equal(same, written(command, same.size))


def test_a_command_sees_what_the_one_before_it_wrote() -> None:
    writer = small_conv(out_format=Format.PLANES, out_bits=4, shift=4, flags=0)
    writer.out_image_stride, writer.out_block_stride = 256, 128
    reader = small_conv(a_addr=2560, a_image_stride=256, images=1, out_addr=4096, flags=0)
    in_one_list = region([writer, reader])
    assert run(in_one_list, 2).error == Error.OK
    one_after_the_other = region([writer])
    run(one_after_the_other, 1)
    one_after_the_other[LIST : LIST + 128] = np.frombuffer(reader.encode(), dtype=np.uint8)
    run(one_after_the_other, 1)
    assert in_one_list[4096:6144].any()
    assert np.array_equal(in_one_list[:LIST], one_after_the_other[:LIST])


def test_images_of_an_operand_may_share_memory() -> None:
    shared = region([small_conv(a_image_stride=0)])
    assert run(shared, 1).error == Error.OK
    assert np.array_equal(shared[2560:4608], shared[4608:6656])
    assert shared[2560:4608].any()


@pytest.mark.parametrize(
    ("field", "error"),
    [
        ("a_addr", Error.READ_BUS),
        ("b_addr", Error.READ_BUS),
        ("out_addr", Error.WRITE_BUS),
        ("sums_addr", Error.WRITE_BUS),
    ],
)
def test_memory_that_is_not_there_answers_with_a_bus_error(field: str, error: Error) -> None:
    memory = region([small_conv(), small_conv(**{field: 1 << 20})])
    outcome = Reference(ZC706).run(memory, LIST, 256, mem_bytes=1 << 21)
    assert (outcome.error, outcome.error_index, outcome.commands_done) == (error, 1, 1)


def test_a_fetch_behind_memory_is_a_bus_error_of_that_command() -> None:
    memory = region([small_conv(), small_conv()])[: LIST + 192]
    outcome = Reference(ZC706).run(memory, LIST, 256, mem_bytes=REGION)
    assert (outcome.error, outcome.error_index, outcome.commands_done) == (Error.READ_BUS, 1, 1)


def test_nothing_is_carried_over_from_list_to_list() -> None:
    reference = Reference(ZC706)
    memory = region([small_conv(opcode=10)])
    assert reference.run(memory, LIST, 128).error == Error.OPCODE
    assert reference.run(region([small_conv()]), LIST, 128) == run(region([small_conv()]), 1)
