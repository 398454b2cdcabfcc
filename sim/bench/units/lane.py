"""A lane's window against a model: unaligned writes, any four words a read, masks by row and by word."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

WORDS, SLOTS, ROWS = 384, 9, 32


def pack(words: list[int], bits: int) -> int:
    return sum(word << bits * place for place, word in enumerate(words))


async def write(dut: Any, memory: list[int], address: int, words: list[int]) -> None:
    """Up to four words from any address on, as a load writer does."""
    banks, addresses, data = 0, [0] * 4, [0] * 4
    for place, word in enumerate(words, start=address):
        banks |= 1 << place % 4
        addresses[place % 4], data[place % 4] = place // 4, word
        memory[place] = word
    dut.bank_write_i.value = banks
    dut.bank_address_i.value, dut.bank_data_i.value = pack(addresses, 14), pack(data, 16)
    await FallingEdge(dut.clk_i)
    dut.bank_write_i.value = 0


@cocotb.test()
async def windows_agree(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    memory, masks, window = [0] * WORDS, [0] * ROWS, [0] * SLOTS
    for pin in ("bank_write_i", "mask_write_i", "read_valid_i", "fill_valid_i", "word_write_i"):
        getattr(dut, pin).value = 0
    await FallingEdge(dut.clk_i)
    for address in range(0, WORDS - 3, 3):
        await write(dut, memory, address, [random.getrandbits(16) for _ in range(random.choice([3, 4]))])
    for row in range(ROWS):
        masks[row] = random.getrandbits(15)
        dut.mask_write_i.value, dut.mask_row_i.value, dut.mask_i.value = 1, row, masks[row]
        await FallingEdge(dut.clk_i)
    dut.mask_write_i.value = 0
    reads: list[tuple[list[int], int, int, int, int]] = []  # whose words are not there yet
    for _ in range(400):
        # A read begins in every cycle, during the fill of the one two cycles before.
        start, row, ky = random.randrange(WORDS - 8), random.randrange(ROWS), random.randrange(15)
        dut.read_valid_i.value, dut.read_row_i.value, dut.read_ky_i.value = 1, row, ky
        dut.read_address_i.value = pack([start // 4 + (bank < start % 4) for bank in range(4)], 14)
        if len(reads) == 2:
            words, inside, slots, clear, rotate = reads.pop(0)
            dut.fill_valid_i.value, dut.fill_rotate_i.value, dut.fill_words_i.value = 1, rotate, inside
            dut.fill_slots_i.value, dut.fill_clear_i.value = slots, clear
            for slot in range(SLOTS):
                if slots >> slot & 1:
                    window[slot] = words[slot % 3] if inside >> slot % 3 & 1 else 0
                elif clear:
                    window[slot] = 0
        live = masks[row] >> ky & 1
        words = [memory[start + place] if live else 0 for place in range(3)]
        reads.append((words, random.getrandbits(3), random.getrandbits(SLOTS), random.getrandbits(1), start % 4))
        await FallingEdge(dut.clk_i)
        assert int(dut.window_o.value) == pack(window, 16)
