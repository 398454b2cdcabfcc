"""The timed C-simulation: small dataflows whose cycles are known, and ones that hang."""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.compiler.jobs import random_operands
from host.compiler.layer import Pass
from host.compiler.layer_spec import parse_layer
from host.driver.execute import run_pass
from host.measure.cycle_grid import BODY, Point
from host.measure.hls_cycles import FILE, NARROW, key, measure, read
from sim.contract import BOARD_BYTES_PER_CYCLE, BOARD_LATENCY_CYCLES, Build, Memory
from sim.devices.hls_executor import HLS, HLS_BUILDS, make, vendor_headers
from sim.devices.hls_timed import TimedHlsExecutor, Timing
from sim.reference import Reference
from sim.synthesis.hls_instrument import instrument
from sim.vectors import catalogue
from tests.hls.random_lists import random_list
from tests.hls.random_steps import random_step
from tests.tools import hls_first

DEPTH = 10  # of a pipeline, as recorder.hpp assumes
START = 10  # of a job

# Two processes; the second wants all words of `late` before it takes the first of `early`.
TWO_STREAMS = """
#include "hls_stream.h"
using std::uint32_t;
static void produce(hls::stream<int>& early, hls::stream<int>& late) {
    first: for (uint32_t i = 0; i < 8; ++i) {
#pragma HLS PIPELINE II=1
        early.write(int(i));
    }
    second: for (uint32_t i = 0; i < 8; ++i) {
#pragma HLS PIPELINE II=1
        late.write(int(i));
    }
}
static void consume(hls::stream<int>& early, hls::stream<int>& late) {
    third: for (uint32_t i = 0; i < 8; ++i) {
#pragma HLS PIPELINE II=1
        late.read();
    }
    fourth: for (uint32_t i = 0; i < 8; ++i) {
#pragma HLS PIPELINE II=2
        early.read();
    }
}
void kernel() {
    for (uint32_t index = 0; index < 2; ++index) {
#pragma HLS DATAFLOW
        static hls::stream<int> early("early");
        static hls::stream<int> late("late");
#pragma HLS STREAM variable=early depth=8
#pragma HLS STREAM variable=late depth=2
        produce(early, late);
        consume(early, late);
    }
}
"""

# A ping-pong memory between a fast process and a slow one.
PING_PONG = """
#include "hls_stream.h"
using std::uint32_t;
static void fill(uint32_t words[16]) {
    filled: for (uint32_t i = 0; i < 16; ++i) {
#pragma HLS PIPELINE II=1
        words[i] = i;
    }
}
static void empty(const uint32_t words[16]) {
    emptied: for (uint32_t i = 0; i < 16; ++i) {
#pragma HLS PIPELINE II=4
        if (words[i] != i) throw std::runtime_error("wrong word");
    }
}
void kernel() {
    for (uint32_t index = 0; index < 4; ++index) {
#pragma HLS DATAFLOW
        std::uint32_t words[16];
        fill(words);
        empty(words);
    }
}
"""

# 64 beats by bursts of 4: each waited for, or `ahead` of them in flight.
BURSTS = """
#include "hls_stream.h"
using std::uint32_t;
void kernel() {
    auto& recorder = cpt::timed::Recorder::one();
    uint32_t asked = 0;
    beats: for (uint32_t beat = 0; beat < 64; ++beat) {
#pragma HLS PIPELINE II=1
        while (asked < 64 && asked < beat - beat % 4 + 4 * AHEAD) {
#pragma HLS UNROLL
            recorder.add(cpt::timed::REQUEST, cpt::timed::burst_value(1, 4));
            asked += 4;
        }
        recorder.add(cpt::timed::READ_BEAT, 1);
    }
}
"""

MAIN = """
#include "replay.hpp"
#include <cstdio>
#include <stdexcept>
void kernel();
int main() {
    using namespace cpt::timed;
    try {
        Recorder::one().begin_list();
        kernel();
        Recorder::one().end_list();
    } catch (const std::runtime_error& problem) {
        std::printf("%s", problem.what());
        return 1;
    }
    std::printf("{\\"cycles\\": %.0f", report().now);
    for (const auto& each : report().streams) std::printf(", \\"%s\\": %u", each.first.c_str(), each.second.high_water);
    std::printf("}");
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("build", hls_first(HLS_BUILDS))
def test_every_vector_has_the_same_result_with_time(build: str) -> None:
    made = make(f"build/{build}-timed/testbench", f"build/vectors/{build}.made")
    assert made.returncode == 0, made.stdout + made.stderr
    command = [str(HLS / f"build/{build}-timed/testbench"), str(HLS / f"build/vectors/{build}")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stdout
    assert f"{len(list(catalogue(Build.named(build))))} passed, 0 failed" in done.stdout


def run(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "kernel.cpp").write_text(instrument(source))
    (folder / "main.cpp").write_text(MAIN)
    timed = HLS / "timed"
    sources = [*timed.glob("*.cpp"), folder / "kernel.cpp", folder / "main.cpp"]
    flags = ["-std=c++14", "-O1", f"-I{timed}", "-include", "recorder.hpp", "-Wno-unknown-pragmas"]
    command = ["g++", *flags, *map(str, sources), "-o", str(folder / "run")]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return subprocess.run([str(folder / "run")], capture_output=True, text=True, timeout=60, check=False)


def timing(source: str, folder: Path) -> dict[str, Any]:
    done = run(source, folder)
    assert done.returncode == 0, done.stdout
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_cycles_of_two_streams_are_those_counted_by_hand(tmp_path: Path) -> None:
    found = timing(TWO_STREAMS, tmp_path)
    late = START + DEPTH + 8 + DEPTH + 1  # when the first word is written, to be read in the next cycle
    job = late + 1 + 7 + DEPTH + 2 * 8
    assert (found["early"], found["late"]) == (8, 2)
    # The producer is ahead in the second job: the consumer never waits.
    assert found["cycles"] == job + START + DEPTH + 8 + DEPTH + 2 * 8


def test_stream_one_too_shallow_is_a_deadlock_that_names_it(tmp_path: Path) -> None:
    done = run(TWO_STREAMS.replace("variable=early depth=8", "variable=early depth=7"), tmp_path)
    assert done.returncode == 1
    assert "produce waits to write 'early', which is full with 7" in done.stdout
    assert "consume waits to read 'late'" in done.stdout


def test_ping_pong_memory_runs_at_the_slower_pace(tmp_path: Path) -> None:
    slow, fast = START + DEPTH + 4 * 16, START + DEPTH + 16
    assert timing(PING_PONG, tmp_path)["cycles"] == fast + 4 * slow


def test_bursts_that_are_waited_for_pay_the_latency_each(tmp_path: Path) -> None:
    beat = 64 / BOARD_BYTES_PER_CYCLE
    alone = timing(BURSTS.replace("AHEAD", "1"), tmp_path)["cycles"]
    assert alone >= 16 * (BOARD_LATENCY_CYCLES + 3 * beat)
    ahead = timing(BURSTS.replace("AHEAD", "16"), tmp_path)["cycles"]
    assert ahead <= DEPTH + BOARD_LATENCY_CYCLES + 64 * beat + 4


def test_more_bursts_than_the_master_takes_hang(tmp_path: Path) -> None:
    source = BURSTS.replace("64", "256").replace("AHEAD", "33")
    done = run(source, tmp_path)
    assert done.returncode == 1
    assert "room for a burst, which only its own reads would make" in done.stdout


SMALL = "conv:n16,c16-16,32x32,k3,p1"  # a layer of the body, one image a lane


def layer_timing(
    name: str, which: Pass, bits: tuple[int, int], latency: int = BOARD_LATENCY_CYCLES, layer_name: str = SMALL
) -> Timing:
    """A pass of a layer, with 16-bit results."""
    build = Build.named(name)
    executor = TimedHlsExecutor(build, latency=latency)
    point = Point(layer_name, which, bits)
    layer, precision = parse_layer(point.layer), point.precision()
    run_pass(executor, layer, which, precision, *random_operands(layer, which, precision, seed=1), point.output())
    return executor.timing


def changed_library(build: str, file: str, old: str, new: str, sources: tuple[str, ...], folder: Path) -> ctypes.CDLL:
    """The timed kernel, built already, with a change in a file that these sources see."""
    text = (HLS / "build/timed" / file).read_text()
    assert old in text
    for source in sources:
        (folder / f"{source}.cpp").write_text((HLS / f"build/timed/{source}.cpp").read_text())
    (folder / file).write_text(text.replace(old, new))
    kept = [path for path in (HLS / f"build/{build}-timed").rglob("*.o") if path.stem not in (*sources, "testbench")]
    flags = ["-std=c++14", "-O1", "-fPIC", "-shared", f"-DCPT_BUILD={build}", "-DCPT_TIMED", "-Wno-unknown-pragmas"]
    folders = [f"-I{HLS / 'timed'}", f"-I{HLS / 'build/timed'}", "-isystem", str(vendor_headers())]
    inputs = [*(str(folder / f"{source}.cpp") for source in sources), *map(str, kept)]
    library = folder / "changed.so"
    command = ["g++", *flags, *folders, "-include", "recorder.hpp", *inputs, "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    loaded = ctypes.CDLL(str(library))
    loaded.cpt_run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
    return loaded


def share_of_latency(which: Pass) -> float:
    """What a memory four times as slow to answer costs a pass, at few bits: at many the array hides slow loads."""
    near = layer_timing("hls", which, (3, 3))["cycles"]
    return layer_timing("hls", which, (3, 3), latency=4 * BOARD_LATENCY_CYCLES)["cycles"] / near - 1


@pytest.mark.slow
@pytest.mark.parametrize("which", list(Pass))
def test_loads_are_not_bound_by_latency(which: Pass) -> None:
    assert share_of_latency(which) < 0.15


@pytest.mark.slow
def test_load_that_waits_for_each_run_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layer_timing("hls", Pass.WEIGHT_GRADIENT, (3, 3))
    ahead, sources = "count_ == RUNS_AHEAD", ("load_conv", "load_strips", "load_wgrad")
    planted = changed_library("hls", "load.hpp", ahead, "count_ == 1", sources, tmp_path)
    monkeypatch.setattr("sim.devices.hls_executor.load_library", lambda name: planted)
    assert share_of_latency(Pass.WEIGHT_GRADIENT) > 1


@pytest.mark.slow
@pytest.mark.parametrize(("images", "share"), [(8, 1 / 2), (4, 1 / 4), (1, 1 / 16), (24, 3 / 2), (3, 7 / 32)])
def test_few_images_fill_the_lanes(images: int, share: float) -> None:
    """Three images make five bands each of seven rows at most."""
    full = layer_timing("hls", Pass.FORWARD, (8, 8))["cycles"]
    few = layer_timing("hls", Pass.FORWARD, (8, 8), layer_name=SMALL.replace("n16", f"n{images}"))["cycles"]
    assert few < share * full + 5000


# Each run of a slice's pixels lies in 87 beats: eight of them are more bursts than the master takes.
GAPS = "conv:n2,c16-16,8x361,k3,s1x15"


@pytest.mark.slow
def test_long_runs_do_not_fill_the_queue_of_the_master() -> None:
    assert layer_timing("tiny", Pass.WEIGHT_GRADIENT, (4, 4), layer_name=GAPS)["cycles"] > 0


@pytest.mark.slow
def test_runs_counted_alone_fill_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layer_timing("tiny", Pass.WEIGHT_GRADIENT, (4, 4))
    counted, sources = "bursts_ + MOST_BURSTS > READS_OUTSTANDING", ("load_conv", "load_strips", "load_wgrad")
    planted = changed_library("tiny", "load.hpp", counted, "false", sources, tmp_path)
    monkeypatch.setattr("sim.devices.hls_executor.load_library", lambda name: planted)
    with pytest.raises(RuntimeError, match="room for a burst"):
        layer_timing("tiny", Pass.WEIGHT_GRADIENT, (4, 4), layer_name=GAPS)


@pytest.mark.slow
def test_kept_cycles_are_those_that_are_simulated() -> None:
    """Two of them, at few bits, where all stages count: the table in hls/README.md is made from the file."""
    executor = TimedHlsExecutor(Build.named("hls"))
    kept = {key(row): row["cycles"] for row in read(FILE)["points"]}
    for which in (Pass.FORWARD, Pass.WEIGHT_GRADIENT):
        row = measure(executor, Point(BODY[2], which, NARROW))
        assert row["cycles"] == kept[key(row)]


@pytest.mark.slow
@pytest.mark.parametrize("which", list(Pass))
def test_cycles_fall_with_the_bits(which: Pass) -> None:
    narrow, wide = (layer_timing("hls", which, (bits, bits))["cycles"] for bits in (3, 8))
    assert narrow < 0.35 * wide


@pytest.mark.slow
def test_shallow_lane_feed_hangs_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come lane by lane, as many words at once as a feed holds, and all lanes take theirs together.

    By two, not one: an iteration's reads happen one by one here, and the first lane's frees a place.
    """
    layer_timing("tiny", Pass.FORWARD, (8, 8))
    planted = changed_library(
        "tiny", "kernel.cpp", "depth(lane_feed, 32,", "depth(lane_feed, 30,", ("kernel",), tmp_path
    )
    monkeypatch.setattr("sim.devices.hls_executor.load_library", lambda name: planted)
    with pytest.raises(RuntimeError, match=r"would hang: deadlock: .*'lane_feed', which is full with 30"):
        layer_timing("tiny", Pass.FORWARD, (8, 8))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(i, marks=pytest.mark.exhaustive) for i in range(3, 20))])
@pytest.mark.parametrize("lists", [random_list, random_step])
def test_random_lists_neither_hang_nor_differ(seed: int, lists: Callable[..., tuple[Memory, int, int]]) -> None:
    build = Build.named("hls")
    memory, offset, size = lists(seed, build)
    expected, found = memory.copy(), memory.copy()
    wanted = Reference(build).run(expected, offset, size)
    assert TimedHlsExecutor(build).run(found, offset, size).error == wanted.error
    assert np.array_equal(expected, found)
