"""Builds a device for Verilator and runs the bench on it; `cpt cosim` and pytest both use it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sim.bench.devices import Dut
from sim.common.files import locked
from sim.common.plain_names import plain_folder, plain_name
from sim.devices.verilator import verilator_environment

TOPLEVEL = "cpt_kernel"
LOCK_SECONDS = 1800  # wait for another process in the same build folder, as long as its run may take
PERIOD_NS = 5  # of the clock in the bench


@dataclass(frozen=True)
class Stress:
    """How difficult the memory is for the device."""

    seed: int = 1
    pause: float = 0.2  # share of cycles in which a channel is held back
    latency: int = 8  # most cycles a read waits
    watchdog: int = 20_000_000  # most cycles a list may take before the bench gives up on it

    def __post_init__(self) -> None:
        if not 0 <= self.pause <= 0.9 or self.latency < 0 or self.watchdog < 1:
            raise ValueError(
                f"pause {self.pause} must be in 0..0.9, latency {self.latency} not negative, "
                f"watchdog {self.watchdog} at least 1"
            )


@dataclass(frozen=True)
class Speed:
    """Cycles of the device that were simulated, and the seconds it took."""

    cycles: int
    seconds: float


class BenchError(RuntimeError):
    """The bench found a difference, or the device hung; the message is the bench's."""


def run_bench(dut: Dut, vectors: Sequence[Path], build_dir: Path, stress: Stress, waves: bool = False) -> Speed:
    """Replays vector files on the device; raises BenchError with what differed."""
    build_dir.mkdir(parents=True, exist_ok=True)
    vector_list = build_dir / "vectors.txt"
    with locked(build_dir / ".lock", LOCK_SECONDS):
        vector_list.write_text("\n".join(str(path.resolve()) for path in vectors))
        settings = bench_settings(vector_list, stress)
        return replay_speed(simulate(dut, TOPLEVEL, f"{__package__}.replay", build_dir, settings, waves))


def replay_speed(results: Path) -> Speed:
    """Speed of the test that replays the vectors, from cocotb's report."""
    case = next(case for case in ElementTree.parse(results).iter("testcase") if case.get("name") == "replay")
    properties = {each.get("name"): each.get("value", "0") for each in case.iter("property")}
    return Speed(round(float(properties["sim_time_duration"]) / PERIOD_NS), float(case.get("time", "0")))


def simulate(
    dut: Dut,
    toplevel: str,
    test_module: str,
    build_dir: Path,
    settings: dict[str, str],
    waves: bool,
    simulator: str = "verilator",
) -> Path:
    """Builds a device and runs the cocotb tests of a module on it; returns the report of them."""
    from cocotb_tools import config
    from cocotb_tools.runner import get_runner

    build_dir = plain_folder(build_dir)
    config.libs_dir, config.share_dir = plain_name(config.libs_dir), plain_name(config.share_dir)
    results = (build_dir / "results.xml").resolve()
    results.unlink(missing_ok=True)
    shared: dict[str, Any] = {"hdl_toplevel": toplevel, "build_dir": build_dir, "waves": waves}
    settings = {"COCOTB_LOG_LEVEL": "WARNING", **settings}
    with environment(verilator_environment() if simulator == "verilator" else {}):
        runner = get_runner(simulator)
        try:
            runner.build(**shared, **dut.build_options(), timescale=("1ns", "1ps"), log_file=build_dir / "build.log")
            report: dict[str, Any] = {"results_xml": str(results), "log_file": build_dir / "test.log"}
            runner.test(**shared, **report, test_module=test_module, extra_env=settings)
        except (RuntimeError, SystemExit) as failed:  # under pytest the runner exits when a test of its own fails
            if not results.exists():
                raise BenchError(f"{failed}: see build.log and test.log in {build_dir}") from failed
    raise_failures(results)
    return results


def bench_settings(vector_list: Path, stress: Stress) -> dict[str, str]:
    """What `sim.bench.replay` reads from its environment."""
    return {
        "CPT_VECTORS": str(vector_list.resolve()),
        "CPT_SEED": str(stress.seed),
        "CPT_PAUSE": str(stress.pause),
        "CPT_LATENCY": str(stress.latency),
        "CPT_WATCHDOG": str(stress.watchdog),
    }


def raise_failures(results: Path) -> None:
    """Turns a results file with a failed test, or with none at all, into an exception."""
    cases = list(ElementTree.parse(results).iter("testcase"))
    if not cases:
        raise BenchError(f"the bench ran no test: see {results.parent / 'test.log'}")
    for case in cases:
        for failure in (*case.iter("failure"), *case.iter("error")):
            raise BenchError(failure.get("error_msg") or failure.get("message") or "failed without a message")


@contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
    """cocotb's runner takes the tools' settings from the process's environment only."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
