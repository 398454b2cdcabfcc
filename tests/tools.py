"""What several test files share: definitions written a second time, independently, and ways to run commands."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import strategies as st

from host.compiler.command_list import CommandList
from host.compiler.layer import Conv, Pass
from host.compiler.lower import lower
from host.compiler.plan import Plan
from host.compiler.precision import EXACT, Output, Precision
from host.compiler.program import Program
from sim.contract import Build, Command, Error, Flag, Format, Opcode, flag_bits
from sim.reference import Reference

ROOT = Path(__file__).parents[1]
TINY, ZC706, TRAIN = map(Build.named, ("tiny", "zc706", "zc706_train"))
WORD = 0xFFFFFFFF

Codes = npt.NDArray[np.int64]
Memory = npt.NDArray[np.uint8]

# `small_conv` and `small_wgrad` lie in [0, LIST) of a region of REGION bytes; two commands fit behind.
LIST, REGION = 6784, 7040


def files_of_the_repository() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    files = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    return [file for file in files if file.is_file()]


def contract() -> dict[str, Any]:
    """The tables of contract.toml, read here rather than through the code under test."""
    tomllib = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    tables: dict[str, Any] = tomllib.loads((ROOT / "sim" / "contract" / "contract.toml").read_text(encoding="utf-8"))
    return tables


def python_noise(seed: int, index: int) -> int:
    """The contract's generator in Python's own integers."""

    def mix(x: int) -> int:
        for right, left in ((14, 13), (11, 5), (16, 4)):
            x ^= x >> right
            x = (x + (x << left)) & WORD
        return x

    low, high = seed & WORD, seed >> 32 & WORD
    key_0 = mix(mix((mix(low ^ 0x9E3779B9) + high) & WORD) ^ 0x85EBCA6B)
    key_1 = mix(mix((key_0 + low) & WORD) ^ high)
    x = mix((mix((index ^ key_0) & WORD) + key_1) & WORD)
    return x ^ x >> 16


def least_and_greatest(bits: int, signed: bool) -> tuple[int, int]:
    every = range(2**bits)
    return (every[0] - 2 ** (bits - 1), every[-1] - 2 ** (bits - 1)) if signed else (every[0], every[-1])


def draw_codes(seed: int, shape: tuple[int, ...], bits: int, signed: bool) -> Codes:
    """Codes over the whole range; the ends occur often."""
    generator = np.random.default_rng(seed)
    low, high = least_and_greatest(bits, signed)
    anywhere = generator.integers(low, high, size=shape, endpoint=True)
    return np.where(generator.random(shape) < 0.2, np.where(anywhere > (low + high) / 2, high, low), anywhere)


@st.composite
def layers(draw: st.DrawFn) -> Conv:
    """Small layers of every kind: odd shapes, strides, paddings, groups up to depthwise."""
    kernel, stride, padding, extent = [], [], [], []
    for _ in range(2):
        kernel.append(draw(st.integers(1, 4)))
        stride.append(draw(st.integers(1, 3)))
        padding.append(draw(st.integers(0, kernel[-1] - 1)))
        extent.append(draw(st.integers(max(1, kernel[-1] - 2 * padding[-1]), 7)))
    groups, group_in, group_out = draw(
        st.one_of(
            st.tuples(st.just(1), st.integers(1, 40), st.integers(1, 40)),
            st.tuples(st.integers(2, 36), st.just(1), st.integers(1, 2)),
            st.tuples(st.integers(2, 5), st.integers(1, 6), st.integers(1, 6)),
            st.tuples(st.just(2), st.sampled_from([16, 24]), st.sampled_from([8, 16, 32])),
        )
    )
    return Conv(
        draw(st.integers(1, 3)),
        groups * group_in,
        groups * group_out,
        extent[0],
        extent[1],
        (kernel[0], kernel[1]),
        (stride[0], stride[1]),
        (padding[0], padding[1]),
        groups,
    )


def operands(layer: Conv, which: Pass, precision: Precision, seed: int = 0) -> tuple[Codes, Codes]:
    """Codes of the two operands, in the shapes PyTorch gives them."""
    a_shape, b_shape = layer.operand_shapes(which)
    a = draw_codes(2 * seed, a_shape, precision.a_bits, precision.a_signed)
    return a, draw_codes(2 * seed + 1, b_shape, precision.b_bits, precision.b_signed)


def run_pass(
    layer: Conv,
    which: Pass,
    precision: Precision,
    a: Codes,
    b: Codes,
    output: Output = EXACT,
    zero_insertion: bool = False,
) -> tuple[Program, Memory]:
    """Lowers a pass, loads its operands, executes it on the reference; the program reads results from the memory."""
    plan = Plan()
    program = lower(layer, which, precision, ZC706, output, plan=plan, zero_insertion=zero_insertion)
    commands = CommandList.place([program], plan)
    memory = np.full(plan.bytes, 0xA5, dtype=np.uint8)
    program.load(memory, a, b)
    commands.write(memory)
    outcome = Reference(ZC706).run(memory, commands.offset, commands.bytes)
    assert outcome.error == Error.OK
    return program, memory


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on standard error that a `cpt` command with a mistake prints."""
    from scripts.cli import main

    capsys.readouterr()
    assert main(list(arguments)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("cpt: ")
    return line


def small_conv(**changes: int) -> Command:
    """A legal CONV of two 4 × 4 maps, 16 to 32 channels, 3 × 3, 4 by 4 bits, with row sums, packed without gaps."""
    command = Command(
        opcode=Opcode.CONV,
        a_bits=4,
        b_bits=4,
        out_format=Format.INT32,
        flags=1 << Flag.ROW_SUMS,
        images=2,
        a_blocks=1,
        y_blocks=2,
        a_height=4,
        a_width=4,
        y_height=4,
        y_width=4,
        kernel_h=3,
        kernel_w=3,
        pad_top=1,
        pad_left=1,
        pad_bottom=1,
        pad_right=1,
        a_image_stride=128,
        b_addr=256,
        b_image_stride=72,
        out_addr=2560,
        out_image_stride=2048,
        out_block_stride=1024,
        sums_addr=6656,
    )
    return replace(command, **changes)


def small_wgrad(**changes: int) -> Command:
    """A legal WGRAD: 16 by 32 channels, 1 × 1, on maps of one row of four, with row sums."""
    command = Command(
        opcode=Opcode.WGRAD,
        a_bits=4,
        b_bits=4,
        out_format=Format.INT32,
        flags=1 << Flag.ROW_SUMS,
        images=2,
        y_blocks=2,
        a_width=4,
        y_width=4,
        a_image_stride=32,
        b_addr=256,
        b_image_stride=64,
        b_block_stride=32,
        out_addr=2560,
        out_image_stride=128,
        out_block_stride=64,
        sums_addr=6656,
    )
    return replace(command, **changes)


# Python's Tcl has no `exit`, and its output is lost unless it is flushed.
TKINTER = """
import os, sys, tkinter
tcl = tkinter.Tcl()
def leave(code="0"):
    tcl.eval("flush stdout; flush stderr")
    os._exit(int(code))
tcl.createcommand("exit", leave)
tcl.evalfile(sys.argv[1])
tcl.eval("flush stdout")
"""


def tcl_interpreter() -> list[str]:
    """Tclsh, or the Tcl inside Python where there is no tclsh; either takes a script's name."""
    tclsh = shutil.which("tclsh")
    if tclsh is not None:
        return [tclsh]
    if importlib.util.find_spec("_tkinter") is None:
        pytest.skip("no Tcl to run the vendor's scripts with: apt-get install tcl, or a Python with tkinter")
    return [sys.executable, "-c", TKINTER]


def vector_unit_asked_for() -> dict[str, tuple[Command, Error]]:
    """Commands that need a vector unit, or nearly, and how an executor without one ends."""
    both = flag_bits(Flag.HALF, Flag.STATS, Flag.B_SIGNED)
    cases = {
        "half": (small_conv(flags=flag_bits(Flag.HALF, Flag.B_SIGNED)), Error.UNSUPPORTED),
        "stats": (small_conv(flags=flag_bits(Flag.STATS)), Error.UNSUPPORTED),
        "wgrad": (small_wgrad(flags=both), Error.UNSUPPORTED),
        "and a wrong width": (small_conv(flags=both, a_bits=17), Error.WIDTH),
        "and a wrong format": (small_conv(flags=both, out_format=4), Error.FORMAT),
        "and a wrong shape": (small_conv(flags=both, y_height=5), Error.SHAPE),
        "and too long a sum": (small_conv(flags=both, a_bits=16, b_bits=16, a_blocks=4095), Error.UNSUPPORTED),
        "and a wrong place": (small_conv(flags=both, out_addr=1), Error.UNSUPPORTED),
        "undefined flag": (small_conv(flags=1 << 7), Error.RESERVED),
        "tally_addr alone": (small_conv(tally_addr=0xFFFFFFFF), Error.OK),
    }
    return cases | {each.name: (small_conv(opcode=each), Error.OPCODE) for each in Opcode if each > Opcode.WGRAD}


def hls_first(builds: Iterable[str]) -> list[Any]:
    """Builds as parameters of a test of the HLS kernel: the one that fits always, the others when all is asked for."""
    return [pytest.param(name, marks=() if name == "hls" else pytest.mark.exhaustive) for name in builds]
