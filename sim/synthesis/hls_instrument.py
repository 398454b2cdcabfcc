"""Writes the HLS sources for the timed C-simulation: pragmas become calls of the recorder (`hls/timed/recorder.hpp`).

The cycles are those that the pragmas state, the depths of streams and the ping-pong memories those of the dataflow:
there is no second description that could differ from what Vitis reads. Lines keep their numbers.

    python -m sim.synthesis.hls_instrument hls hls/build/timed
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

LOOP = re.compile(r"^(?P<indent>\s*)(?P<head>(?:\w+: )?(?:for|while) \(.*\) \{)$")
PIPELINE = re.compile(r"^#pragma HLS PIPELINE(?: II=(?P<interval>\d+))?$")
STREAM = re.compile(r"^#pragma HLS STREAM variable=(?P<name>\w+) depth=(?P<depth>\d+)$")
CALL = re.compile(r"^\s+(?P<name>\w+)(?:<(?P<which>\w+)>)?\((?P<arguments>.*)\);$")
ARRAYS = re.compile(r"^\s+(?:\w+_t|std::uint32_t) (?P<names>\w+(?:\[\w+\])*(?:, \w+(?:\[\w+\])*)*);$")
UNSTATED_INTERVAL = 2  # where a loop is pipelined as fast as its port allows: a step may write two beats
# Constants alone, and what is no part of the kernel.
PLAIN = ("contract.hpp", "build.hpp", "region.hpp", "run_list.hpp", "simulation.hpp", "library.cpp", "testbench.cpp")


def instrument(text: str) -> str:
    r"""A source with calls in the place of pragmas.

    >>> print(instrument("    a: for (;;) {\n#pragma HLS PIPELINE II=1\n"), end="")
        cpt::timed::enter_pipeline(); a: for (;;) {
    cpt::timed::advance(1);
    """
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if loop := LOOP.match(line):
            lines[number] = loop["indent"] + instrumented_loop(lines, number, loop["head"])
    for number, line in enumerate(lines):
        if stated := PIPELINE.match(line):
            lines[number] = f"cpt::timed::advance({stated['interval'] or UNSTATED_INTERVAL});"
        elif stream := STREAM.match(line):
            lines[number] = f'cpt::timed::depth({stream["name"]}, {stream["depth"]}, "{stream["name"]}");'
    return "\n".join(lines) + "\n"


def instrumented_loop(lines: list[str], number: int, head: str) -> str:
    """The first line of a loop; of a dataflow, the calls of its processes in `lines` as well."""
    pragmas = loop_pragmas(lines, number)
    if any("HLS DATAFLOW" in pragma for pragma in pragmas):
        mark_processes(lines, number)
        return f"const cpt::timed::Region dataflow; {head}"
    if any("HLS PIPELINE" in pragma for pragma in pragmas):
        return f"cpt::timed::enter_pipeline(); {head}"
    if any("HLS UNROLL" in pragma for pragma in pragmas):
        return head
    return f"{head} cpt::timed::advance(cpt::timed::SEQUENTIAL_CYCLES);"


def loop_pragmas(lines: Sequence[str], number: int) -> list[str]:
    """The pragmas at the head of the body of the loop that starts in line `number`, comments between them."""
    found = []
    for line in lines[number + 1 :]:
        if line.startswith("#pragma HLS"):
            found.append(line)
        elif not line.strip().startswith("//"):
            break
    return found


def mark_processes(lines: list[str], number: int) -> None:
    """Each call in the body of a dataflow is a process; what it shares with others by memories is named with it."""
    indent = len(lines[number]) - len(lines[number].lstrip())
    arrays: list[str] = []
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if line == " " * indent + "}":
            return
        if declared := ARRAYS.match(line):
            arrays += [re.sub(r"\[.*", "", name) for name in declared["names"].split(", ")]
        call = CALL.match(line)
        if call and call["name"] != "static_assert":
            shared = [name for name in call["arguments"].split(", ") if name in arrays]
            name = "_".join(filter(None, (call["name"], (call["which"] or "").removeprefix("TENSOR_").lower())))
            names = ", ".join(f'"{each}"' for each in shared)
            lines[at] = f'cpt::timed::process("{name}", {{{names}}}); {line.strip()}'


def write_sources(source: Path, target: Path) -> None:
    """Instruments all sources of a folder into another; files that would not change keep their times."""
    for path in sorted([*source.glob("*.?pp"), *source.glob("vector/*.?pp")]):
        copy = target / path.relative_to(source)
        text = path.read_text()
        made = text if path.name in PLAIN else instrument(text)
        if not copy.exists() or copy.read_text() != made:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(made)


if __name__ == "__main__":
    write_sources(Path(sys.argv[1]), Path(sys.argv[2]))
