"""Builds: the named ones, and what is refused."""

from typing import Any

import pytest

from sim.contract import Build
from tests.tools import TINY, contract

LEAST_AND_MOST = [
    ("lanes", 16, 256),
    ("columns", 16, 16),
    ("slice_groups", 1, 64),
    ("lane_words", 64, 1048576),
    ("column_words", 16, 65536),
    ("row_words", 16, 65536),
    ("bus_bytes", 8, 64),
]


@pytest.mark.parametrize("name", ["tiny", "zc706"])
def test_a_named_build_has_the_parameters_of_the_table(name: str) -> None:
    assert Build.named(name).parameters() == contract()["build"][name]


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'zc702'.*tiny, zc706"):
        Build.named("zc702")


@pytest.mark.parametrize(("parameter", "least", "most"), LEAST_AND_MOST)
def test_both_ends_of_a_range_are_legal(parameter: str, least: int, most: int) -> None:
    for value in (least, most):
        assert getattr(Build(**{**vars(TINY), parameter: value}), parameter) == value


@pytest.mark.parametrize(("parameter", "least", "most"), LEAST_AND_MOST)
def test_a_value_outside_its_range_is_refused_by_name(parameter: str, least: int, most: int) -> None:
    for value in (least - 1, most + 1, -least):
        with pytest.raises(ValueError, match=rf"tiny: {parameter} = {value} is not in {least}\.\.{most}"):
            Build(**{**vars(TINY), parameter: value})


@pytest.mark.parametrize("value", [16.0, "16", None])
def test_a_value_that_is_no_integer_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ValueError, match=rf"build tiny: lanes = {value!r} is not an integer"):
        Build(**{**vars(TINY), "lanes": value})


@pytest.mark.parametrize(("parameter", "value", "whole"), [("bus_bytes", 24, 64)])
def test_a_value_that_does_not_divide_the_whole_is_refused(parameter: str, value: int, whole: int) -> None:
    with pytest.raises(ValueError, match=f"{parameter} = {value} does not divide {whole}"):
        Build(**{**vars(TINY), parameter: value})


@pytest.mark.parametrize(("parameter", "value", "grain"), [("lanes", 40, 16)])
def test_a_value_that_is_not_a_multiple_is_refused(parameter: str, value: int, grain: int) -> None:
    with pytest.raises(ValueError, match=f"{parameter} = {value} is not a multiple of {grain}"):
        Build(**{**vars(TINY), parameter: value})
