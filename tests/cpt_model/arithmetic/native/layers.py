"""Layers for the C++ products."""

from __future__ import annotations

from hypothesis import strategies as st

from host.compiler.layer import Conv


@st.composite
def dense_layers(draw: st.DrawFn) -> Conv:
    """Any stride, padding below the kernel's size, channels round the blocks of 4, 6, 16 and 32 computed together."""
    kernel = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    top, left = (draw(st.integers(0, size - 1)) for size in kernel)
    height, width = (draw(st.integers(size, 19)) for size in kernel)
    channels = st.sampled_from([1, 2, 3, 5, 6, 7, 15, 16, 17, 31, 33, 49])
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    return Conv(draw(st.integers(1, 9)), draw(channels), draw(channels), height, width, kernel, stride, (top, left))
