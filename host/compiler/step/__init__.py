"""Whole training iterations as command lists: a network, its plan, its forward and backward list, its head."""
