"""The register face: handshakes, interrupts, capabilities, the place of the region."""

import numpy as np
import pytest

from sim.contract import Error, Register, encode_list
from sim.devices.registers import RegisterFile
from sim.reference import Reference
from tests.tools import LIST, REGION, TINY, Memory, contract, small_conv

START, DONE, IDLE, READY, SW_RESET, INTERRUPT = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 8, 1 << 9
CAPABILITIES = [Register[name.upper()] for name in TINY.parameters()]


def memory_with_a_list(base: int = 0, behind: int = 0) -> Memory:
    memory = np.random.default_rng(1).integers(0, 256, base + REGION + behind, dtype=np.uint8)
    encoded = encode_list([small_conv(), small_conv(tag=1)])
    memory[base + LIST : base + REGION] = np.frombuffer(encoded, dtype=np.uint8)
    return memory


def set_up(registers: RegisterFile, base: int = 0, size: int = REGION, offset: int = LIST, length: int = 256) -> None:
    registers.write(Register.MEM_BASE, base & 0xFFFFFFFF)
    registers.write(Register.MEM_BASE + 4, base >> 32)
    registers.write(Register.MEM_BYTES, size)
    registers.write(Register.LIST_OFFSET, offset)
    registers.write(Register.LIST_BYTES, length)


@pytest.fixture
def registers() -> RegisterFile:
    """An accelerator after power-on, its registers set to run a good list of two commands."""
    face = RegisterFile(Reference(TINY), memory_with_a_list())
    set_up(face)
    return face


def test_it_is_idle_after_power_on(registers: RegisterFile) -> None:
    assert registers.read(Register.AP_CTRL) == IDLE


def test_done_and_ready_are_seen_once_after_a_list(registers: RegisterFile) -> None:
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.AP_CTRL) == DONE | IDLE | READY
    assert registers.read(Register.AP_CTRL) == IDLE


def test_writing_control_without_start_runs_nothing(registers: RegisterFile) -> None:
    registers.write(Register.AP_CTRL, 0xFF & ~START)
    assert registers.read(Register.AP_CTRL) == IDLE
    assert registers.read(Register.COMMANDS_DONE) == 0


def test_result_registers_tell_of_a_good_list(registers: RegisterFile) -> None:
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == 0
    assert registers.read(Register.ERROR_INDEX) == 0xFFFFFFFF
    assert registers.read(Register.COMMANDS_DONE) == 2


def test_result_registers_tell_of_an_error(registers: RegisterFile) -> None:
    registers.memory[LIST + 128] = 0
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == Error.OPCODE
    assert registers.read(Register.ERROR_INDEX) == 1
    assert registers.read(Register.COMMANDS_DONE) == 1
    assert registers.read(Register.AP_CTRL) & DONE


def test_results_are_those_of_the_last_list(registers: RegisterFile) -> None:
    registers.write(Register.LIST_BYTES, 4)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == Error.LIST_TRUNCATED
    registers.write(Register.LIST_BYTES, 256)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == Error.OK


def test_counters_show_the_array_cycles_in_two_words() -> None:
    """More cycles than 32 bits hold: a product of 2^15 images, made by a formulation that does not compute."""
    sizes = {"a_bits": 16, "b_bits": 8, "images": 65535, "a_height": 1024, "y_height": 1024}
    huge = small_conv(**sizes, a_image_stride=0, pad_left=1, y_blocks=1, flags=0)
    cycles = 16 * 8 * 3 * -(-65535 * 1024 * 4 // 16)
    huge.out_image_stride, huge.out_addr = 4096 * 64, 1 << 20

    class Blind(Reference):
        def step(self, *_: object) -> Error:
            return Error.OK

    memory = memory_with_a_list()
    memory[LIST : LIST + 128] = np.frombuffer(huge.encode(), dtype=np.uint8)
    registers = RegisterFile(Blind(TINY), memory)
    set_up(registers, length=128)
    registers.write(Register.AP_CTRL, START)
    assert cycles >= 2**32
    for counter in (Register.CYCLES_TOTAL, Register.CYCLES_BUSY):
        assert registers.read(counter) | registers.read(counter + 4) << 32 == cycles


def test_capabilities_show_after_an_empty_list(registers: RegisterFile) -> None:
    registers.write(Register.LIST_BYTES, 0)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.MAGIC) == int.from_bytes(b"CPT1", "big")
    assert registers.read(Register.VERSION) == contract()["version"]["major"] << 16 | contract()["version"]["minor"]
    assert [registers.read(offset) for offset in CAPABILITIES] == list(contract()["build"]["tiny"].values())


def test_result_and_capability_registers_cannot_be_written(registers: RegisterFile) -> None:
    registers.write(Register.AP_CTRL, START)
    read_only = [Register.STATUS, Register.ERROR_INDEX, Register.COMMANDS_DONE, Register.MAGIC, *CAPABILITIES]
    before = [registers.read(offset) for offset in read_only]
    for offset in read_only:
        registers.write(offset, 0x55555555)
    assert [registers.read(offset) for offset in read_only] == before


def test_arguments_are_read_back(registers: RegisterFile) -> None:
    set_up(registers, 0x1_2345_6780, 0x1000, 0x40, 0x80)
    offsets = (Register.MEM_BASE, Register.MEM_BASE + 4, Register.MEM_BYTES, Register.LIST_OFFSET, Register.LIST_BYTES)
    assert [registers.read(offset) for offset in offsets] == [0x2345_6780, 1, 0x1000, 0x40, 0x80]


@pytest.mark.parametrize("offset", [0x18, 0x24, 0x2C, 0x34, 0x38, 0x144, 0xFFC])
def test_offsets_without_a_register_read_zero_and_ignore_writing(registers: RegisterFile, offset: int) -> None:
    registers.write(offset, 1)
    assert registers.read(offset) == 0


@pytest.mark.parametrize("enabled", [0b00, 0b01, 0b10, 0b11])
def test_only_enabled_events_reach_the_interrupt_status(registers: RegisterFile, enabled: int) -> None:
    registers.write(Register.IER, enabled)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.ISR) == enabled


def test_writing_a_one_toggles_a_bit_of_the_interrupt_status(registers: RegisterFile) -> None:
    registers.write(Register.IER, 0b11)
    registers.write(Register.AP_CTRL, START)
    for written, left in ((0b01, 0b10), (0b11, 0b01), (0b01, 0b00), (0b100, 0b00)):
        registers.write(Register.ISR, written)
        assert registers.read(Register.ISR) == left


@pytest.mark.parametrize(("gier", "ier", "level"), [(0, 1, False), (1, 0, False), (1, 1, True), (1, 2, True)])
def test_the_interrupt_line_needs_both_enables(registers: RegisterFile, gier: int, ier: int, level: bool) -> None:
    registers.write(Register.GIER, gier)
    registers.write(Register.IER, ier)
    assert not registers.interrupt
    registers.write(Register.AP_CTRL, START)
    assert registers.interrupt == level
    assert bool(registers.read(Register.AP_CTRL) & INTERRUPT) == level


def test_reading_control_does_not_clear_the_interrupt(registers: RegisterFile) -> None:
    registers.write(Register.GIER, 1)
    registers.write(Register.IER, 1)
    registers.write(Register.AP_CTRL, START)
    registers.read(Register.AP_CTRL)
    assert registers.interrupt
    registers.write(Register.ISR, 1)
    assert not registers.interrupt


def test_the_region_starts_at_the_base_address() -> None:
    at_zero, moved = memory_with_a_list(), memory_with_a_list(base=4096, behind=512)
    moved[4096 : 4096 + REGION] = at_zero
    around = moved[:4096].copy(), moved[4096 + REGION :].copy()
    for memory, base in ((at_zero, 0), (moved, 4096)):
        registers = RegisterFile(Reference(TINY), memory)
        set_up(registers, base)
        registers.write(Register.AP_CTRL, START)
        assert registers.read(Register.COMMANDS_DONE) == 2
    assert np.array_equal(moved[4096 : 4096 + REGION], at_zero)
    assert np.array_equal(moved[:4096], around[0])
    assert np.array_equal(moved[4096 + REGION :], around[1])


def test_the_base_address_has_sixty_four_bits(registers: RegisterFile) -> None:
    set_up(registers, base=1 << 32)
    before = registers.memory.copy()
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == Error.LIST_RANGE, "and the bus has 32"
    assert np.array_equal(registers.memory, before)


def test_a_misaligned_base_is_an_error_of_the_list(registers: RegisterFile) -> None:
    set_up(registers, base=32)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == Error.LIST_ALIGNMENT


def test_memory_behind_the_region_is_out_of_reach() -> None:
    registers = RegisterFile(Reference(TINY), memory_with_a_list(behind=4096))
    registers.memory[LIST : LIST + 128] = np.frombuffer(small_conv(sums_addr=REGION).encode(), dtype=np.uint8)
    set_up(registers, length=128)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.STATUS) == Error.RANGE


def test_soft_reset_returns_to_power_on(registers: RegisterFile) -> None:
    for offset in (Register.GIER, Register.IER):
        registers.write(offset, 1)
    registers.write(Register.AP_CTRL, START)
    registers.write(Register.AP_CTRL, SW_RESET)
    assert not registers.interrupt
    assert registers.read(Register.AP_CTRL) == IDLE
    assert [registers.read(offset) for offset in Register if offset != Register.AP_CTRL] == [0] * (len(Register) - 1)


def test_a_list_runs_after_a_soft_reset(registers: RegisterFile) -> None:
    registers.write(Register.AP_CTRL, SW_RESET)
    set_up(registers)
    registers.write(Register.AP_CTRL, START)
    assert registers.read(Register.COMMANDS_DONE) == 2
