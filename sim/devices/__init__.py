"""What runs command lists on this machine: executors, and the simulated pynq device around one."""

from sim.devices.executors import EXECUTORS, open_executor

__all__ = ["EXECUTORS", "open_executor"]
