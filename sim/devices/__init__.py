"""What runs command lists on this machine: executors, and the simulated pynq device around one."""

from sim.devices.executors import DEVICES, open_executor

__all__ = ["DEVICES", "open_executor"]
