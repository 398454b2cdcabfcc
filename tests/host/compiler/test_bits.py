"""The widths of a step: what they are, and what is refused."""

from typing import Any

import pytest

from host.compiler.bits import Bits


def test_bits_are_printed_compared_and_unpacked() -> None:
    assert str(Bits(3, 8)) == "3/8"
    assert sorted([Bits(8, 8), Bits(3, 8)]) == [Bits(3, 8), Bits(8, 8)]
    forward, backward = Bits(0, 16)
    assert (forward, backward) == (0, 16)


@pytest.mark.parametrize("wrong", [-1, 17, 2.5, 8.0, True, "8", None])
def test_a_width_that_cannot_be_is_refused_in_one_line(wrong: Any) -> None:
    for pair, name in (((wrong, 8), "forward"), ((8, wrong), "backward")):
        with pytest.raises(
            ValueError, match=rf"^{name} bits = {wrong} is not a whole number in 0\.\.16 \(0 is float32\)$"
        ):
            Bits(*pair)
