"""Vectors of the commands that need a vector unit: the whole training step in integers."""
