"""A Linear that stays in float32 when the model is prepared: output layers over a vocabulary."""

from __future__ import annotations

from torch import nn


class FloatLinear(nn.Linear):
    """`prepare_` converts no layer whose class says so; the policies see this one as the model's last Linear.

    >>> from cpt_model import prepare_
    >>> [type(layer).__name__ for layer in prepare_(nn.Sequential(nn.Linear(4, 4), FloatLinear(4, 9)))]
    ['QuantLinear', 'FloatLinear']
    """

    stays_float = True
