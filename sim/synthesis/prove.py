"""`make -C vivado prove`: adders, named LUTs, divider, root and AXI engines, proved by Yosys for all inputs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sim.common.places import VIVADO
from sim.synthesis.conservation import LAWS, LawBrokenError, check_popcount
from sim.synthesis.yosys import MODELS, YosysError, read_rtl, run_yosys

PROOFS = VIVADO / "proofs"
BENCH = VIVADO / "bench"
INDUCTION = "-tempinduct -set-init-zero"
WIDTHS = (48, 144)  # slices of the builds
Proof = Callable[[], str]


def prove_property(top: str, file: Path, sat: str, *parameters: str) -> str:
    """Output ok_o of a module is 1, by SAT; says how Yosys put it."""
    log = run_yosys(
        [
            read_rtl(top, *parameters, more=[file]),
            MODELS,
            f"hierarchy -top {top}",
            *("proc", "flatten", "opt -full", f"sat -verify {sat} -prove ok_o 1"),
        ]
    )
    return "by induction" if "Induction step proven" in log else "SAT found no counterexample"


def prove_law(name: str, *parameters: str) -> str:
    return prove_property(f"law_{name}", PROOFS / "laws.sv", "", *parameters)


def prove_choice(name: str, sat: str, *parameters: str) -> str:
    return prove_property(f"equal_{name}", PROOFS / "choices.sv", sat, *parameters)


def prove_accumulator(count_bits: int) -> str:
    """All sequences of operations: the base case and the induction step together."""
    sat = f"{INDUCTION} -maxsteps 12"
    return prove_property("accumulate_equal", PROOFS / "accumulate_equal.sv", sat, f"-GCountBits={count_bits}")


def prove_floor(name: str, *parameters: str) -> str:
    """Every number of the width, from any state."""
    return prove_property(f"floor_{name}", PROOFS / "quotients.sv", f"{INDUCTION} -maxsteps 16", *parameters)


def prove_popcount(bits: int, top: str) -> str:
    return f"{check_popcount(bits, top)} adders conserve the sum"


def prove_handshakes(bus_bytes: int) -> str:
    """The rules of axi_rules.sv that hold in every state: stable until ready, 16 beats, no 4 KB crossing."""
    rules = [BENCH / "axi_rules.sv", BENCH / "axi_engines.sv"]
    run_yosys(
        [
            read_rtl("axi_engines", f"-GBusBytes={bus_bytes}", "-GMaxOutstanding=2", more=rules),
            MODELS,
            "hierarchy -top axi_engines",
            # Data behind its address and the mark of the last beat need the history of a burst: simulation checks them.
            *("proc", "flatten", "chformal -remove axi_engines/*w_after_aw* axi_engines/*w_last_right*"),
            *("async2sync", "chformal -lower", "opt -full", "memory", "opt -full"),
            f"sat -verify {INDUCTION} -prove-asserts -maxsteps 6",
        ]
    )
    return "by induction"


def proofs() -> Iterator[tuple[str, Proof]]:
    for name in LAWS:
        yield f"law of {name}", partial(prove_law, name)
    for width in (5, 6):
        yield f"law of ternary_add, {width} bits", partial(prove_law, "ternary_add", f"-GWidth={width}")
    for bits in WIDTHS:
        yield f"popcount of {bits} products", partial(prove_popcount, bits, "popcount_lut")
        yield f"popcount of {bits} bits", partial(prove_popcount, bits, "count_ones")
        yield f"accumulator of {bits.bit_length()}-bit counts", partial(prove_accumulator, bits.bit_length())
    yield "multiplexers in LUTs", partial(prove_choice, "select", "")
    for right, left in ((14, 13), (11, 5), (16, 4)):
        mix = partial(prove_choice, "mix", "", f"-GRight={right}", f"-GLeft={left}")
        yield f"mix of noise, {right} and {left}", mix
    for lanes in (16, 48):
        drain = partial(prove_choice, "drain", f"{INDUCTION} -maxsteps 6", f"-GLanes={lanes}")
        yield f"drain of {lanes} lanes", drain
    for width, digits in ((4, 2), (5, 3)):
        divider = partial(prove_floor, "divider", f"-GWidth={width}", f"-GDigits={digits}")
        yield f"divider, {width} bits, {digits} digits", divider
    for width in (4, 5):
        yield f"root of {width} bits", partial(prove_floor, "root", f"-GWidth={width}")
    for size in (8, 64):
        yield f"AXI handshakes, {size}-byte bus", partial(prove_handshakes, size)


def main() -> int:
    failed = 0
    for name, proof in proofs():
        began = time.monotonic()
        try:
            verdict = f"proved, {proof()}"
        except (LawBrokenError, YosysError) as error:
            verdict, failed = f"NOT PROVED:\n{error}\n", failed + 1
        print(f"{name:34} {verdict} ({time.monotonic() - began:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
