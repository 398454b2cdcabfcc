"""The head's exp and log against correctly rounded ones."""

from decimal import Decimal, getcontext

import numpy as np
import pytest

from host.compiler.step.exponential import exp, log

getcontext().prec = 40


def ulps(found: np.ndarray, exact: list[Decimal]) -> float:
    """The greatest distance in units of the last place."""
    return max(
        abs(float((Decimal(float(one)) - right) / Decimal(float(np.spacing(one)))))
        for one, right in zip(found, exact, strict=True)
    )


def test_exp_is_within_one_unit_of_the_last_place():
    rng = np.random.default_rng(0)
    x = -np.concatenate([rng.uniform(0, 708, 2000), rng.uniform(0, 1, 2000), 10.0 ** rng.uniform(-20, 0, 500)])
    assert ulps(exp(x), [Decimal(float(each)).exp() for each in x]) < 0.9


@pytest.mark.parametrize(("x", "value"), [(0.0, 1.0), (-0.0, 1.0), (-708.1, 0.0), (-np.inf, 0.0), (-1e-300, 1.0)])
def test_exp_at_its_ends(x, value):
    assert exp(np.array([x]))[0] == value


def test_exp_has_no_subnormal_result():
    assert exp(np.array([-708.0]))[0] > np.finfo(np.float64).tiny


def test_log_is_within_two_units_of_the_last_place():
    x = np.concatenate([np.random.default_rng(1).uniform(1, 1000, 2000), 1 + 10.0 ** -np.arange(1.0, 16)])
    assert ulps(log(x), [Decimal(float(each)).ln() for each in x]) < 2


def test_bits_do_not_depend_on_the_array_around_a_number():
    """Vectorised loops and their remainders round alike."""
    x = -np.random.default_rng(2).uniform(0, 30, 1001)
    assert exp(x).tolist() == [exp(np.array([each]))[0] for each in x]
