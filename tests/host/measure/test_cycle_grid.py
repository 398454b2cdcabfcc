"""The form of a point's results, as files of `cpt cycles` write it."""

import pytest

from host.measure.cycle_grid import Stored


@pytest.mark.parametrize("text", ["int16-16", "int16-16+sums", "planes-11", "planes-13+sums"])
def test_forms_are_read_as_they_are_written(text: str) -> None:
    assert str(Stored.parse(text)) == text


@pytest.mark.parametrize("text", ["", "int32-16", "planes", "planes-11+", "16"])
def test_other_forms_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="write them as int16-16 or"):
        Stored.parse(text)
