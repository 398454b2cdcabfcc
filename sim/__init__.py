"""The contract (CONTRACT.md), its constants, and the NumPy reference that is its specification."""

from sim.common.version import __version__ as __version__
