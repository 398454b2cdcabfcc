"""The metrics of a run: one JSON line each in metrics.jsonl, and the same numbers for TensorBoard."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from sim.common.files import write_atomically
from sim.common.json_file import parse_json

FILE = "metrics.jsonl"
EVALUATION = "eval_fw_bits"  # what lines of evaluations have, and no others


class JournalError(ValueError):
    """Metrics that cannot be written; the message names the file."""


class Journal:
    """Appends to the metrics of a run that has done `step` steps and was last evaluated after `evaluated` of them.

    Lines of later ones are dropped: it was killed. `writer` is TensorBoard's, or None.
    """

    def __init__(self, folder: Path, step: int, evaluated: int, writer: Any = None) -> None:
        self.file = folder / FILE
        last = {True: evaluated, False: step}  # a checkpoint may lie between a step and its evaluation
        kept = [line for line in read_metrics(folder) if line["step"] <= last[EVALUATION in line]] if step else []
        write_atomically(self.file, "".join(json.dumps(line) + "\n" for line in kept))
        self._stream = open(self.file, "a", encoding="utf-8")  # noqa: SIM115 (closed by __exit__)
        self._writer = writer
        self._hook = threading.excepthook
        if writer is not None:
            threading.excepthook = self._quiet

    def write(self, **values: Any) -> None:
        """One line; `step` is among the values. What is None stays in the line and out of the curves."""
        try:
            self._stream.write(json.dumps(values) + "\n")
            self._stream.flush()
            if self._writer is not None:
                for name, value in values.items():
                    if name != "step" and value is not None:
                        self._writer.add_scalar(name, value, values["step"])
                self._writer.flush()
        except OSError as problem:
            raise JournalError(f"{self.file} cannot be written: {problem.strerror or problem}") from problem

    def _quiet(self, problem: Any) -> None:
        """TensorBoard writes in a thread; a full disk, which `write` reports, would print a traceback there."""
        if not issubclass(problem.exc_type, OSError):
            self._hook(problem)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._stream.close()
            if self._writer is not None:
                self._writer.close()
        except OSError as full:
            if problem is None:
                raise JournalError(f"{self.file} cannot be written: {full.strerror or full}") from full
        finally:
            threading.excepthook = self._hook


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """All whole lines of a run; half a line at the end, from a run that was killed, is left out."""
    file = folder / FILE
    if not file.exists():
        return []
    lines = []
    for line in file.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
        try:
            found = parse_json(line)
        except ValueError:
            continue
        if isinstance(found, dict) and isinstance(found.get("step"), int):
            lines.append(found)
    return lines
