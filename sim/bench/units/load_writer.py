"""A load writer against a model: jobs of all kinds, back to back, with gaps in the data and between jobs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

WRITERS = int(os.environ.get("CPT_WRITERS", "16"))
LANE, WEIGHTS, ERROR, MARK = range(4)
ROW_WORDS, RING_WORDS = 50, 200
RINGS = (0, 137, 1600)  # where rings begin
FIELDS = (("kind", 2), ("target", 8), ("address", 16), ("tail", 5), ("triple", 4), ("place", 2), ("planes", 5))
Where = tuple[str, int, int, int]  # which memory, which one of them, address, word there


@dataclass(frozen=True)
class Job:
    kind: int
    rows: int = 0  # runs of all planes
    run: int = 0
    planes: int = 1
    target: int = 0
    address: int = 0
    triple: int = 0
    place: int = 0
    ring: int = 0

    @property
    def words(self) -> int:
        return self.rows * self.run * (1 if self.kind == LANE else self.planes)

    def packed(self, beat_words: int) -> int:
        values = {**vars(self), "tail": (self.words - 1) % beat_words}
        value = 0
        for name, bits in FIELDS:
            value = value << bits | values[name]
        return value << 16 | self.run

    def places(self, triples: int) -> Iterator[Where]:
        """Where its words belong, in their order."""
        if self.kind == LANE:
            for row in range(self.rows):
                begin = self.ring + (self.address - self.ring + row * ROW_WORDS) % RING_WORDS
                yield from (("lane", self.target, begin + word, 0) for word in range(self.run))
            return
        for row in range(self.rows):
            for plane in range(self.planes):
                for word in range(self.run):
                    triple, place = divmod(3 * self.triple + self.place + row * self.run + word, 3)
                    step, entry = (0, triple) if self.kind == ERROR else (triple % triples, triple // triples)
                    column = 16 // WRITERS * step
                    yield "triple", self.target + column, self.address + entry * self.planes + plane, place


def draw(random: Random, triples: int, planes: int, ring: int) -> Job:
    kind = random.choice([LANE, LANE, WEIGHTS, ERROR, MARK])
    if kind == LANE:
        row, rest = random.randrange(RING_WORDS // ROW_WORDS), random.randrange(ROW_WORDS // 2)
        rows, run = random.randint(1, 6), random.randint(1, ROW_WORDS - rest)
        return Job(kind, rows, run, target=random.randrange(3), address=ring + row * ROW_WORDS + rest, ring=ring)
    if kind == WEIGHTS:
        width = random.choice([1, 2, 3, 3, 5])
        slot = random.randrange(3 * triples)
        return Job(kind, random.randint(1, 4), width, planes, 0, random.randrange(40), slot // 3, slot % 3)
    if kind == ERROR:
        return Job(
            kind, random.randint(1, 3), random.randint(1, 20), planes, random.randrange(3), 7, 0, random.randrange(3)
        )
    return Job(kind)


def written(dut: Any) -> Iterator[tuple[Where, int]]:
    """What the outputs write in this cycle."""
    data = [int(dut.data_o.value) >> 16 * word & 0xFFFF for word in range(4)]
    if int(dut.lane_valid_o.value):
        for bank in range(4):
            if int(dut.bank_write_o.value) >> bank & 1:
                place = int(dut.bank_address_o.value) >> 14 * bank & 0x3FFF
                yield ("lane", int(dut.lane_o.value), 4 * place + bank, 0), data[bank]
    if int(dut.triple_valid_o.value):
        for word in range(3):
            if int(dut.word_write_o.value) >> word & 1:
                yield ("triple", int(dut.triple_o.value), int(dut.entry_o.value), word), data[word]


@cocotb.test()
async def every_word_goes_where_its_job_says(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk_i, 2, "ns").start()
    beat_words, triples = len(dut.data_i) // 16, int(os.environ["CPT_TRIPLES"])
    dut.rst_ni.value, dut.job_valid_i.value, dut.data_valid_i.value = 0, 0, 0
    dut.row_words_i.value, dut.row_back_i.value = ROW_WORDS, (ROW_WORDS - RING_WORDS) % (1 << 17)
    for planes, ring in product((1, 3, 8), RINGS):
        dut.rst_ni.value, dut.b_bits_i.value = 0, planes
        dut.row_last_i.value = ring + RING_WORDS - ROW_WORDS
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        jobs = [draw(random, triples, planes, ring) for _ in range(60)]
        words = [[random.getrandbits(16) for _ in range(job.words)] for job in jobs]
        expected = [
            write for job, own in zip(jobs, words, strict=True) for write in zip(job.places(triples), own, strict=True)
        ]
        beats = [
            (own[at : at + beat_words], at + beat_words >= len(own))
            for own in words
            for at in range(0, len(own), beat_words)
        ]
        found: list[tuple[Where, int]] = []
        waiting, marks = list(jobs), sum(job.kind == MARK for job in jobs)
        hurry = random.choice([0.4, 0.95])
        for _ in range(40 * len(expected)):
            offers_job, offers_beat = bool(waiting) and random.random() < 0.6, bool(beats) and random.random() < hurry
            dut.job_valid_i.value, dut.data_valid_i.value = offers_job, offers_beat
            if offers_job:
                dut.job_i.value = waiting[0].packed(beat_words)
            if offers_beat:
                dut.data_i.value = sum(word << 16 * place for place, word in enumerate(beats[0][0]))
                dut.data_last_i.value = beats[0][1]
            job_taken = offers_job and int(dut.job_ready_o.value)
            beat_taken = offers_beat and int(dut.data_ready_o.value)
            marks -= int(dut.mark_o.value)
            await FallingEdge(dut.clk_i)
            waiting, beats = waiting[bool(job_taken) :], beats[bool(beat_taken) :]
            found += written(dut)
            if len(found) >= len(expected) and not waiting and not marks:
                break
        order = {where: place for place, (where, _) in enumerate(expected)}
        assert sorted(found) == sorted(expected)
        assert marks == 0
        # Later jobs may overwrite earlier ones: what is written last must be the later job's.
        last = dict(found)
        assert all(last[where] == expected[place][1] for where, place in order.items())
