"""Earlier counts by a digest of the netlist's RTLIL: `make -C vivado resources` counts only what has changed.

The digest is of a module and of all below it down to those that are left out. Line numbers and the numbers that Yosys
gives nameless wires are not part of it: a comment, or a change elsewhere in the design, costs nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sim.common.files import write_atomically

MODULE = re.compile(r"^module \\?(\S+)$", flags=re.MULTILINE)
CELL = re.compile(r"^  cell \\?(\S+) ", flags=re.MULTILINE)
SOURCE = re.compile(r"^ *attribute \\(src|hdlname) .*\n", flags=re.MULTILINE)
PORT = re.compile(r"^  wire .*(?:input|output|inout) .*$", flags=re.MULTILINE)
NUMBER = re.compile(r"(?<=\$)\d+")


def read_modules(design: Path) -> dict[str, str]:
    """The text of each module of an RTLIL file, by its name; Yosys' version, which comes first, by ''."""
    text = design.read_text()
    starts = [*MODULE.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    modules = {start[1]: text[start.start() : end] for start, end in zip(starts, ends, strict=True)}
    return {"": text.partition("\n")[0], **modules}


def digest(modules: dict[str, str], top: str, boxes: Collection[str], method: str) -> str:
    r"""Digest of what determines `top`'s resources: its netlist without `boxes`, and how it is synthesised.

    >>> short = 'module m\n  attribute \\src "m.sv:1"\n  cell $and $7\n  end\n'
    >>> moved = short.replace("m.sv:1", "m.sv:2").replace("$7", "$9")
    >>> digest({"": "", "m": short}, "m", [], "") == digest({"": "", "m": moved}, "m", [], "")
    True
    """
    hashed = hashlib.sha256(f"{modules['']}\n{method}\n".encode())
    order = [top]
    for name in order:  # grows as modules below are found
        text = SOURCE.sub("", modules[name])
        if name != top and name in boxes:
            hashed.update("\n".join(PORT.findall(text)).encode())
            continue
        hashed.update(_renumber(text).encode())
        order += [cell for cell in dict.fromkeys(CELL.findall(text)) if cell in modules and cell not in order]
    return hashed.hexdigest()


def extract(modules: dict[str, str], top: str, boxes: Collection[str]) -> str:
    """RTLIL of `top` and what is below it, of `boxes` their ports alone: a small file is read in no time."""
    cut = {name: text.partition("\nend\n") for name, text in modules.items()}
    heads = dict(zip([*modules][1:], ("", *(attributes for _, _, attributes in [*cut.values()][1:])), strict=False))
    text, order = [], [top]
    for name in order:  # grows as modules below are found
        own, end, _ = cut[name]
        if name != top and name in boxes:
            text.append("\n".join(["attribute \\blackbox 1", own.partition("\n")[0], *PORT.findall(own), "end", ""]))
            continue
        text.append(heads[name] + own + end)
        order += [cell for cell in dict.fromkeys(CELL.findall(own)) if cell in modules and cell not in order]
    return "".join(text)


def _renumber(text: str) -> str:
    """Yosys' numbers in the order of their first use."""
    numbers: dict[str, int] = {}
    return NUMBER.sub(lambda found: str(numbers.setdefault(found[0], len(numbers))), text)


class Cache:
    """Results in a folder, one small file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, key: str) -> dict[str, Any] | None:
        path = self.folder / f"{key}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def keep(self, key: str, result: dict[str, Any]) -> None:
        write_atomically(self.folder / f"{key}.json", json.dumps(result))
