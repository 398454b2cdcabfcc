"""Named test vectors that every executor replays: memory before, list to run, memory and registers after."""

from sim.vectors.catalogue import catalogue
from sim.vectors.vector import Vector

__all__ = ["Vector", "catalogue"]
