"""What an executor can do beyond CONV and WGRAD: the bits of register FEATURES."""

from __future__ import annotations

from sim.contract.constants import Feature
from sim.contract.executor import Executor

ALL_FEATURES = sum(1 << feature for feature in Feature)


def has_vector_unit(features: int) -> bool:
    return bool(features >> Feature.VECTOR_UNIT & 1)


def features_of(executor: Executor) -> int:
    """Register FEATURES of an executor; one without that attribute has none."""
    return getattr(executor, "features", 0)
