"""After a reset at any moment, after every error, and under nonsense, the core's next list is right; it never hangs."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from host.measure.prediction import bound_cycles
from sim.contract import COMMAND_BYTES, FIELDS, ApCtrl, Command, Error, Register, check_command
from sim.devices.rtl_executor import Ddr
from sim.devices.rtl_pins import PORTS
from sim.vectors import Vector, catalogue
from tests.tools import LIST, REGION, TINY, small_conv, small_wgrad, vector_unit_asked_for
from tests.vivado.core_bench import DRAIN, WATCHDOG, Bench, untouched, vector_of

pytestmark = pytest.mark.slow
STALLED = Ddr(bytes_per_cycle=8, latency=20, jitter=30, stall=0.3)


def by_name(*names: str) -> list[Vector]:
    found = {vector.name: vector for vector in catalogue(TINY, features=0) if vector.name in names}
    return [found[name] for name in names]


def list_of(*commands: Command) -> Vector:
    """A vector of small commands, whose results lie in the same places."""
    return vector_of(np.random.default_rng(5).integers(0, 256, size=REGION, dtype=np.uint8), LIST, list(commands))


@pytest.mark.parametrize("seed", range(8))
def test_a_reset_at_any_moment(seed: int) -> None:
    """Of lists with reads, products and writes under way; the next list lies elsewhere, and is not disturbed."""
    dice = Random(seed)
    ddr = replace(STALLED, stall=dice.choice([0.0, 0.3]), latency=dice.choice([0, 20, 100]), seed=seed)
    bench = Bench(ddr)
    stopped = [list_of(small_conv(), small_wgrad()), *by_name("width-4x4", "row-sums-int16", "read-after-write")]
    others = by_name("shape-linear", "width-3x8", "empty-list", "error-width-a-0")
    for vector in stopped:
        assert bench.agrees(vector)
        length = bench.executor.simulated
        for _ in range(20):
            memory = vector.before.copy()
            bench.start(vector, memory)
            bench.pins.step(dice.randrange(length))
            bench.pins.soft_reset(DRAIN)
            assert untouched(vector, memory), f"seed {seed}: {vector.name}"
            for register in (Register.MEM_BYTES, Register.STATUS, Register.ISR, Register.GIER, Register.COMMANDS_DONE):
                assert bench.pins.read(register) == 0
            after = memory.copy()
            assert bench.agrees(dice.choice(others))
            assert np.array_equal(memory, after)
            assert bench.agrees(vector)


def test_a_reset_every_few_cycles_of_a_list() -> None:
    vector = list_of(small_conv())
    bench = Bench(Ddr(latency=12))
    assert bench.agrees(vector)
    for cycles in range(0, bench.executor.simulated, 7):
        bench.start(vector, vector.before.copy())
        bench.pins.step(cycles)
        bench.pins.soft_reset(DRAIN)
        assert bench.agrees(vector), f"after a reset at cycle {cycles}"


def test_a_start_and_a_reset_while_the_last_reset_drains() -> None:
    """A list that was started into the drain runs when it is over; one that was reset in it never does."""
    vector, bench = list_of(small_conv()), Bench(Ddr(latency=200))
    for cycles in range(0, 300, 3):
        bench.start(vector, vector.before.copy())
        bench.pins.step(400)
        bench.pins.write(Register.AP_CTRL, 1 << ApCtrl.SW_RESET)
        if cycles % 2:
            assert bench.agrees(vector)
            continue
        bench.start(vector, vector.before.copy())
        bench.pins.step(cycles)
        bench.pins.soft_reset(DRAIN)
        bench.pins.step(2000)
        assert bench.pins.read(Register.AP_CTRL) == 1 << ApCtrl.IDLE
    assert bench.agrees(vector)


def test_every_error_code_and_then_a_right_list() -> None:
    errors = {vector.error: vector for vector in catalogue(TINY) if not vector.slow}
    assert set(errors) == set(Error)
    right, bench = list_of(small_conv(), small_wgrad()), Bench(STALLED)
    for error, vector in errors.items():
        assert bench.agrees(vector), error.name
        assert bench.agrees(right), f"after {error.name}"


@pytest.mark.parametrize("ddr", [Ddr(latency=3), STALLED], ids=["fast", "stalled"])
@pytest.mark.parametrize("port", range(len(PORTS)), ids=PORTS)
def test_an_error_of_any_beat_and_then_a_right_list(port: int, ddr: Ddr) -> None:
    """SLVERR or DECERR at each beat of the commands, every third of the loads, each response to the stores."""
    vector, bench = list_of(small_conv(), small_wgrad()), Bench(ddr)
    expected = Error.WRITE_BUS if PORTS[port] == "stores" else Error.READ_BUS
    blamed = set()
    beat, step = 1, 3 if PORTS[port] == "loads" else 1
    while True:
        fail = tuple(beat if place == port else 0 for place in range(len(PORTS)))
        memory = vector.before.copy()
        outcome = bench.run(vector, memory, replace(ddr, fail=(fail[0], fail[1], fail[2])))
        if outcome.error == Error.OK:  # there is no such beat
            break
        assert (outcome.error, outcome.error_index) == (expected, outcome.commands_done), f"beat {beat}"
        assert untouched(vector, memory), f"beat {beat}"
        blamed.add(outcome.error_index)
        assert bench.agrees(vector), f"after an error of beat {beat}"
        beat += step
    assert beat > 2 * COMMAND_BYTES // TINY.bus_bytes
    assert blamed == {0, 1}


@pytest.mark.parametrize("seed", range(10))
def test_errors_here_and_there(seed: int) -> None:
    """A share of all beats and responses fails, under stalls; between such lists others are right."""
    vectors = [*by_name("width-4x4", "row-sums-int16", "read-after-write"), list_of(small_conv(), small_wgrad())]
    bench, seen = Bench(replace(STALLED, seed=seed)), set()
    for vector in vectors * 6:
        memory = vector.before.copy()
        outcome = bench.run(vector, memory, replace(STALLED, read_errors=0.002, write_errors=0.01))
        seen.add(outcome.error)
        assert outcome.error in (Error.OK, Error.READ_BUS, Error.WRITE_BUS)
        assert untouched(vector, memory), f"seed {seed}: {vector.name}"
        assert vector.agrees(memory, outcome) or outcome.error_index == outcome.commands_done
        assert bench.agrees(vector)
    assert len(seen) > 1


@pytest.mark.parametrize("seed", range(4))
def test_spoiled_commands(seed: int) -> None:
    """Fields at random in a list that was right: whatever the reference says of it, the core does, and in time."""
    dice, bench = Random(seed), Bench(replace(STALLED, stall=0.1, seed=seed))
    names = list(FIELDS)
    seen: set[Error] = set()
    while len(seen) < 8:
        commands = [small_conv(), small_wgrad()]
        for command in commands:
            for name in dice.sample(names, dice.choice([0, 1, 2])):
                setattr(command, name, dice.choice([0, 1, 2, 3, 16, getattr(command, name) ^ 1 << dice.randrange(8)]))
        if any(takes_too_long(command) for command in commands):
            continue
        vector = list_of(*commands)
        assert bench.agrees(vector), f"{commands}"
        seen.add(vector.error)


@pytest.mark.parametrize("case", vector_unit_asked_for())
def test_what_needs_a_vector_unit_is_refused_without_one(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPT_VECTOR_UNIT", "0")
    command, error = vector_unit_asked_for()[case]
    vector, bench = list_of(command), Bench(STALLED)
    assert vector.error == error
    assert bench.agrees(vector)
    assert bench.executor.register(Register.VERSION) == 2 << 16
    assert bench.executor.register(Register.FEATURES) == 0


def takes_too_long(command: Command) -> bool:
    legal = not check_command(command.encode(), TINY, REGION, (LIST, REGION), features=0)
    return legal and bound_cycles([command], TINY) > 20_000


def test_registers_written_while_a_list_runs_do_not_disturb_it() -> None:
    """Arguments, results, places where no register is, and another START."""
    dice, vector, bench = Random(3), list_of(small_conv(), small_wgrad()), Bench(STALLED)
    spared = (Register.GIER, Register.IER, Register.ISR)
    places = [offset for offset in range(0, 0x1000, 4) if offset not in spared]
    for _ in range(10):
        memory = vector.before.copy()
        bench.start(vector, memory)
        for _ in range(40):
            place = dice.choice([*places, Register.MEM_BYTES, Register.LIST_OFFSET, Register.LIST_BYTES])
            bench.pins.write(place, 1 if place == Register.AP_CTRL else dice.getrandbits(32))
            bench.pins.read(dice.choice(places))
        bench.pins.wait(WATCHDOG)
        bench.pins.acknowledge()
        assert bench.pins.read(Register.STATUS) == Error.OK
        assert np.array_equal(memory, vector.after)
    assert bench.agrees(vector)
