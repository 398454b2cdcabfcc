"""The NumPy reference: the contract's executable form."""

from sim.reference.reference import Product, Reference

__all__ = ["Product", "Reference"]
