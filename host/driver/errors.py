"""What can go wrong between a host and the accelerator. Each message says what, where and what to do."""

from __future__ import annotations


class DeviceError(RuntimeError):
    """The device, not the caller's data, is at fault."""


class OverlayError(DeviceError):
    """The overlay has no accelerator that this driver knows."""


class VersionError(DeviceError):
    """An accelerator of another contract version, or of another build than requested."""


class DeviceBusyError(DeviceError):
    """Another process, or another handle of this one, has the device."""


class ContiguousMemoryError(DeviceError):
    """The planned region does not fit what is free."""


class DeviceTimeoutError(DeviceError):
    """A list did not end in time; the device was reset."""


class ExecutionError(DeviceError):
    """The accelerator ended a list with an error; the message names the error and the command."""
