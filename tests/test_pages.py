"""The Markdown pages are true: code blocks run, commands run or at least parse, links and file names lead somewhere,
and the output of commands on them is today's.
"""

from __future__ import annotations

import contextlib
import fnmatch
import importlib
import importlib.util
import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from cpt_model import Bits
from scripts.cli import build_parser, main
from sim.contract import ALL_FEATURES, Build, features_of, has_vector_unit
from sim.devices import open_executor
from sim.vectors.catalogue import catalogue
from tests import pages
from tests.host.driver.driving import DEVICES
from tests.pages import Piece
from tests.tools import ROOT

PAGES = pages.pages()
FRONT, DRIVER = ROOT / "README.md", ROOT / "host" / "README.md"
FORMULAS = ROOT / "sim" / "contract" / "CONTRACT.md"  # its indented blocks are no code
LANGUAGES = {"python", "sh", "console", "text"}

# Commands that are parsed and not run, and why.
EXPENSIVE = {
    "cpt bench*": "minutes; prints speeds",
    "cpt board convert *": "needs a run; tests/cpt_model/training/test_exchange.py runs it",
    "cpt board train --recipe *": "minutes of training; tests/host/training runs shorter ones",
    "cpt board export --arch cifar10_resnet_74 *": "minutes of PyTorch",
    "cpt board fit *": "needs the file of a measurement; tests/scripts/test_latency.py runs it",
    "cpt cosim *": "minutes of simulation; tests/sim/bench/test_cosim.py runs some",
    "cpt demo*": "minutes; tests/scripts/test_demo.py runs it with few steps",
    "cpt try *": "minutes; tests/cpt_model/models/test_own.py runs it with few steps",
    "cpt board train --arch digits_resnet_8 * --device rtl": "minutes of simulation",
    "cpt cycles --body --out *": "minutes of simulation",
    "cpt data cifar10": "downloads",
    "cpt experiment ?*": "hours of training",
    "cpt iteration *": "minutes of simulation",
    "cpt range-test *": "minutes of training",
    "cpt report *": "needs runs; tests/scripts/test_report.py runs it",
    "cpt train *": "minutes of training",
    "cpt vectors --device rtl *": "minutes of simulation",
    "python -m sim.synthesis.resources --module *": "minutes of synthesis",
    "torchrun *": "minutes of training",
}
CHEAP = ("cpt train --recipes", "cpt * --help")  # although one of the above
# Commands that nothing here can run or parse, and why.
ELSEWHERE = {
    "CPT_BITFILE=*": "needs a board",
    "bootgen *": "AMD's tool",
    "cp cpt.bit.bin *": "on the board, as root",
    "insmod *": "on the board, as root",
    "modprobe *": "on the board, as root",
    "python3 -m scripts.cli board info --device uio": "on the board",
    "python3 -c *": "on the board",
    "git clone *": "downloads PYNQ",
    "cat > my.py *": "a file to write; tests/cpt_model/models/test_own.py uses one",
    "grep * /proc/*": "on the board",
    "ls /sys/*": "on the board",
    "make BOARDDIR=*": "PYNQ's image build",
    "petalinux-*": "AMD's tool",
    "pip install *": "changes the environment",
    "source *": "changes the shell",
    "sudo *": "on the board, as root",
}
# Python that is compiled and not run, and why.
ON_THE_BOARD = {"from pynq.ps import Clocks": "sets the clock of the board"}
# What makes examples short, or free of packages that are not installed.
SHORTER = {"steps=100": "steps=4, window=2, progress=False", "range(2, 9)": "(2, 8)"}
OPTIONAL = {"LightningPrecision": "lightning", "HuggingFacePrecision": "transformers"}
# Files that commands on the pages write, or that others bring.
PRODUCED = {"golden.json", "my.py", "seconds.json", "system-user.dtsi"}
SOURCE = re.compile(r"[\w./-]+\.(py|md|svh?|v|cpp|hpp|h|toml|json|tcl|yaml|svg|sh|xdc|dtsi|sha256)|[\w./-]+/")


def matches(text: str, table: dict[str, str] | tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in table)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def every(find: Callable[[Path], list[Piece]]) -> list[Any]:
    """What is found on all pages, as parameters of a test."""
    return [pytest.param(piece, id=f"{piece}") for page in PAGES for piece in find(page)]


def executed(blocks: list[Piece], change: Callable[[str], str] = str) -> tuple[dict[str, Any], str, str]:
    """Runs blocks one after another; their names, what they printed, and what they reported on standard error."""
    names: dict[str, Any] = {}
    printed, reported = io.StringIO(), io.StringIO()
    for block in blocks:
        text = change(block.text)
        for long, short in SHORTER.items():
            text = text.replace(long, short)
        for name, package in OPTIONAL.items():
            if importlib.util.find_spec(package) is None:
                text = re.sub(rf"(?m)^(?!from).*{name}.*$", "", text).replace(f"{name}, ", "")
        code = compile("\n" * (block.line - 1) + text, str(block.page), "exec")
        if any(sign in text for sign in ON_THE_BOARD):
            continue
        before = len(printed.getvalue())
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(reported):
            exec(code, names)
        lines = printed.getvalue()[before:].splitlines()
        for expected in re.findall(r"^print\(.*\)  # (.*)$", block.text, flags=re.MULTILINE):
            assert expected in lines, f"{block}: printed {lines}"
    return names, printed.getvalue(), reported.getvalue()


def python_blocks(page: Path) -> list[Piece]:
    return [block for block in pages.blocks(page) if block.language == "python"]


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=named)
def test_python_runs_as_printed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    names, printed, _ = executed(python_blocks(page))
    if page.parent.name == "cpt_model":
        assert 0 <= float(names["accuracy"]) <= 1
        assert set(names["saved"]) == {"model", "optimizer", "bits", "quantisation"}
        count = names["network"]
        floats = count.operations - count.quantised_macs  # at 32 bits in three passes
        assert names["plan"].cost(Bits(3, 8)) == 32 * (count.quantised_macs * 57 + floats * 3 * 1024)
        assert len(names["report"].checks) == 3
    if page == FRONT:
        assert printed.count("layer1.0.conv1") == 3


@pytest.mark.parametrize("device", ["hls", pytest.param("rtl", marks=pytest.mark.slow)])
def test_training_on_a_device_ends_with_the_weights_of_pytorch(device: str) -> None:
    """On the reference it runs with the page."""
    if not has_vector_unit(features_of(open_executor(device, Build.named("tiny")))):
        pytest.skip(f"the core of '{device}' has no vector unit yet: its register FEATURES is 0")
    (block,) = (each for each in python_blocks(FRONT) if "IntegerStep" in each.text)
    executed([block], lambda text: text.replace('open_device("reference"', f'open_device("{device}"'))


@pytest.mark.parametrize("device", DEVICES)
def test_the_drivers_page_is_true_of_every_device(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    def on_device(text: str) -> str:
        assert 'open_device("reference"' in text
        return text.replace('open_device("reference"', f'open_device("{device}"')

    page = DRIVER.read_text(encoding="utf-8")
    quick_start, streaming = python_blocks(DRIVER)
    reported = executed([quick_start], on_device)[2]
    assert f"\n{reported.splitlines()[-1]}\n" in page, "the first use reports before that it compiles"
    assert len(executed([streaming], on_device)[1].splitlines()) == 3 * 3 * 3
    command = next(each.text for each in pages.commands(DRIVER) if each.text.startswith("cpt board measure"))
    assert main([*shlex.split(command)[1:-1], device]) == 0
    assert f"on {device}" in capsys.readouterr().out


def cpt_arguments(command: str) -> list[str] | None:
    """What follows `cpt`, or what stands for it."""
    words = shlex.split(command)
    if words[0] == "cpt":
        return words[1:]
    return words[words.index("scripts.cli") + 1 :] if words[0] == "torchrun" else None


@lru_cache
def help_of(*words: str) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), pytest.raises(SystemExit) as end:
        parse([*words, "--help"])
    assert end.value.code == 0
    return shown.getvalue()


def parse(arguments: list[str]) -> int:
    """Zero if the command's own parser takes the arguments; else it raises."""
    build_parser(arguments[0] if arguments else None).parse_args(arguments)
    return 0


def check_flags(words: list[str]) -> None:
    """Flags are those that the command's help shows: no retired spelling, nothing that is not there."""
    names = [word for word in words if not word.startswith("-")][: 2 if words[:1] == ["board"] else 1]
    known = set(re.findall(r"(?<![\w-])--[\w-]+", help_of(*names)))
    unknown = [word for word in words if word.startswith("--") and word.split("=")[0] not in known]
    assert not unknown or "--is_cyclic_precision" in words, f"{unknown[0]} is not in the help of cpt {names}"


def check(command: str, folder: Path, run: bool = True) -> None:
    """Runs a command if it is cheap, else parses it; what belongs to no class fails."""
    command = command.removeprefix(".venv/bin/")
    if matches(command, ELSEWHERE):
        return
    run = run and (matches(command, CHEAP) or not matches(command, EXPENSIVE))
    words = shlex.split(command)
    arguments = cpt_arguments(command)
    if arguments is not None:
        check_flags(arguments)
        try:
            code = main(arguments) if run else parse(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        assert code == 0, command
    elif words[0] == "make":
        done = subprocess.run(
            ["make", "-n", *words[1:], f"PYTHON={sys.executable}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    elif words[:3] == ["python", "-m", "pytest"]:
        named = [word for word in words[3:] if word.startswith("tests/")]
        assert [word for word in named if not (ROOT / word).exists()] == []
    elif words[:2] == ["python", "-m"]:
        wanted = words[2:] if run else [words[2], "--help"]
        done = subprocess.run(
            [sys.executable, "-m", *wanted],
            cwd=folder,
            env=pages.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert run or set(re.findall(r"--[\w-]+", command)) <= set(re.findall(r"--[\w-]+", done.stdout)), command
    elif words[0] == "sh":
        subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    else:
        raise AssertionError(f"'{command}' is neither run nor parsed: see EXPENSIVE and ELSEWHERE")


def typed(page: Path) -> list[Piece]:
    """Commands to type; those of generated blocks are run with them."""
    generated = {piece.text for piece in pages.generated(page)}
    return [piece for piece in pages.commands(page) if piece.text not in generated]


@pytest.mark.parametrize("command", every(typed))
def test_commands_run_or_parse(command: Piece, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pages.workplace(tmp_path))
    check(command.text, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_in_sentences_are_there(page: Path, tmp_path: Path) -> None:
    for span in pages.spans(page):
        words = span.text.replace("…", "").split()
        if words[:1] == ["cpt"]:
            check_flags([word for word in words[1:] if not word.isupper()])
        elif words and words[0] in ("make", "python", "sh", "torchrun", "pip"):
            check(" ".join(words), tmp_path, run=False)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_and_files_are_there(page: Path) -> None:
    assert broken_links(page) == []
    assert missing_files(page) == []


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in pages.links(page):
        place, _, anchor = link.text.partition("#")
        if place.startswith("https://"):
            continue
        target = page.parent / place if place else page
        if not target.exists() or (anchor and anchor not in pages.anchors(target)):
            broken.append(f"{link}: {link.text}")
    return broken


def missing_files(page: Path) -> list[str]:
    """Names of files in sentences: from the page's folder, from the root, or anywhere in the page's folder."""
    missing = []
    for span in pages.spans(page):
        name = span.text
        if not SOURCE.fullmatch(name) or name.startswith(("out/", "/")) or name in PRODUCED:
            continue
        near = "/" not in name and page.parent != ROOT and any(page.parent.rglob(name))
        if not (near or (page.parent / name).exists() or (ROOT / name).exists()):
            missing.append(f"{span}: {name}")
    return missing


def rows(page: Path) -> list[list[str]]:
    lines = [line for line in pages.prose(page).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_functions_on_the_way_of_one_layer_are_where_the_page_has_them() -> None:
    page = ROOT / "docs" / "one-layer.md"
    found = 0
    for cells in rows(page):
        if len(cells) == 3 and "](" in cells[0]:
            files = [page.parent / link for link in re.findall(r"\]\(([^)]+)\)", cells[0])]
            source = "".join(file.read_text(encoding="utf-8") for file in files)
            for name in re.findall(r"`([\w.]+)`", cells[1]):
                assert re.search(rf"\b{name.split('.')[-1]}\b", source), f"{name} is not in {files}"
                found += 1
    assert found > 30


@pytest.mark.parametrize("room", ["cpt_model", "host", "sim"])
def test_every_package_is_named_on_its_rooms_page(room: str) -> None:
    page = (ROOT / room / "README.md").read_text(encoding="utf-8")
    packages = [each.parent.name for each in (ROOT / room).glob("*/__init__.py")]
    assert [name for name in packages if f"[`{name}/`]({name}/)" not in page] == []


def test_modules_of_the_core_are_there() -> None:
    page = ROOT / "vivado" / "README.md"
    cells = [row[0] for row in rows(page) if re.fullmatch(r"(`[a-z_*]+`(, )?)+", row[0])]
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert len(names) > 40
    assert [name for name in names if not list((ROOT / "vivado" / "rtl").glob(f"{name}.sv"))] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != FORMULAS], ids=named)
def test_code_is_in_blocks_whose_language_is_known(page: Path) -> None:
    assert {block.language for block in pages.blocks(page)} <= LANGUAGES
    assert [
        line for line in re.findall(r"(?m)^\n    \S.*", pages.prose(page)) if not re.match(r"\s+[-*\d]", line)
    ] == []


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(piece, id=str(piece), marks=[pytest.mark.slow] if re.search("explore|for ", piece.text) else [])
        for page in PAGES
        for piece in pages.generated(page)
    ],
)
def test_output_on_the_page_is_todays(found: Piece) -> None:
    now = pages.block(found.language, found.text)
    assert now in found.page.read_text(encoding="utf-8"), f"{found}: 'make docs' writes\n{now}"


@lru_cache
def output_of(command: str) -> str:
    return pages.printed(command)


def test_the_front_page_is_short_and_its_numbers_are_todays() -> None:
    text = FRONT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    table = [cells for cells in rows(FRONT) if cells[-1].startswith("`") and len(cells) == 3]
    assert len(table) <= 10
    checked = [cells for cells in table if not cells[0].endswith("*")]
    (trained,) = [cells for cells in table if cells[0].endswith("*")]
    saved = json.loads((ROOT / "cpt_model/experiments/results/static-vs-cpt.json").read_text(encoding="utf-8"))
    found = saved["rows"][-1]["difference"]
    assert trained[1] == f"−{-found['mean']:.2f} ± {found['deviation']:.2f}"
    assert trained[2] == f"`cpt experiment {saved['experiment']}`"
    for what, numbers, command in checked:
        shown = output_of(command.strip("`"))
        for number in re.findall(r"\d[\d,.]*\d|\d", numbers):
            assert re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d])", shown), f"{what}: {number} is not in\n{shown}"


def test_numbers_of_vectors_are_todays() -> None:
    """All of them, and those of executors without a vector unit."""
    every, plain = (len(list(catalogue(Build.named("tiny"), features))) for features in (ALL_FEATURES, 0))
    counted = re.compile(r"(\d{3,}) (?:test )?vectors|the (\d{3,}) of the matrix passes")
    for page, wanted in {
        "README.md": {every},
        "sim/README.md": {every, plain},
        "docs/measured.md": {every},
    }.items():
        pairs = counted.findall((ROOT / page).read_text(encoding="utf-8"))
        assert {int(one or other) for one, other in pairs} == wanted, page


@pytest.mark.parametrize(
    "command",
    [
        "cpt sim --devise hls",
        "cpt sum --device hls",
        "cpt bench --nothing",
        "cpt sim --layer conv:n8 --verify",
        "cpt board measure --network resnet8",
        "make -C hls nothing",
        "python -m host.compiler.memory_needs",
        "python -m pytest tests/nothing",
        "frobnicate --all",
    ],
)
def test_a_planted_command_is_noticed(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, ValueError)):
        check(command, tmp_path)


def test_a_planted_mistake_on_a_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n[a](nothing.md) [b](#titel) [c](#title) `nothing.py`\n\n"
        "```python\nprint(1 + 1)  # 3\n```\n\n<!-- run: echo new -->\n```console\n$ echo new\nold\n```\n<!-- end -->\n"
    )
    assert [each.split(": ")[1] for each in broken_links(page)] == ["nothing.md", "#titel"]
    assert len(missing_files(page)) == 1
    with pytest.raises(AssertionError, match="printed"):
        executed(python_blocks(page))
    assert pages.refreshed(page.read_text()) == page.read_text().replace("\nold\n", "\nnew\n")
