"""exp, log and cos of our own against correctly rounded ones."""

from decimal import Decimal, getcontext, localcontext

import numpy as np
import pytest

from sim.common.elementary import cos_pi, exp, log

getcontext().prec = 40
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


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


def test_cos_is_within_two_units_of_the_last_place():
    x = np.concatenate([np.random.default_rng(3).uniform(-2, 2, 2000), np.arange(-40, 41) / 20])
    with localcontext() as context:
        context.prec = 60
        found, exact = cos_pi(x), [cosine(Decimal(float(each)) * PI) for each in x]
    assert ulps(found[found != 0], [right for one, right in zip(found, exact, strict=True) if one]) < 2


@pytest.mark.parametrize(
    ("x", "value"), [(0.0, 1.0), (0.5, 0.0), (-1.5, 0.0), (1.0, -1.0), (2.0, 1.0), (1e6 + 1, -1.0)]
)
def test_cos_where_it_is_a_whole_number(x, value):
    assert cos_pi(x) == value
    assert cos_pi([x])[0] == value


def cosine(x: Decimal) -> Decimal:
    total, term = Decimal(0), Decimal(1)
    for n in range(1, 80, 2):
        total += term
        term *= -x * x / (n * (n + 1))
    return total
