"""The parts of the pynq package that the driver stands on, imported without its remarks on other processors."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pynq warns at import wherever it is not a Zynq
    from pynq import MMIO, DefaultIP, Device, Overlay
    from pynq.buffer import PynqBuffer

__all__ = ["MMIO", "DefaultIP", "Device", "Overlay", "PynqBuffer"]
