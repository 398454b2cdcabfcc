"""JSON from outside: what is not JSON, or is ambiguous, is refused in one line that names the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_json(path: Path, error: type[ValueError] = ValueError) -> Any:
    """What a file holds; Python's reader would let the last of two equal names win."""
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise error(f"{path}: there is no such file") from None
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise error(f"{path}: not JSON: {problem}") from None
    except ValueError as problem:
        raise error(f"{path}: {problem}") from None


def parse_json(text: str) -> Any:
    """A text's value.

    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: 'a' is there twice
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as problem:
        raise ValueError(f"not JSON: {problem}") from None
    except RecursionError:
        raise ValueError("not JSON of ours: it is nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"'{name}' is there twice")
        values[name] = value
    return values
