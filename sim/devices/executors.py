"""Executors by name: what runs the lists of a simulated device (`host.driver.devices`), or of a test directly."""

from __future__ import annotations

from sim.contract import Build, Executor
from sim.reference import Reference
from sim.reference.products import bit_serial, plain_integer

EXECUTORS = ("reference", "bit-serial", "hls", "rtl")


def open_executor(name: str, build: Build) -> Executor:
    """The reference by plain integers or by bit planes, the C-simulated HLS kernel, or the Verilated RTL core.

    >>> open_executor("reference", Build.named("tiny")).build.name
    'tiny'
    """
    if name == "hls":
        from sim.devices.hls_executor import HlsExecutor

        return HlsExecutor(build)
    if name == "rtl":
        from sim.devices.rtl_executor import RtlExecutor

        return RtlExecutor(build)
    if name not in EXECUTORS:
        raise ValueError(f"unknown executor '{name}'; there are: {', '.join(EXECUTORS)}")
    return Reference(build, bit_serial if name == "bit-serial" else plain_integer)
