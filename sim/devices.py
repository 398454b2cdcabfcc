"""Executors by name: what stands behind a simulated device (`host.devices`) or is called directly by a test."""

from __future__ import annotations

from sim.config import Config
from sim.executor import Executor
from sim.products import bit_serial, plain_integer
from sim.reference import Reference

DEVICES = ("reference", "bit-serial", "hls", "rtl")


def open_executor(name: str, config: Config) -> Executor:
    """The reference by plain integers or by bit planes, the C-simulated HLS kernel, or the Verilated RTL core.

    >>> open_executor("reference", Config.named("tiny")).config.name
    'tiny'
    """
    if name == "hls":
        from sim.hls_device import HlsKernel

        return HlsKernel(config)
    if name == "rtl":
        from sim.rtl_device import RtlKernel

        return RtlKernel(config)
    if name not in DEVICES:
        raise ValueError(f"unknown device '{name}'; there are: {', '.join(DEVICES)}")
    return Reference(config, bit_serial if name == "bit-serial" else plain_integer)
