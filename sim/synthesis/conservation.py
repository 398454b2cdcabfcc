"""Why the popcount is right for all inputs: every adder in it conserves the weighted sum of its bits.

The laws of the small adders are proved by SAT (vivado/proofs/laws.sv). Here they are applied to the netlist that Yosys
has read, from the result backwards: the sum of 2^i · count[i] is rewritten, adder by adder, until only products of
input bits, or input bits, are left. That must be each of them once, CountLatency cycles old.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.devices.rtl_sources import rtl_constant
from sim.synthesis.yosys import read_rtl, run_yosys

COUNT_LATENCY = rtl_constant("CountLatency")
Bit = tuple[str, int]  # a net by its number in the netlist, or ("product", …); how many cycles ago


class LawBrokenError(RuntimeError):
    """The netlist does not conserve the sum."""


@dataclass(frozen=True)
class Law:
    """Σ weight · bit over the outputs equals Σ weight · bit over the inputs; weights by port, lowest bit first."""

    outputs: dict[str, list[int]]
    inputs: dict[str, list[int]]


def binary(width: int) -> list[int]:
    return [1 << place for place in range(width)]


# Each is a module of vivado/proofs/laws.sv without "law_". count_products has products as inputs: see `inputs_of`.
LAWS = {
    "count_products": Law({"one_o": [1], "two_o": [2] * 3}, {}),
    "full_adder": Law({"sum_o": binary(2)}, {"x_i": [1] * 3}),
    "compress_6": Law({"sum_o": binary(3)}, {"x_i": [1] * 6}),
    "compress_7": Law({"sum_o": binary(3)}, {"x_i": [1] * 7}),
    "compress_36": Law({"sum_o": binary(4)}, {"one_i": [1] * 3, "two_i": [2] * 6}),
    "compress_66": Law({"sum_o": binary(5)}, {"one_i": [1] * 6, "four_i": [4] * 6}),
    "compress_76": Law({"sum_o": binary(5)}, {"one_i": [1] * 7, "four_i": [4] * 6}),
}


def law_of(kind: str, cell: dict[str, Any]) -> Law | None:
    """The law of a cell of the netlist; None for one that has none."""
    if kind.startswith("ternary_add"):
        width = len(cell["connections"]["sum_o"]) - 2
        return Law({"sum_o": binary(width + 2)}, {"x_i": binary(width) * 3})
    return LAWS.get(kind)


def netlist(top: str, bits: int) -> dict[str, Any]:
    """popcount_lut or count_ones with its small adders as cells."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "netlist.json"
        marks = [f"setattr -mod -set keep_hierarchy 1 {adder}*" for adder in (*LAWS, "ternary_add")]
        read = read_rtl(top, f"-GBits={bits}", "--keep-hierarchy")
        run_yosys([read, *marks, "proc", f"flatten {top}", "opt_clean", f"write_json {path}"])
        modules: dict[str, Any] = json.loads(path.read_text())["modules"]
    return next(module for name, module in modules.items() if name.startswith(top))


def check_popcount(bits: int, top: str = "popcount_lut") -> int:
    """Rewrites the result of a bit counter; returns how many adders it took, or raises LawBrokenError."""
    module = netlist(top, bits)
    cells = [(kind_of(cell["type"]), cell) for cell in module["cells"].values()]
    final = next(cell for kind, cell in cells if kind.startswith("ternary_add"))
    # The last adder may have an upper bit that the count does not: the sum is at most `bits`, so it is always 0.
    result = final["connections"]["sum_o"]
    count = [given_to(bit, cells) for bit in module["ports"]["count_o"]["bits"]]
    if result[: len(count)] != count or bits >> len(count):
        raise LawBrokenError("count_o is not the lower part of the last adder's sum, registered")
    expression: Counter[Bit] = Counter({(bit, 1): 1 << place for place, bit in enumerate(result)})
    applied = rewrite(expression, cells)
    pins = {name: port["bits"] for name, port in module["ports"].items()}
    leaves = products(pins) if top == "popcount_lut" else pins["x_i"]
    wanted = {(leaf, COUNT_LATENCY): 1 for leaf in leaves}
    if dict(expression) != wanted or len(wanted) != bits:
        raise LawBrokenError(f"{sum(expression.values())} terms are left, not each of {bits} bits once")
    return applied


def given_to(bit: Any, cells: list[tuple[str, dict[str, Any]]]) -> Any:
    """What a register's output was a cycle before; None where no register drives it."""
    pins = (cell["connections"] for kind, cell in cells if kind == "$dff")
    return next((dict(zip(pin["Q"], pin["D"], strict=True))[bit] for pin in pins if bit in pin["Q"]), None)


def kind_of(name: str) -> str:
    """A cell's module without the path of the instance it was made for; Yosys' own cells keep their dollar.

    >>> kind_of("full_adder$popcount_lut.u_fours"), kind_of("$dff")
    ('full_adder', '$dff')
    """
    return name if name.startswith("$") else name.split("$")[0]


def products(pins: dict[str, list[Any]]) -> list[str]:
    return [f"{x}·{y}" for x, y in zip(pins["a_i"], pins["b_i"], strict=True)]


def rewrite(expression: Counter[Bit], cells: list[tuple[str, dict[str, Any]]]) -> int:
    """Replaces outputs by inputs wherever a law allows it; returns how many laws were applied."""
    applied, progress = 0, True
    while progress:
        progress = False
        for kind, cell in cells:
            if kind == "$dff":
                progress |= step_back(expression, cell["connections"])
                continue
            law = law_of(kind, cell)
            place = None if law is None else fitting(expression, law, cell["connections"])
            if law is not None and place is not None:
                apply(expression, law, kind, cell["connections"], *place)
                applied, progress = applied + 1, True
    return applied


def step_back(expression: Counter[Bit], pins: dict[str, list[Any]]) -> bool:
    """A register: what it shows is what it was given a cycle before."""
    moved = False
    for q, d in zip(pins["Q"], pins["D"], strict=True):
        for bit in [bit for bit in expression if bit[0] == q]:
            expression[d, bit[1] + 1] += expression.pop(bit)
            moved = True
    return moved


def fitting(expression: Counter[Bit], law: Law, pins: dict[str, list[Any]]) -> tuple[int, int] | None:
    """The cycle and the factor at which all outputs are in the expression in the law's proportion, if they are."""
    outputs = [(pins[port][i], weight) for port, weights in law.outputs.items() for i, weight in enumerate(weights)]
    for age in range(COUNT_LATENCY + 1):
        factors = {expression[bit, age] / weight for bit, weight in outputs if (bit, age) in expression}
        present = all((bit, age) in expression for bit, _ in outputs)
        if present and len(factors) == 1 and (factor := factors.pop()).is_integer():
            return age, int(factor)
    return None


def apply(expression: Counter[Bit], law: Law, kind: str, pins: dict[str, list[Any]], age: int, factor: int) -> None:
    for port in law.outputs:
        for bit in pins[port]:
            del expression[bit, age]
    for bit, weight in inputs_of(law, kind, pins):
        if bit not in ("0", "x"):
            expression[bit, age] += weight * factor


def inputs_of(law: Law, kind: str, pins: dict[str, list[Any]]) -> list[tuple[Any, int]]:
    if kind == "count_products":
        return [(product, 1) for product in products(pins)]
    return [
        (bit, weight) for port, weights in law.inputs.items() for bit, weight in zip(pins[port], weights, strict=True)
    ]
