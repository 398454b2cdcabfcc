"""How often an iteration of a pipelined loop reads a stream, and accesses an array: each has few ports.

A loop that is unrolled makes as many copies of an access as it has trips, unless its variable chooses the stream, or
the bank: then each copy has its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind

from sim.synthesis.hls_syntax import LOOPS, Loop, as_loop, constant, ours, source_lines

PARTITION = re.compile(
    r"#pragma HLS ARRAY_(PARTITION|RESHAPE) variable=(\w+) (complete|cyclic factor=\d+)(?: dim=(\d))?"
)
PORTS = 2  # of a block RAM


def mentions(cursor: Cursor, variable: str) -> bool:
    return any(each.kind == CursorKind.DECL_REF_EXPR and each.spelling == variable for each in cursor.walk_preorder())


def subscripts(cursor: Cursor) -> tuple[Cursor, tuple[Cursor, ...]]:
    """What is indexed, and the indices from the first dimension on."""
    found: list[Cursor] = []
    while cursor.kind in (CursorKind.ARRAY_SUBSCRIPT_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR):
        parts = list(cursor.get_children())
        if cursor.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR:
            found.insert(0, parts[1])
        cursor = parts[0]
    return cursor, tuple(found)


def trips(loop: Loop) -> int:
    """Of an unrolled loop; 2 stands for any that are not known."""
    parts = list(loop.cursor.get_children())
    sides = list(parts[1].get_children()) if len(parts) == 4 else []
    end = constant(sides[1]) if len(sides) == 2 else None
    return 2 if end is None else end


def reads_of_streams(cursor: Cursor, unrolled: tuple[Loop, ...]) -> Counter[str]:
    """Reads in one iteration, by stream; of two branches the one with more counts."""
    if cursor.kind in LOOPS:
        unrolled = (*unrolled, as_loop(cursor))
    if cursor.kind == CursorKind.IF_STMT:
        condition, *branches = cursor.get_children()
        most: Counter[str] = Counter()
        for branch in branches:
            most |= reads_of_streams(branch, unrolled)
        return reads_of_streams(condition, unrolled) + most
    found: Counter[str] = Counter()
    if cursor.kind == CursorKind.CALL_EXPR:
        name, indices = read_stream(cursor)
        if name:
            copies = 1
            for loop in unrolled:
                if trips(loop) > 1 and not any(mentions(index, loop.variable or "") for index in indices):
                    copies *= trips(loop)
            found[name] += copies
    for child in cursor.get_children():
        found += reads_of_streams(child, unrolled)
    return found


def read_stream(call: Cursor) -> tuple[str, tuple[Cursor, ...]]:
    """The stream that a call reads: by itself, or one of our functions that reads a stream it is given."""
    function = call.referenced
    if function is None:
        return "", ()
    if function.spelling == "read" and function.semantic_parent.spelling == "stream":
        base, indices = subscripts(next(iter(next(iter(call.get_children())).get_children())))
        return str(base.spelling), indices
    body = function.get_definition()
    if body is None or not ours(body):
        return "", ()
    inside = reads_of_streams(body, ())
    for parameter, argument in zip(body.get_arguments(), call.get_arguments(), strict=False):
        if inside[parameter.spelling]:
            base, indices = subscripts(argument)
            return str(base.spelling), (*indices, *choosing_arguments(body, call, parameter.spelling))
    return "", ()


def choosing_arguments(body: Cursor, call: Cursor, stream: str) -> Iterator[Cursor]:
    """The arguments of a call by which its function chooses one of an array of streams."""
    reads = [each for each in body.walk_preorder() if each.kind == CursorKind.CALL_EXPR and each.spelling == "read"]
    chosen = [index for each in reads for name, indices in (read_stream(each),) if name == stream for index in indices]
    for parameter, argument in zip(body.get_arguments(), call.get_arguments(), strict=False):
        if any(mentions(index, parameter.spelling) for index in chosen):
            yield argument


def stream_problems(loop: Loop) -> Iterator[str]:
    for name, count in reads_of_streams(loop.body, ()).items():
        if count > 1:
            yield f"stream '{name}' is read {count} times in an iteration"


def partitions(loop: Loop) -> dict[str, dict[int, int]]:
    """Banks of each dimension of the arrays that this file partitions; 0 stands for as many as elements."""
    found: dict[str, dict[int, int]] = {}
    for line in source_lines(loop.cursor.location.file.name):
        stated = PARTITION.match(line)
        if stated:
            banks = 0 if stated[3] == "complete" else int(stated[3].rpartition("=")[2])
            found.setdefault(stated[2], {})[int(stated[4] or 1)] = banks
    return found


def accesses(cursor: Cursor, unrolled: tuple[Loop, ...]) -> Iterator[tuple[str, tuple[Cursor, ...], tuple[Loop, ...]]]:
    if cursor.kind in LOOPS:
        unrolled = (*unrolled, as_loop(cursor))
    if cursor.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR:
        base, indices = subscripts(cursor)
        if base.kind == CursorKind.DECL_REF_EXPR:
            yield str(base.spelling), indices, unrolled
        for index in indices:
            yield from accesses(index, unrolled)
        return
    for child in cursor.get_children():
        yield from accesses(child, unrolled)


def port_problems(loop: Loop) -> Iterator[str]:
    """Arrays of which an access is copied by an unrolled loop whose variable chooses no bank."""
    stated = partitions(loop)
    for name, indices, unrolled in accesses(loop.body, ()):
        banks = stated.get(name)
        registers = banks and (0 in banks or all(banks.get(1 + i) == 0 for i in range(len(indices))))
        if not banks or registers:
            continue
        for each in unrolled:
            copies = trips(each)
            fitting = [
                dimension
                for dimension, count in banks.items()
                if dimension <= len(indices)
                and mentions(indices[dimension - 1], each.variable or "")
                and (count == 0 or copies <= count * PORTS)
            ]
            if copies > PORTS and not fitting:
                yield f"array '{name}' is accessed at {copies} places in an iteration, beyond its banks"
