"""What runs beside the accelerator: the compiler from layers to command lists, and the driver. NumPy and pynq only."""

from sim.common.version import __version__ as __version__
