"""The HLS sources as libclang sees them: loops with their pragmas, and what the lint asks of expressions."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from clang import cindex
from clang.cindex import Cursor, CursorKind

from sim.common.places import HLS
from sim.devices.hls_executor import vendor_headers

LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT)
PRAGMA = re.compile(r"#pragma HLS (\w+)(.*)")


@lru_cache
def system_folders() -> list[str]:
    """Where g++ looks for its headers: libclang comes without any."""
    done = subprocess.run(
        ["g++", "-E", "-x", "c++", "-v", "/dev/null"], capture_output=True, text=True, timeout=60, check=True
    )
    listed = done.stderr.split("search starts here:")[-1].split("End of search list")[0]
    return [line.strip() for line in listed.splitlines() if line.startswith(" ")]


def parse(path: Path, build: str) -> Cursor:
    """The syntax tree of a source; one that does not compile is refused."""
    folders = [*system_folders(), str(vendor_headers())]
    flags = ["-x", "c++", "-std=c++14", f"-DCPT_BUILD={build}", f"-I{HLS}", *(f"-isystem{each}" for each in folders)]
    unit = cindex.Index.create().parse(str(path), flags)
    errors = [each for each in unit.diagnostics if each.severity >= cindex.Diagnostic.Error]
    if errors:
        raise ValueError(f"{path}: {errors[0].spelling} ({errors[0].location})")
    return unit.cursor


@lru_cache
def source_lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


@dataclass(frozen=True)
class Loop:
    """A loop and the pragmas at the head of its body, by name."""

    cursor: Cursor
    pragmas: dict[str, str]

    @property
    def place(self) -> str:
        return f"{Path(self.cursor.location.file.name).name}:{self.cursor.location.line}"

    @property
    def body(self) -> Cursor:
        return list(self.cursor.get_children())[-1]

    @property
    def variable(self) -> str | None:
        """What a `for` counts, if it declares it."""
        first = next(iter(self.cursor.get_children()))
        names = [each.spelling for each in first.get_children() if each.kind == CursorKind.VAR_DECL]
        return names[0] if first.kind == CursorKind.DECL_STMT and names else None


def as_loop(cursor: Cursor) -> Loop:
    lines = source_lines(cursor.location.file.name)
    body = list(cursor.get_children())[-1]
    found = {}
    for line in lines[body.extent.start.line :]:
        pragma = PRAGMA.match(line)
        if pragma:
            found[pragma[1]] = pragma[2]
        elif not line.strip().startswith("//"):
            break
    return Loop(cursor, found)


def ours(cursor: Cursor) -> bool:
    file = cursor.location.file
    return file is not None and "ap_types" not in file.name and not file.name.startswith("/usr")


def pipelined_loops(tree: Cursor) -> Iterator[Loop]:
    for cursor in (each for part in filter(ours, tree.get_children()) for each in part.walk_preorder()):
        if cursor.kind in LOOPS:
            loop = as_loop(cursor)
            if "PIPELINE" in loop.pragmas:
                yield loop


def operator_of(cursor: Cursor) -> str:
    """Of a binary operation: + - * / % and so on, with = behind it where it assigns.

    libclang 18 names no operators: it is the first token behind the left operand.
    """
    left, right = list(cursor.get_children())[:2]
    for token in cursor.get_tokens():
        if left.extent.end.offset <= token.extent.start.offset < right.extent.start.offset:
            return str(token.spelling)
    return ""


def constant(cursor: Cursor) -> int | None:
    """The value of an expression that the compiler knows."""
    result: Any = EVALUATE(cursor)
    if not result:
        return None
    try:
        return int(LONG(result)) if KIND(result) == 1 else None
    finally:
        DISPOSE(result)


def _function(name: str, arguments: list[Any], result: Any) -> Any:
    function = getattr(cindex.conf.lib, name)
    function.argtypes, function.restype = arguments, result
    return function


_pointer = cindex.c_object_p
EVALUATE = _function("clang_Cursor_Evaluate", [Cursor], _pointer)
KIND = _function("clang_EvalResult_getKind", [_pointer], cindex.c_int)
LONG = _function("clang_EvalResult_getAsLongLong", [_pointer], cindex.c_longlong)
DISPOSE = _function("clang_EvalResult_dispose", [_pointer], None)
