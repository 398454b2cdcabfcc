"""The Markdown pages: their code blocks, commands, links and generated blocks.

A generated block lies between two comments, and holds what its command prints:

    <!-- run: cpt latency -->      the command and its output, as a console block
    <!-- table: cpt ... -->        the output alone, which is Markdown
    <!-- end -->

`make docs` runs the commands and rewrites the blocks that have changed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_OURS = {"out", "build", "dist", "stubs"}  # folders of build products
GENERATED = re.compile(r"^<!-- (run|table): (.+?) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)  # indented in a list


@dataclass(frozen=True)
class Piece:
    """A part of a page, and where it begins."""

    page: Path
    line: int
    text: str
    language: str = ""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT) if ROOT in self.page.parents else self.page.name}:{self.line}"


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *(page for folder in folders() for page in folder.rglob("*.md"))]
    return sorted(page for page in found if not NOT_OURS & set(page.relative_to(ROOT).parts))


def folders() -> list[Path]:
    return [each for each in ROOT.iterdir() if each.is_dir() and each.name[0] != "." and each.name not in NOT_OURS]


def blocks(page: Path) -> list[Piece]:
    """The fenced blocks."""
    text = page.read_text(encoding="utf-8")
    return [
        Piece(page, text.count("\n", 0, found.start()) + 2, textwrap.dedent(found[3]), found[2])
        for found in FENCE.finditer(text)
    ]


def prose(page: Path) -> str:
    """The page with its fenced blocks emptied; lines keep their numbers."""
    return FENCE.sub(lambda found: "\n" * found[0].count("\n"), page.read_text(encoding="utf-8"))


def spans(page: Path) -> list[Piece]:
    """Code inside sentences, but for the text of links."""
    text = prose(page)
    found = re.finditer(r"`([^`]+)`(?!\]\()", text)
    return [Piece(page, text.count("\n", 0, each.start()) + 1, " ".join(each[1].split())) for each in found]


def links(page: Path) -> list[Piece]:
    """Targets of links and pictures."""
    text = prose(page)
    found = re.finditer(r"\]\(([^)\s]+)\)", text)
    return [Piece(page, text.count("\n", 0, each.start()) + 1, each[1]) for each in found]


def anchors(page: Path) -> set[str]:
    """What GitHub calls the page's headings."""
    titles = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands(page: Path) -> list[Piece]:
    """The commands of `sh` blocks (every line) and of `console` blocks (lines that begin with $), without comments."""
    return [each for block in blocks(page) if block.language in ("sh", "console") for each in _commands(block)]


def _commands(block: Piece) -> Iterator[Piece]:
    lines = iter(enumerate(block.text.splitlines(), block.line))
    for number, line in lines:
        if block.language == "console" and not line.startswith("$ "):
            continue
        command = re.sub(r"(^|\s+)# .*$", "", line.removeprefix("$ "))
        while command.endswith("\\"):
            command = command[:-1] + next(lines)[1].strip()
        heredoc = re.search(r"<<'(\w+)'$", command)
        while heredoc and not command.endswith(f"\n{heredoc[1]}"):
            command += "\n" + next(lines)[1]
        if command:
            yield Piece(block.page, number, command)


def generated(page: Path) -> list[Piece]:
    """The commands of the page's generated blocks; the language is the kind of block."""
    text = page.read_text(encoding="utf-8")
    found = GENERATED.finditer(text)
    return [Piece(page, text.count("\n", 0, each.start()) + 1, each[2], each[1]) for each in found]


def refreshed(text: str) -> str:
    """The page with what its commands print now."""
    return GENERATED.sub(lambda found: block(found[1], found[2]), text)


def block(kind: str, command: str) -> str:
    output = "\n".join(line.rstrip() for line in printed(command).splitlines()).strip("\n")
    shown = f"```console\n$ {command}\n{output}\n```" if kind == "run" else f"\n{output}\n"
    return f"<!-- {kind}: {command} -->\n{shown}\n<!-- end -->"


def printed(command: str) -> str:
    """What a command prints, in a folder like the repository's whose `out` is empty."""
    with tempfile.TemporaryDirectory() as folder:
        workplace(Path(folder))
        tools = Path(folder, "bin")
        tools.mkdir()
        for name, call in (("cpt", "-m scripts.cli"), ("python", "")):
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
            (tools / name).chmod(0o755)
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment(tools), capture_output=True, text=True, check=False
        )
    if done.returncode or not done.stdout:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def environment(*tools: Path) -> dict[str, str]:
    """For commands that run outside of the repository: its packages are found, and lines are of one length."""
    path = os.pathsep.join([*map(str, tools), os.environ["PATH"]])
    return os.environ | {"PYTHONPATH": str(ROOT), "PATH": path, "COLUMNS": "110"}


def workplace(folder: Path) -> Path:
    """Fills a folder with links to the repository's, but for what is written to."""
    for each in ROOT.iterdir():
        if each.name[0] != "." and each.name not in NOT_OURS:
            (folder / each.name).symlink_to(each)
    return folder


def main() -> int:
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = refreshed(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
