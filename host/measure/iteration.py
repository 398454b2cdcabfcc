"""One whole training iteration of a network on the RTL core: its passes in lists, their counters in one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from host.compiler.jobs import Job
from host.compiler.networks import full_name
from host.compiler.results import Results, stored_results
from host.measure.simulated_list import AskedPass, as_row, simulate_list
from sim.common.files import write_atomically
from sim.common.table import as_table

if TYPE_CHECKING:
    from sim.devices.rtl_executor import RtlExecutor

LIST_PASSES = 24  # of a list: a host would start one for all passes, but measurements are saved list by list


def shape(job: Job) -> tuple[str, str]:
    return str(job.layer), job.which.value


def measured(executor: RtlExecutor, jobs: Sequence[Job], results: Results, verify: bool) -> list[dict[str, Any]]:
    """Passes that follow each other, in one list."""
    asked = [
        AskedPass(job.layer, job.which, job.precision, stored_results(job.layer, job.which, job.precision, results))
        for job in jobs
    ]
    return [
        {
            "layer": job.name,
            "shape": str(job.layer),
            "pass": job.which.value,
            "a_bits": job.precision.a_bits,
            "b_bits": job.precision.b_bits,
            **as_row(counted),
            "verified": verify,
        }
        for job, counted in zip(jobs, simulate_list(executor, asked, verify), strict=True)
    ]


def simulated(
    executor: RtlExecutor,
    jobs: Sequence[Job],
    heading: dict[str, Any],
    out: Path,
    verify: bool,
    progress: Callable[[int], object],
) -> list[dict[str, Any]]:
    """Every pass's counters, kept in `out` list by list, from where an earlier call stopped.

    With `verify` the results of each shape are compared once. `progress` gets the number of passes just done.
    """
    rows = finished(out, heading)
    seen = {(row["shape"], row["pass"]) for row in rows if row["verified"]}
    out.parent.mkdir(parents=True, exist_ok=True)
    progress(len(rows))
    while len(rows) < len(jobs):
        listed = jobs[len(rows) : len(rows) + LIST_PASSES]
        unseen = any(shape(job) not in seen for job in listed)
        rows += measured(executor, listed, Results(heading["results"]), verify and unseen)
        seen.update(map(shape, listed))
        result = {**heading, "complete": len(rows) == len(jobs), "passes": rows}
        write_atomically(out, json.dumps(result, indent=1) + "\n")
        progress(len(listed))
    return rows


def finished(path: Path, heading: dict[str, Any]) -> list[dict[str, Any]]:
    """What an earlier call has measured already; a file of other settings is refused."""
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    found["network"] = full_name(found.get("network", ""))
    different = [key for key, value in heading.items() if found.get(key) != value]
    if different:
        raise ValueError(f"{path} was made with another {different[0]}: give another --out, or remove it")
    rows: list[dict[str, Any]] = found["passes"]
    return rows


def summary(rows: list[dict[str, Any]], clock_mhz: float) -> str:
    """Cycles by pass, and of the whole."""
    lines = []
    for which in (*dict.fromkeys(row["pass"] for row in rows), "all"):
        chosen = [row for row in rows if which in ("all", row["pass"])]
        cycles, busy = (sum(row[key] for row in chosen) for key in ("cycles", "busy"))
        lines.append((which, cycles, busy, f"{cycles / clock_mhz / 1e3:.2f}"))
    return f"simulated, at {clock_mhz:g} MHz\n" + as_table(("pass", "cycles", "busy", "ms"), lines)
