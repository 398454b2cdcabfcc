"""The parser that all commands share: one line for a mistake, flags written out, examples under the help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn


class UsageError(ValueError):
    """A command line that cannot be; the message names the flag."""


class Parser(argparse.ArgumentParser):
    """Raises UsageError, which `cpt` prints like any other mistake of the user.

    Attributes:
        modern: rewrites an old form of a command line that a hidden flag cannot stand for.
    """

    modern: Callable[[list[str]], list[str]] | None = None

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "))

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        return super().parse_known_args(self.modern(list(args)) if args and self.modern else args, namespace)


def add_command(commands: Any, name: str, text: str, description: str, examples: str) -> Parser:
    """A sub-command; its description and examples are shown as written."""
    parser: Parser = commands.add_parser(
        name,
        help=text,
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # with old spellings accepted, a beginning is rarely of one flag only
    )
    return parser
