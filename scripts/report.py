"""`cpt report`: one page about training runs, and the same numbers as JSON beside it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sim.common.files import write_atomically


def add_parser(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "report",
        help="one page about training runs: accuracy, cost, latency, roofline",
        description="Writes one self-contained HTML page about runs of cpt train, finished or not: precision, loss and "
        "accuracy, bit operations, estimated board hours, each layer's latency and a roofline; and the same numbers as "
        "JSON. Runs that differ by their seed alone are shown together.",
    )
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="folder of a run, or a folder that holds several"
    )
    parser.add_argument("--out", type=Path, default=Path("out") / "report.html", help="the page (out/report.html)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the numbers (beside the page, as .json)")
    parser.add_argument(
        "--profile", default="zc706", metavar="NAME", help="core that is estimated: zc706, zc706-ps or a JSON file"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.profile_file import find_profile
    from cpt_model.drawing.text import render
    from cpt_model.reports.page import as_json, html
    from cpt_model.reports.report import make_report
    from cpt_model.reports.tables import headline

    numbers = arguments.out.with_suffix(".json") if arguments.json is None else arguments.json
    check_targets(arguments.out, numbers)
    report = make_report(arguments.runs, find_profile(arguments.profile))
    write_whole({arguments.out: html(report), numbers: json.dumps(as_json(report), indent=1) + "\n"})
    print(render(*headline(report)))
    for note in (report.estimate, *report.notes):
        print(f"\n{note}")
    print(f"\nwrote {arguments.out}, {numbers}")
    return 0


def check_targets(page: Path, numbers: Path) -> None:
    """Files that cannot be meant are refused: a folder, one file for both, a run's own file."""
    from cpt_model.training.run_folder import SETTINGS
    from cpt_model.training.summary import FILE

    if page.suffix not in (".html", ".htm"):
        raise ValueError(f"--out {page}: the page is an .html file")
    if numbers.suffix != ".json":
        raise ValueError(f"--json {numbers}: the numbers are a .json file")
    for file in (page, numbers):
        if file.is_dir():
            raise ValueError(f"{file} is a folder, not a file")
        if file.name in (SETTINGS, FILE):
            raise ValueError(f"{file}: a run's own file has that name; give another")


def write_whole(contents: dict[Path, str]) -> None:
    """Each file whole or not at all; their folders are made first."""
    for file in contents:
        file.parent.mkdir(parents=True, exist_ok=True)
    for file, content in contents.items():
        write_atomically(file, content)
