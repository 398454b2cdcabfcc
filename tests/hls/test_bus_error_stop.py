"""After a bus error the kernel stops: it does not run the rest of a long command (contract, section 12)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from sim.contract import COMMAND_BYTES, Command, Error, Format, Opcode, encode_list
from sim.devices.hls_executor import HLS, hls_sources, make, vendor_headers

ROWS = 4000  # of the map; a job has one for each lane
ROW_BYTES = 64  # of one plane of 32 pixels
NEVER = 2**31


@pytest.fixture(scope="module")
def failing_bus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of failing_bus.cpp, with the objects of the tiny build."""
    objects = [f"build/tiny/{source.relative_to(HLS).with_suffix('.o')}" for source in hls_sources()]
    made = make(*objects)
    assert made.returncode == 0, made.stdout + made.stderr
    program = tmp_path_factory.mktemp("failing_bus") / "failing_bus"
    source = Path(__file__).parent / "failing_bus.cpp"
    command = [
        "g++",
        "-std=c++14",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unknown-pragmas",
        "-Wno-unused-label",
        "-DCPT_BUILD=tiny",
    ]
    command += ["-isystem", str(vendor_headers()), f"-I{HLS}", str(source), *objects, "-o", str(program)]
    done = subprocess.run(command, cwd=HLS, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A region with one long command at its start: a 1 x 1 convolution of one image, one bit wide."""
    operand, result = ROWS * ROW_BYTES, ROWS * ROW_BYTES
    command = Command(
        opcode=Opcode.CONV,
        a_bits=1,
        b_bits=1,
        out_bits=1,
        out_format=Format.PLANES,
        images=1,
        a_blocks=1,
        y_blocks=1,
        a_height=ROWS,
        a_width=32,
        y_height=ROWS,
        y_width=32,
        kernel_h=1,
        kernel_w=1,
        stride_y=1,
        stride_x=1,
        up_y=1,
        up_x=1,
        a_addr=128,
        out_addr=128 + operand,
        b_addr=128 + operand + result,
        b_image_stride=2,
    )
    memory = np.zeros(128 + operand + result + 64, dtype=np.uint8)
    memory[:COMMAND_BYTES] = np.frombuffer(encode_list([command]), dtype=np.uint8)
    path = tmp_path_factory.mktemp("image") / "region"
    path.write_bytes(memory.tobytes())
    return path


def run(program: Path, image: Path, first: int) -> tuple[Error, int, int]:
    """STATUS, operand reads, and writes after the error, when the reads from number `first` on fail."""
    command = [str(program), str(image), "0", str(COMMAND_BYTES), str(first)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    status, reads, late_writes = map(int, done.stdout.split())
    return Error(status), reads, late_writes


def test_command_reads_its_operands_when_nothing_fails(failing_bus: Path, image: Path) -> None:
    status, reads, _ = run(failing_bus, image, NEVER)
    assert status is Error.OK
    assert reads >= ROWS * ROW_BYTES // 8


@pytest.mark.parametrize("first", [0, 100, 4000])
def test_command_stops_soon_after_a_failed_read(failing_bus: Path, image: Path, first: int) -> None:
    status, reads, late_writes = run(failing_bus, image, first)
    assert status is Error.READ_BUS
    assert reads - first < ROWS * ROW_BYTES // 8 // 10, "a tenth of the command"
    assert late_writes == 0
