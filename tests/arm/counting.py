"""Instructions and system calls of the host in an iteration on a 32-bit ARM, by qemu-user with a plugin (count.c)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from arm_packages import HERE, fetched, libraries, python

from host.native import SOURCES, file_name, flags

ROOT = HERE.parents[1]
FOLDER = ROOT / "out" / "arm"
FILE = ROOT / "cpt_model" / "benchmarks" / "results" / "arm.json"
COMPILER = "arm-linux-gnueabihf-gcc-12"
RUNS, RUNS_NO_MORE, AHEAD, AHEAD_ENDS, STEP = range(1, 6)  # counted.py
FIRST, LAST = 4, 11  # steps that are counted: lists are compiled, none is timed
SECONDS = 3600.0
Row = tuple[int, int, int]


def compiled(folder: Path) -> None:
    """The C functions of the host for an ARM, where its Python will look for them."""
    built = folder / "cache" / "native" / file_name("armv7l")
    for place in (built.parent.parent, built.parent):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    tools = folder / "cross"
    command = [str(tools / "usr/bin" / COMPILER), *flags("armv7l"), "-nostdlib", "-o", str(built), *map(str, SOURCES)]
    subprocess.run([*command, "-lgcc"], check=True, env={"LD_LIBRARY_PATH": libraries(tools)}, timeout=SECONDS)


def marks(folder: Path, data: Path) -> list[Row]:
    """Mark, and instructions and system calls before it."""
    plugin = folder / "count.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(plugin), str(HERE / "count.c")], check=True)
    tools = folder / "counter"
    qemu = [str(tools / "usr/bin/qemu-arm"), "-plugin", str(plugin)]
    command = [*qemu, *python(folder, data)[1:], str(HERE / "counted.py")]
    environment = {"LD_LIBRARY_PATH": libraries(tools)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        raise SystemExit(f"make arm: counting failed: {done.stderr[-500:]}")
    rows = (line.split() for line in done.stderr.splitlines())
    return [(int(row[0]), int(row[1]), int(row[2])) for row in rows if len(row) == 3 and row[0].isdigit()]


def counts(rows: list[Row]) -> dict[str, list[int]]:
    """Medians of the counted steps: instructions and system calls of each part of an iteration."""
    steps: list[dict[str, list[int]]] = []
    running, lists = False, 0
    for mark, instructions, calls in rows:
        hidden = "behind the backward list" if lists == 2 else "behind the forward list"
        between = "between the lists" if lists == 1 else "before the forward list"
        part = "ahead" if mark == AHEAD_ENDS else hidden if running else between
        if steps:
            found = steps[-1].setdefault(part, [0, 0])
            found[0], found[1] = found[0] + instructions, found[1] + calls
        if mark == STEP:
            steps.append({})
            lists = 0
        elif mark == RUNS:
            running, lists = True, min(lists + 1, 2)
        elif mark == RUNS_NO_MORE:
            running = False
    chosen = steps[FIRST:LAST]
    return {part: [round(median(step[part][index] for step in chosen)) for index in (0, 1)] for part in chosen[0]}


def main() -> None:
    fetched(FOLDER)
    compiled(FOLDER)
    found = counts(marks(FOLDER, FOLDER / "data"))
    text = json.dumps(found, indent=1) + "\n"
    print(text, end="", flush=True)
    if "--write" in sys.argv:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
