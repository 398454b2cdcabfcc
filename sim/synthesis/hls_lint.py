"""Checks the IIs that the HLS sources state, as far as the sources show: what makes a pipelined loop miss its II.

In the body of a pipelined loop, and in the functions it calls:
- division    a run-time division or remainder: a divider of some 35 stages and 1,000 LUTs
- recurrence  a run-time product between an iteration and the next: a value that is multiplied to give itself
- twice       two reads of one stream in an iteration: a stream has one port
- ports       an array that is accessed at several places at once, with fewer banks than places
And of the loop itself:
- one-trip    it runs once: the pipeline is filled and drained for one iteration
And anywhere:
- divider     a division by what is known at run time only, which hls/divide.hpp makes of a bit a cycle

Not seen: products inside functions that are called in a recurrence, how long the chains of adders and comparisons are,
and arrays of which a caller passes a part. `make csynth` is what knows.

    python -m sim.synthesis.hls_lint
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clang.cindex import Cursor, CursorKind

from sim.devices.hls_executor import hls_sources
from sim.synthesis.hls_accesses import port_problems, stream_problems
from sim.synthesis.hls_recurrence import recurrences
from sim.synthesis.hls_syntax import Loop, constant, operator_of, ours, parse, pipelined_loops

BINARY = (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


@dataclass(frozen=True, order=True)
class Finding:
    """What is wrong, and where."""

    place: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.text}"


def place_of(cursor: Cursor) -> str:
    return f"{Path(cursor.location.file.name).name}:{cursor.location.line}"


def called(cursor: Cursor, seen: set[str]) -> Iterator[Cursor]:
    """The bodies of our functions that are called from here, directly or not."""
    for each in cursor.walk_preorder():
        if each.kind != CursorKind.CALL_EXPR or each.referenced is None:
            continue
        function = each.referenced.get_definition()
        if function is None or not ours(function) or function.get_usr() in seen:
            continue
        seen.add(function.get_usr())
        yield function
        yield from called(function, seen)


def divisions(loop: Loop) -> Iterator[Finding]:
    for part in (loop.body, *called(loop.body, set())):
        for cursor in part.walk_preorder():
            if cursor.kind not in BINARY or operator_of(cursor).rstrip("=") not in ("/", "%"):
                continue
            divisor = constant(list(cursor.get_children())[1])
            if constant(cursor) is None and (divisor is None or divisor & (divisor - 1)):
                yield Finding(place_of(cursor), "division", f"by a value that is no power of two, in loop {loop.place}")


def dividers(cursor: Cursor) -> Iterator[Finding]:
    """Constant functions are left out, and their calls judged: `ceil_div` rounds up."""
    if cursor.kind == CursorKind.FUNCTION_DECL and "constexpr" in [each.spelling for each in cursor.get_tokens()][:3]:
        return
    divides = cursor.kind in BINARY and operator_of(cursor).rstrip("=") in ("/", "%")
    divides |= cursor.kind == CursorKind.CALL_EXPR and cursor.spelling == "ceil_div"
    if divides and constant(cursor) is None and constant(list(cursor.get_children())[-1]) is None:
        yield Finding(place_of(cursor), "divider", "by a value that is known at run time only")
    for child in cursor.get_children():
        yield from dividers(child)


def one_trip(loop: Loop) -> Iterator[Finding]:
    if loop.pragmas.get("LOOP_TRIPCOUNT", "").endswith("max=1"):
        yield Finding(loop.place, "one-trip", "a pipelined loop that runs once")
    parts = list(loop.cursor.get_children())
    if loop.cursor.kind == CursorKind.FOR_STMT and loop.variable and len(parts) == 4:
        first = next(iter(parts[0].get_children()))
        start = constant(list(first.get_children())[-1]) if list(first.get_children()) else None
        sides = list(parts[1].get_children())
        end = constant(sides[1]) if len(sides) == 2 else None
        if start is not None and end is not None and end - start <= 1:
            yield Finding(loop.place, "one-trip", "a pipelined loop that runs once")


def lint(path: Path, build: str = "hls") -> list[Finding]:
    """All findings of a source and of what it includes."""
    tree = parse(path, build)
    found = {finding for part in filter(ours, tree.get_children()) for finding in dividers(part)}
    for loop in pipelined_loops(tree):
        found.update(divisions(loop))
        found.update(one_trip(loop))
        found.update(Finding(loop.place, "recurrence", text) for text in recurrences(loop))
        found.update(Finding(loop.place, "twice", text) for text in stream_problems(loop))
        found.update(Finding(loop.place, "ports", text) for text in port_problems(loop))
    return sorted(found)


def main(arguments: Sequence[str] | None = None) -> int:
    given = [Path(each) for each in (sys.argv[1:] if arguments is None else arguments)]
    findings = sorted({finding for path in given or hls_sources() for finding in lint(path)})
    print("\n".join(map(str, findings)) or "nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
