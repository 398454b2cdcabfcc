"""Kinds of results: what each means for a pass, and what is refused."""

import pytest

from host.compiler.bits import Bits
from host.compiler.jobs import pass_precision
from host.compiler.layer import Conv, Pass
from host.compiler.precision import EXACT
from host.compiler.results import Results, stored_results

LAYER = Conv(2, 16, 16, 6, 6, (3, 3), padding=(1, 1))


@pytest.mark.parametrize(
    ("results", "bits", "row_sums"),
    [
        (Results.ROUNDED, 11, True),
        (Results.ROUNDED_PRODUCTS, 11, False),
        (Results.INT16, 16, True),
        (Results.INT16_PRODUCTS, 16, False),
        (Results.EXACT, 0, False),
    ],
)
def test_what_a_forward_pass_stores(results: Results, bits: int, row_sums: bool) -> None:
    output = stored_results(LAYER, Pass.FORWARD, pass_precision(Pass.FORWARD, Bits(3, 8)), results)
    assert (output.bits, output.row_sums) == (bits, row_sums)


@pytest.mark.parametrize("results", list(Results))
def test_gradients_are_exact_and_names_are_read_back(results: Results) -> None:
    which = Pass.WEIGHT_GRADIENT
    assert stored_results(LAYER, which, pass_precision(which, Bits(3, 8)), results) == EXACT
    assert Results(str(results)) is results


def test_an_unknown_name_is_refused_in_one_line() -> None:
    names = "rounded, int16, rounded-products, int16-products, exact"
    with pytest.raises(ValueError, match=f"^unknown results 'float'; there are: {names}$"):
        Results("float")
