"""Whole iterations of training on the C++ kernel: every byte of the region as the reference leaves it."""

from __future__ import annotations

import pytest

from sim.contract import Build
from sim.devices.hls_executor import HLS_BUILDS, HlsExecutor
from tests.whole_iterations import assert_trains_as_the_reference


@pytest.mark.parametrize("build", HLS_BUILDS)
def test_iterations_of_resnet_8_leave_what_the_reference_leaves(build: str) -> None:
    assert_trains_as_the_reference(HlsExecutor(Build.named(build)), batch=4)
