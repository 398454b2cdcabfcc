"""The programs of the scalar engine: section 9 of the contract, formula by formula, 16 channels at a time.

    python -m sim.synthesis.scalar_program      writes vivado/rtl/scalar_program_pkg.sv

A command reads its headers, judges them, and makes one or two passes over the channels: the first for what is of all
channels, the second for the coefficients. What a pass loads first is asked for as early as possible. As quotients and
powers keep the order of magnitudes, `room` of all channels is that of the greatest one.
"""

from __future__ import annotations

from sim.common.places import RTL
from sim.contract.constants import MAX_MAP_SHIFT, MAX_SCALE_SHIFT, Block
from sim.synthesis.microcode import Program, Value, assemble

PACKAGE = RTL / "scalar_program_pkg.sv"
FRACTION = 24  # bits behind the point of γ, β and their velocities


def norm() -> Program:
    """Sums of y, γ and β to a normalisation; running statistics."""
    c = Program("Norm")
    _headers(c, "tally", "units", "in", "parameters", flagged={"Evaluate": (True, ["step"])})
    start = c.first()
    total, second, least, most = c.load("tally", "sum", "second", "least", "most")
    gamma, beta, old_mean, old_variance = c.load("parameters", "gamma", "beta", "mean", "variance")
    (weight_unit,) = c.load("units", "unit")
    n, shift, behind = c.field("Count"), c.field("Shift"), c.whole(-FRACTION)
    count, less = c.get(n), c.get(c.field("Less"))
    squared, quarter = count * count, c.one.up(c.whole(-2))
    step, keep = c.get(c.header("in", Block.TENSOR, "step")), c.word()
    with c.unless("Evaluate"):
        keep.let(c.get(c.header("step", Block.STEP, "keep")))
    _try(c, "norm", c.header_words("norm"))

    mean, rho, unit, gain, offset, top, bottom = record = c.vectors(7)
    (variance,) = c.vectors()
    running = c.vectors(2)
    with c.blocks(start):
        unit.let((step * c.get(weight_unit)).up(shift))
        with c.unless("Evaluate"):
            mean.let(c.get(total) / count)
            c.op("MulW", second, n)
            c.op("MacW", -total, total)
            variance.let(c.op("LiftW", total) / squared)
        with c.when("Evaluate"):
            mean.let(c.get(old_mean) / unit)
            variance.let(c.get(old_variance) / (unit * unit))
        rho.let(c.one / c.op("Root", variance + quarter))
        gain.let(gamma.up(behind) * rho)
        offset.let(beta.up(behind) - mean * gain)
        ends = [gain * c.get(end) + offset for end in (least, most)]
        top.let(c.max(*ends))
        bottom.let(c.op("Min", *ends))
        c.store("norm", record)
        with c.unless("Evaluate"):
            spread = variance * (unit * unit) * count / less
            for new, old, seen in ((running[0], old_mean, mean * unit), (running[1], old_variance, spread)):
                old = c.get(old)
                new.let(old + (seen - old) * keep)
            c.store("parameters", running, part="mean")
    c.control("End")
    return c


def scale() -> Program:
    """A normalisation to coefficients of codes."""
    c = Program("Scale")
    _headers(c, "norm")
    start = c.first()
    gain, top, bottom = c.load("norm", "gain", "top", "bottom")
    largest = c.get(c.field("Greatest"))
    _, step, bound = tensor = c.header_words("out", 2)
    _, k = coefficients = c.header_words("coefficients", 1)
    _try(c, "out", tensor)
    reaches, gains = c.cleared(), c.cleared()
    (reach,) = c.vectors()
    with c.blocks(start):
        _reach(c, reach, top, bottom)
        reaches.let(c.max(reaches, reach))
        gains.let(c.max(gains, abs(c.get(gain))))

    start = c.first()
    gain, offset = c.load("norm", "gain", "offset")
    c.greatest(reaches, bound)
    step.let(c.op("Else", bound / largest, c.one))
    steepest = c.word()
    c.greatest(gains, steepest)
    k.let(c.op("Room", steepest / step, c.whole(MAX_MAP_SHIFT)))
    record = c.vectors(2)
    with c.blocks(start):
        record[0].let(c.pack(c.op("Int25", c.get(gain) / step, k.whole()), c.zero))
        record[1].let(c.op("Int47", c.get(offset) / step, k.whole()))
        c.store("coefficients", record)
    _finish(c, tensor, coefficients)
    return c


def node() -> Program:
    """A residual output: a normalisation and what is added to it, to integers with a power of two as their unit."""
    c = Program("Node")
    _headers(
        c,
        "norm",
        flagged={"Stream": (False, ["tally1", "in1"]), "Branch": (False, ["norm1"])},
        history=["tally", "out"],
    )
    start = c.first()
    gain, top, bottom = c.load("norm", "gain", "top", "bottom")
    with c.when("Branch"):
        gain1, top1, bottom1 = c.load("norm1", "gain", "top", "bottom")
    with c.when("Stream"):
        least1, most1 = c.load("tally1", "least", "most")
    largest, width, most_k = c.get(c.field("Greatest")), c.field("Width"), c.field("Most")
    _, step, bound, ratio, fraction = tensor = c.header_words("out", 4)
    _, shifts, scaling = coefficients = c.header_words("coefficients", 2)
    fraction1, old_fraction, old_bound = c.word().whole(), c.word().whole(), c.word()
    with c.when("Stream"):
        fraction1.let(c.op("Plus", c.header("in1", Block.TENSOR, "fraction"), c.zero))
    old_fraction.let(c.op("Plus", c.header("out", Block.TENSOR, "fraction"), c.zero))
    old_bound.let(c.get(c.header("out", Block.TENSOR, "bound")))
    _try(c, "coefficients", coefficients)
    reaches, gains, sizes = c.cleared(), c.cleared(), c.cleared()
    reach, reach1 = c.vectors(2)
    with c.blocks(start):
        _reach(c, reach, top, bottom)
        _reach(c, reach1, top1, bottom1)  # for nothing without BRANCH
        gains.let(c.max(gains, abs(c.get(gain))))
        with c.when("Branch"):
            reach.let(reach + reach1)
            gains.let(c.max(gains, abs(c.get(gain1))))
        with c.when("Stream"):
            reach.let(reach + c.max(abs(least1), abs(most1)).up(-fraction1))
        reaches.let(c.max(reaches, reach))
    with c.when("History"):
        start = c.first(everything=True)
        least, most = c.load("tally", "least", "most")
        with c.blocks(start):
            sizes.let(c.max(sizes, c.max(abs(least), abs(most))))

    start = c.first()
    gain, offset = c.load("norm", "gain", "offset")
    with c.when("Branch"):
        gain1, offset1 = c.load("norm1", "gain", "offset")
    c.greatest(reaches, bound)
    f = _fraction(c, bound, width)
    k, steepest = c.word(), c.word()
    c.greatest(gains, steepest)
    k.let(c.op("Room", steepest.up(f), most_k))
    size = c.word()
    c.greatest(sizes, size)
    ratio.let(c.op("Else", size.up(-old_fraction) / old_bound, c.one))
    step.let(c.op("Else", bound * ratio / largest, c.one))
    multiplier = c.one.up(-f) / step
    shift = c.op("Room", multiplier, c.whole(MAX_SCALE_SHIFT))
    scaling.let(c.pack(c.op("Int25", multiplier, shift.whole()), shift))

    record, (second, total) = c.vectors(2), c.vectors(2)
    _second_coefficient(c, second)
    with c.blocks(start):
        first = c.op("Int25", c.get(gain).up(f), k.whole())
        total.let(c.get(offset).up(f))
        with c.when("Branch"):
            second.let(c.op("Int25", c.get(gain1).up(f), k.whole()))
            total.let(total + c.get(offset1).up(f))
        record[0].let(c.pack(first, second))
        record[1].let(c.op("Int47", total, k.whole()))
        c.store("coefficients", record)
    fraction.let(c.pack(f, c.zero))
    shifts.let(_shifts(c, k, f, fraction1))
    _finish(c, tensor, coefficients)
    return c


def join() -> Program:
    """Units of one or two errors to the coefficients that add them."""
    c = Program("Join")
    flagged = {"Power": (True, ["units"]), "Second": (False, ["tally1", "in1"]), "Branch": (False, ["units1"])}
    _headers(c, "tally", "in", flagged=flagged)

    def load_units() -> tuple[Value, Value]:
        with c.unless("Power"):
            (unit,) = c.load("units", "unit")
        with c.when("Branch"):
            (unit1,) = c.load("units1", "unit")
        return unit, unit1

    start = c.first()
    least, most = c.load("tally", "least", "most")
    with c.when("Second"):
        least1, most1 = c.load("tally1", "least", "most")
    loaded = load_units()
    width = c.field("Width")
    _, step, bound, ratio, fraction = tensor = c.header_words("out", 4)
    _, shifts = coefficients = c.header_words("coefficients", 1)
    _try(c, "out", tensor)
    c.clear(step, ratio)
    in_step, in1_step, fraction1 = c.word(), c.word(), c.word().whole()
    shift, shift1 = c.field("Shift"), c.field("Shift1")
    in_step.let(c.get(c.header("in", Block.TENSOR, "step")))
    power = c.one.up(-c.header("in", Block.TENSOR, "fraction"))
    with c.when("Second"):
        in1_step.let(c.get(c.header("in1", Block.TENSOR, "step")))
        fraction1.let(c.op("Plus", c.header("in1", Block.TENSOR, "fraction"), c.zero))
    reaches, units = c.cleared(), c.cleared()
    m, m1, reach = c.vectors(3)
    with c.when("Stream"):
        m1.let(c.one.up(-fraction1))

    def make_units(unit: Value, unit1: Value) -> None:
        _first_unit(c, m, power, in_step, unit, shift)
        with c.when("Branch"):
            m1.let((in1_step * c.get(unit1)).up(shift1))

    with c.blocks(start):
        make_units(*loaded)
        units.let(c.max(units, abs(m)))
        reach.let(m * c.max(abs(least), abs(most)))
        with c.when("Branch"):
            units.let(c.max(units, abs(m1)))
        with c.when("Second"):
            reach.let(reach + m1 * c.max(abs(least1), abs(most1)))
        reaches.let(c.max(reaches, reach))

    start = c.first()
    loaded = load_units()
    c.greatest(reaches, bound)
    f = _fraction(c, bound, width)
    k, steepest = c.word(), c.word()
    c.greatest(units, steepest)
    k.let(c.op("Room", steepest.up(f), c.whole(MAX_MAP_SHIFT)))
    (record,), (second,) = c.vectors(), c.vectors()
    _second_coefficient(c, second)
    with c.blocks(start):
        make_units(*loaded)
        first = c.op("Int25", m.up(f), k.whole())
        with c.when("Branch"):
            second.let(c.op("Int25", m1.up(f), k.whole()))
        record.let(c.pack(first, second))
        c.store("coefficients", [record])
    fraction.let(c.pack(f, c.zero))
    shifts.let(_shifts(c, k, f, fraction1))
    _finish(c, tensor, coefficients)
    return c


def error() -> Program:
    """Sums of an error to the coefficients of its codes; γ and β move."""
    c = Program("Error")
    _headers(c, "tally", "tally1", "in", "norm", "step", "parameters", flagged={"Power": (True, ["units"])})
    start = c.first()
    total, products, least, most = c.load("tally", "sum", "second", "least", "most")
    (total1,) = c.load("tally1", "sum")
    mean, rho, unit = c.load("norm", "mean", "rho", "unit")
    gamma, beta, gamma_velocity, beta_velocity = c.load(
        "parameters", "gamma", "beta", "gamma_velocity", "beta_velocity"
    )
    with c.unless("Power"):
        (weight_unit,) = c.load("units", "unit")
    n, behind, ahead, shift = c.field("Count"), c.whole(-FRACTION), c.whole(FRACTION), c.field("Shift")
    count, largest = c.get(n), c.get(c.field("Greatest"))
    squared = count * count
    _, step, bound = tensor = c.header_words("out", 2)
    _, k = coefficients = c.header_words("coefficients", 1)
    _try(c, "out", tensor)
    in_step, power = c.get(c.header("in", Block.TENSOR, "step")), c.one.up(-c.header("in", Block.TENSOR, "fraction"))
    rates = [c.word() for _ in range(3)]
    for word, name in zip(rates, ("momentum", "parameter_decay", "parameter_rate"), strict=True):
        word.let(c.op("Plus", c.header("step", Block.STEP, name), c.zero))
    momentum, decay, rate = (Value(c, word.home, False, kind="ULow") for word in rates)
    reaches, slopes = c.cleared(), c.cleared()
    (m,) = c.vectors()
    base, slope, even = kept = c.vectors(3)
    moved, velocities = c.vectors(2), c.vectors(2)
    pair = c.vectors(2)
    with c.blocks(start):
        _first_unit(c, m, power, in_step, weight_unit, shift)
        rho = c.get(rho)
        c.op("MulW", products, n)
        c.op("MacW", -total, total1)
        spread, sum_ = c.op("LiftW", total), c.get(total)
        base.let(gamma.up(behind) * (rho / c.get(unit)) * m)
        slope.let(-base * (rho * rho) * (spread / squared))
        even.let(base * sum_ / count + slope * c.get(mean))
        c.store("coefficients", kept)
        reaches.let(c.max(reaches, abs(base) * c.max(abs(least), abs(most))))
        slopes.let(c.max(slopes, abs(base)))
        slopes.let(c.max(slopes, abs(slope)))
        gradients = m * rho * spread / count, m * sum_
        for new, velocity, p, v, gradient in zip(
            moved, velocities, (gamma, beta), (gamma_velocity, beta_velocity), gradients, strict=True
        ):
            d = c.op("Int32", gradient, ahead).whole()
            c.op("MulW", v, momentum)
            c.op("MacW", p, decay)
            velocity.let(c.op("Settle", d))
            c.op("MulW", -velocity.whole(), rate)
            new.let(c.op("Settle", p))
        pair[0].let(c.pack(*moved))
        pair[1].let(c.pack(*velocities))
        c.store("parameters", pair, part="gamma")

    # base, slope and even lie where the coefficients will be.
    c.control("Fence")
    start = c.first()
    base, slope, even = c.load_kept("coefficients", 3)
    c.greatest(reaches, bound)
    step.let(c.op("Else", bound / largest, c.one))
    steepest = c.word()
    c.greatest(slopes, steepest)
    k.let(c.op("Room", steepest / step, c.whole(MAX_MAP_SHIFT)))
    with c.blocks(start):
        a, second = (c.op("Int25", each / step, k.whole()) for each in (base, slope))
        pair[1].let(c.op("Int47", -even / step, k.whole()))
        pair[0].let(c.pack(a, second))
        c.store("coefficients", pair)
    _finish(c, tensor, coefficients)
    return c


def _headers(
    c: Program,
    *names: str,
    flagged: dict[str, tuple[bool, list[str]]] | None = None,
    history: list[str] | None = None,
) -> None:
    """Reads the headers of blocks, some only with a flag of the command (or without it), then judges them."""
    c.first(everything=True)
    c.load_headers(*names, *(history or []))
    for flag, (negate, more) in (flagged or {}).items():
        with c.when(flag, negate):
            c.load_headers(*more)
    c.control("Turn")
    c.expect("Check", *names)
    for flag, (negate, more) in (flagged or {}).items():
        with c.when(flag, negate):
            c.expect("Check", *more)
    c.expect("History", *(history or []))


def _first_unit(c: Program, m: Value, power: Value, step: Value, unit: Value, shift: Value) -> None:
    """m_c: the value of 1 in the first operand."""
    with c.when("Power"):
        m.let(c.get(power))
    with c.unless("Power"):
        m.let((step * c.get(unit)).up(shift))


def _reach(c: Program, own: Value, top: Value, bottom: Value) -> None:
    """How far normalised values reach: upwards with RELU, else to either side."""
    top, bottom = c.get(top), c.get(bottom)
    with c.when("Relu"):
        own.let(c.max(top, c.zero))
    with c.unless("Relu"):
        own.let(c.max(abs(top), abs(bottom)))


def _fraction(c: Program, bound: Value, width: Value) -> Value:
    """f: the power of two with which `bound` has `width` bits."""
    return c.op("Fraction", bound + bound.up(c.whole(-20)), width).whole()


def _shifts(c: Program, k: Value, f: Value, fraction1: Value) -> Value:
    """k and j of a header: j only with STREAM."""
    j = c.word().whole()
    c.clear(j)
    with c.when("Stream"):
        j.let(c.op("Limit", c.op("Plus", k.whole(), f).whole(), -fraction1))
    return c.pack(k, j)


def _second_coefficient(c: Program, second: Value) -> None:
    """C: 1 with STREAM, else 0; with BRANCH it is computed."""
    second.let(c.op("Plus", c.zero, c.zero))
    with c.when("Stream"):
        second.let(c.op("Plus", c.unity, c.zero))


def _try(c: Program, name: str, words: list[Value]) -> None:
    """Writes a header for the first time: a write that fails then fails before anything else is written."""
    c.store_header(name, words)
    c.control("Fence")


def _finish(c: Program, tensor: list[Value], coefficients: list[Value]) -> None:
    """Headers come last."""
    c.store_header("coefficients", coefficients)
    c.store_header("out", tensor)
    c.control("End")


def render() -> str:
    """The package."""
    words, entries = assemble([norm(), scale(), node(), join(), error()])
    lines = [
        "// Generated from sim/synthesis/scalar_program.py by `python -m sim.synthesis.scalar_program`; do not edit.",
        "",
        "/// The programs of the scalar engine.",
        "package scalar_program_pkg;",
        "  // verilator lint_off UNUSEDPARAM",
        *(f"  localparam logic [8:0] Entry{name} = 9'd{number};" for name, number in entries.items()),
        f"  localparam int unsigned ProgramLength = {len(words)};",
        f"  localparam logic [55:0] Program[{len(words)}] = '{{",
        ",\n".join(f"    56'h{word:014x}" for word in words),
        "  };",
        "  // verilator lint_on UNUSEDPARAM",
        "endpackage",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PACKAGE.write_text(render(), encoding="utf-8")
