"""The parts of the pynq package that the driver uses, imported without its warnings on other processors."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pynq warns at import on anything but a Zynq
    from pynq import MMIO, DefaultIP, Device, Overlay
    from pynq.buffer import PynqBuffer

__all__ = ["MMIO", "DefaultIP", "Device", "Overlay", "PynqBuffer"]
