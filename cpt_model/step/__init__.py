"""The whole training step in integers: command lists on unpacked tensors, fast, bit for bit as the contract says.

`IntegerNetwork` stands for a model and its optimiser; `TensorDevice` is what runs the lists, in the place of a board.
"""

from cpt_model.step.describe import describe, floats_of
from cpt_model.step.machine import TensorDevice
from cpt_model.step.network import IntegerNetwork

__all__ = ["IntegerNetwork", "TensorDevice", "describe", "floats_of"]
