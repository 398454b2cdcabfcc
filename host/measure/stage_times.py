"""Where the stages of a simulated HLS kernel spend their time, and how full its streams get."""

from __future__ import annotations

from host.compiler.layer import Pass
from host.driver.accelerator import Accelerator
from sim.common.table import as_table
from sim.devices.hls_timed import TimedHlsExecutor


def stage_times(accelerator: Accelerator, which: Pass) -> list[str]:
    """Tables of the last list; none of a device that has no stages of its own."""
    executor = accelerator.device.executor
    if not isinstance(executor, TimedHlsExecutor):
        return []
    timing = executor.timing
    stages = [(name, *stage.values()) for name, stage in timing["stages"].items()]
    streams = [(name, *stream.values()) for name, stream in timing["streams"].items()]
    heads = (f"{which.value}: stage", "at work", "reads wait", "writes wait", "memory", "ping-pong")
    return [as_table(heads, stages), as_table(("stream", "depth", "most held"), streams)]
