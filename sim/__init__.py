"""The contract (CONTRACT.md), its constants, and the NumPy reference that is its specification."""
