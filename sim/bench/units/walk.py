"""Rows of all lanes against the flat rows that they are: which rows of A, which of the error, masks of kernel rows.

Strides, padding, zero insertion, maps less high than their kernel; batches, a reader that is slow.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, NextTimeStep, ReadOnly

LANES = 16
IMAGE = 1 << 20  # bytes from image to image of A


class Layer:
    """What a plan says of rows; of a zero-inserted map every `up`th row is one of A."""

    def __init__(self, random: Random) -> None:
        self.wgrad = random.getrandbits(1)
        self.kernel, self.stride = random.randint(1, 7), random.randint(1, 4)
        self.up = 1 if self.wgrad else random.choice([1, 1, 2, 3])
        self.a_height, self.pad = random.randint(1, 12), random.randint(0, 6)
        inserted = (self.a_height - 1) * self.up + 1 + 2 * self.pad
        self.height = max(1, (inserted - self.kernel) // self.stride + 1)
        self.images = random.randint(1, 40)
        self.pitch = max(self.height, -(-self.a_height * self.up // self.stride))
        self.rows = -(-self.images * self.pitch // LANES)
        self.step = min(self.stride, self.kernel)

    def pins(self) -> dict[str, int]:
        return {
            "wgrad": self.wgrad,
            "y_height": self.height,
            "a_height": self.a_height,
            "images": self.images,
            "stride_y": self.stride,
            "up_y": self.up,
            "pad_top": self.pad,
            "pass_ky": self.kernel,
            "step_rows": self.step,
            "pitch": self.pitch,
            "virtual_pitch": self.pitch * self.stride,
            "lane_images": self.rows // self.pitch,
            "lane_rest": self.rows % self.pitch,
            "a_image_stride": IMAGE,
            "lane_a": self.rows // self.pitch * IMAGE,
        }

    def row(self, flat: int, whole: bool) -> tuple[list[tuple[int, int]], int, bool]:
        """Rows of A that are new, as image and row; the mask; whether the row is one of the result."""
        image, y = divmod(flat, self.pitch)
        live = image < self.images and y < self.height
        wanted, mask = [], 0
        for ky in range(self.kernel):
            v, where = y * self.stride - self.pad + ky, image
            if v >= self.pitch * self.stride:
                v, where = v - self.pitch * self.stride, image + 1
            inside = v >= 0 and v % self.up == 0 and v // self.up < self.a_height
            mask |= (live and inside and where == image) << ky
            if inside and where < self.images and (whole or ky >= self.kernel - self.step):
                wanted.append((where, v // self.up))
        return wanted, mask, live


async def walk(dut: Any, random: Random, layer: Layer, flat: int, batch: int, whole: bool) -> None:
    """One lane's batch; everything that comes is compared in order."""
    await FallingEdge(dut.clk)
    dut.walk.value = 0
    for number in range(batch):
        wanted, mask, live = layer.row(flat + number, whole and number == 0)
        error = (flat + number) // layer.pitch, (flat + number) % layer.pitch
        found: list[tuple[int, int]] = []
        errors = 0
        for _ in range(400):
            dut.ready.value, dut.row_taken.value = int(random.random() < 0.7), int(random.random() < 0.7)
            await ReadOnly()
            if int(dut.ready.value):
                if int(dut.a_valid.value):
                    found.append((int(dut.a_base.value) // IMAGE, int(dut.a_row.value)))
                if int(dut.error_valid.value):
                    errors += 1
                    assert (int(dut.error_image.value), int(dut.error_row.value)) == error
            ends = int(dut.row_end.value) and int(dut.row_taken.value)
            if ends:
                assert (int(dut.mask.value), bool(int(dut.live.value))) == (mask, live)
                assert bool(int(dut.last.value)) == (number == batch - 1)
            await FallingEdge(dut.clk)
            if ends:
                break
        else:
            raise AssertionError("a row does not end")
        assert (found, errors) == (wanted, int(live and bool(layer.wgrad)))


@cocotb.test()
async def rows_agree(dut: Any) -> None:
    random = Random(os.environ["CPT_SEED"])
    Clock(dut.clk, 2, "ns").start()
    for pin in ("deal_begin", "deal", "walk", "ready", "row_taken", "ky_first", "lane"):
        getattr(dut, pin).value = 0
    dut.rst_n.value = 0
    await FallingEdge(dut.clk)
    dut.rst_n.value = 1
    for _ in range(25):
        layer = Layer(random)
        for name, value in layer.pins().items():
            getattr(dut, name).value = value
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.deal_begin.value = 1
        await FallingEdge(dut.clk)
        dut.deal_begin.value, dut.deal.value = 0, 1
        for lane in range(LANES):
            dut.lane.value = lane
            await FallingEdge(dut.clk)
        dut.deal.value = 0
        done = 0
        while done < layer.rows:
            batch = min(random.randint(1, 5), layer.rows - done)
            for lane in range(LANES):
                dut.lane.value, dut.batch.value, dut.whole.value, dut.walk.value = lane, batch, int(done == 0), 1
                await walk(dut, random, layer, lane * layer.rows + done, batch, done == 0)
            done += batch
        await NextTimeStep()
        await FallingEdge(dut.clk)
