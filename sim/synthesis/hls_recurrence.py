"""Products in the recurrences of a loop: values that an iteration multiplies to give the next one's."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind

from sim.synthesis.hls_syntax import Loop, constant, operator_of

Edges = dict[str, dict[str, bool]]  # what a value is made of, and whether by a product
BRANCHES = (CursorKind.IF_STMT, CursorKind.SWITCH_STMT)


def recurrences(loop: Loop) -> Iterator[str]:
    """A sentence for each value that lies on a circle with a product in it."""
    edges: Edges = {}
    collect(loop.body, {}, edges)
    for name, sources in edges.items():
        for source, multiplied in sources.items():
            if multiplied and reaches(edges, source, name):
                yield f"'{name}' is a product of '{source}', which follows from it"


def collect(cursor: Cursor, conditions: dict[str, bool], edges: Edges) -> None:
    """Adds what each assignment below a cursor depends on; `conditions` decide whether it is reached."""
    if cursor.kind in BRANCHES:
        condition, *branches = cursor.get_children()
        decided = conditions | uses(condition)
        for branch in branches:
            collect(branch, decided, edges)
        return
    target, value = assignment(cursor)
    if target is not None:
        sources = edges.setdefault(target, {})
        for name, multiplied in (uses(value) if value is not None else {}).items():
            sources[name] = sources.get(name, False) or multiplied
        if cursor.kind != CursorKind.VAR_DECL and operator_of(cursor) != "=":
            sources.setdefault(target, operator_of(cursor) == "*=")
        for name, multiplied in conditions.items():
            sources[name] = sources.get(name, False) or multiplied
    for child in cursor.get_children():
        collect(child, conditions, edges)


def assignment(cursor: Cursor) -> tuple[str | None, Cursor | None]:
    """The variable that a cursor gives a value, and the value."""
    parts = list(cursor.get_children())
    if cursor.kind == CursorKind.VAR_DECL:
        return (cursor.spelling, parts[-1]) if parts else (None, None)
    if cursor.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR or (
        cursor.kind == CursorKind.BINARY_OPERATOR and operator_of(cursor) == "="
    ):
        return name_of(parts[0]), parts[1]
    return None, None


def name_of(cursor: Cursor) -> str | None:
    """A variable or a member of one; of an array, the array."""
    if cursor.kind == CursorKind.MEMBER_REF_EXPR:
        base = next(iter(cursor.get_children()), None)
        return f"{name_of(base) if base is not None else 'this'}.{cursor.spelling}"
    if cursor.kind == CursorKind.DECL_REF_EXPR:
        return str(cursor.spelling)
    first = next(iter(cursor.get_children()), None)
    return name_of(first) if first is not None else None


def uses(cursor: Cursor, multiplied: bool = False) -> dict[str, bool]:
    """The variables of an expression, and whether a run-time product lies between."""
    if constant(cursor) is not None:
        return {}
    if cursor.kind == CursorKind.BINARY_OPERATOR and operator_of(cursor) == "*":
        multiplied = multiplied or all(constant(side) is None for side in cursor.get_children())
    name = name_of(cursor) if cursor.kind in (CursorKind.MEMBER_REF_EXPR, CursorKind.DECL_REF_EXPR) else None
    found = {name: multiplied} if name else {}
    for child in cursor.get_children() if name is None else ():
        for each, by_product in uses(child, multiplied).items():
            found[each] = found.get(each, False) or by_product
    return found


def reaches(edges: Edges, start: str, goal: str) -> bool:
    """Whether `start` is made of `goal`, directly or not."""
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            waiting += edges.get(name, {})
    return False
