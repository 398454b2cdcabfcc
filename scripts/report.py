"""`cpt report`: one page about training runs, and the same numbers as JSON next to it."""

from __future__ import annotations

import argparse
import json
from datetime import datetime
from pathlib import Path

from scripts.flags import add
from scripts.parser import Parser
from sim.common.files import write_atomically
from sim.common.flag_types import path
from sim.common.table import as_table

DESCRIPTION = """\
Writes one self-contained HTML page about runs of 'cpt train', finished or not: precision, loss and
accuracy, bit operations, estimated board hours, each layer's latency and a roofline; and the same
numbers as JSON. Runs that differ by their seed alone are shown together.
"""
EXAMPLES = """\
  cpt report out/train
  cpt report out/train/a out/train/b --out out/both.html --profile zc706-ps
"""


def add_flags(parser: Parser) -> None:
    what = "folder of a run, or a folder of several"
    parser.add_argument("runs", nargs="+", type=path, metavar="RUN", help=what)
    add(parser, "--out", metavar="FILE", default=Path("out", "report.html"), help="page to write, an .html file")
    what = "JSON file of the page's numbers"
    add(parser, "--json-out", type=path, metavar="FILE", shown="next to the page", help=what)
    add(parser, "--profile")
    add(parser, "--json")
    parser.modern = modern


def modern(arguments: list[str]) -> list[str]:
    """`--json FILE.json` was the old spelling of --json-out.

    >>> modern(["run", "--json", "a.json", "--json=b.json", "--json", "other run"])
    ['run', '--json-out', 'a.json', '--json-out=b.json', '--json', 'other run']
    """
    found = [each.replace("--json=", "--json-out=") for each in arguments]
    for place, following in enumerate(found[1:]):
        if found[place] == "--json" and following.endswith(".json"):
            found[place] = "--json-out"
    return found


def run(arguments: argparse.Namespace) -> int:
    from cpt_model.cost.profile_file import find_profile
    from cpt_model.reports.page import as_json, html
    from cpt_model.reports.report import make_report
    from cpt_model.reports.tables import headline

    numbers = arguments.json_out or arguments.out.with_suffix(".json")
    check_targets(arguments.out, numbers)
    report = make_report(arguments.runs, find_profile(arguments.profile))
    command = f"cpt report {' '.join(map(str, arguments.runs))} --profile {arguments.profile}"
    values = json.dumps(as_json(report), indent=1)
    write_whole({arguments.out: html(report, origin=origin(command)), numbers: values + "\n"})
    if arguments.json:
        print(values)
        return 0
    print(as_table(*headline(report)))
    for note in (report.estimate, *report.notes):
        print(f"\n{note}")
    print(f"\nwrote {arguments.out}, {numbers}")
    return 0


def origin(command: str) -> str:
    """When a page was made, from which commit, by which command."""
    from sim.common.version import __version__, commit

    now = datetime.now().astimezone()
    return f"{now:%Y-%m-%d %H:%M %Z}, cpt-kit {__version__}, {commit()}, {command}"


def check_targets(page: Path, numbers: Path) -> None:
    """Refuses files of another kind, folders, and names of a run's own files."""
    from cpt_model.training.run_folder import SETTINGS
    from cpt_model.training.summary import FILE

    if page.suffix not in (".html", ".htm"):
        raise ValueError(f"--out {page}: the page is an .html file")
    if numbers.suffix != ".json":
        raise ValueError(f"--json-out {numbers}: the numbers are a .json file")
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
