"""What all commands share: flags of one meaning, help texts of one style, old spellings, fast starts."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest

from scripts import flags
from scripts.board_train import FOREIGN
from scripts.cli import COMMANDS, build_parser
from tests.tools import ROOT, refusal

RETIRED = r"\b(anew|beside|said|told|somebody|nobody|dice|mend\w*|so many|under way|broken off)\b"
README = (ROOT / "scripts" / "README.md").read_text(encoding="utf-8")


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command, and the jobs of those that have some."""
    for name in COMMANDS:
        top = next(each for each in build_parser(name)._actions if isinstance(each, argparse._SubParsersAction))
        parser = top.choices[name]
        yield name, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from ((f"{name} {job}", each) for job, each in action.choices.items())


PARSERS = dict(parsers())
SHOWN = [
    (f"{command} {action.option_strings[0] if action.option_strings else action.metavar}", action)
    for command, parser in PARSERS.items()
    for action in parser._actions
    if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
]


def parsed(line: str) -> argparse.Namespace:
    return build_parser(line.split()[0]).parse_args(shlex.split(line))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *((f"{command} --config tiny", f"{command} --build tiny") for command in ("sim", "cosim", "cycles", "vectors")),
        *((f"{command} --config tiny", f"{command} --build tiny") for command in ("iteration", "board measure")),
        ("train --config digits", "train --recipe digits"),
        ("train --latency-model zc706", "train --profile zc706"),
        ("board measure --network resnet8 --repeats 3", "board measure --arch cifar10_resnet_8 --repeat 3"),
        ("board export --network resnet74 --total 100", "board export --arch cifar10_resnet_74 --steps 100"),
        ("iteration --network resnet74", "iteration --arch cifar10_resnet_74"),
        ("vectors --on rtl", "vectors --device rtl"),
        ("cosim --latency 3", "cosim --max-latency 3"),
        ("cycles --only forward --bits 3 8", "cycles --only '*forward*' --operand-bits 3 8"),
        ("landscape out/a --bits 4", "landscape out/a --eval-bits 4"),
        ("experiment schedules --results kept", "experiment schedules --save kept"),
        ("report out/a --json numbers.json", "report out/a --json-out numbers.json"),
        ("report --json=numbers.json out/a", "report --json-out=numbers.json out/a"),
        *(
            (f"{command} --arch resnet34 {old}", f"{command} --arch resnet34 {new}")
            for command in ("cost", "explore")
            for old, new in (
                ("--iterations 9", "--steps 9"),
                ("--iters 9", "--steps 9"),
                ("--batch_size 9", "--batch 9"),
                ("--batch-size 9", "--batch 9"),
                ("--num_cyclic_period 9", "--cycles 9"),
            )
        ),
    ],
)
def test_an_old_spelling_means_the_same_and_is_hidden(old: str, new: str) -> None:
    assert parsed(old) == parsed(new)
    parser = PARSERS[" ".join(old.split()[:2])] if old.startswith("board") else PARSERS[old.split()[0]]
    known = parser._option_string_actions
    gone = {known[word] for word in set(old.split()) - set(new.split()) if word in known and word != "--json"}
    assert {action.help for action in gone} <= {argparse.SUPPRESS}


@pytest.mark.parametrize("command", ["cycles", "iteration", "board measure", "board stream"])
def test_bandwidth_is_in_gigabytes_and_its_old_unit_is_accepted(command: str) -> None:
    assert flags.bytes_per_cycle(parsed(command)) == 50
    assert flags.bytes_per_cycle(parsed(f"{command} --bandwidth 3.4")) == pytest.approx(17)
    assert flags.bytes_per_cycle(parsed(f"{command} --bandwidth 10 --clock-mhz 100")) == 100
    assert flags.bytes_per_cycle(parsed(f"{command} --bytes-per-cycle 8 --clock-mhz 100")) == 8


@pytest.mark.parametrize(("where", "action"), SHOWN, ids=[where for where, _ in SHOWN])
def test_a_help_text_names_the_thing_and_ends_with_its_default(where: str, action: argparse.Action) -> None:
    text = action.help or ""
    assert text
    assert text[0] not in " ("
    assert not text.startswith("of ")
    assert not text.endswith(".")
    has_default = action.nargs != 0 and action.default not in (None, argparse.SUPPRESS)
    if has_default or "default" in text:
        assert re.search(r" \(default: [^()]+\)$", text)


@pytest.mark.parametrize("command", PARSERS)
def test_every_command_has_examples_that_parse(command: str) -> None:
    text = PARSERS[command].format_help()
    examples = re.findall(r"^  (cpt .*?)(?:   +[(#].*)?$", text.split("\nexamples:\n")[1], flags=re.MULTILINE)
    assert examples
    for example in examples:
        assert hasattr(parsed(example.removeprefix("cpt ")), "run")


def test_retired_words_are_nowhere() -> None:
    texts = {command: parser.format_help() for command, parser in PARSERS.items()}
    texts |= {path.name: path.read_text() for path in (ROOT / "scripts").glob("*.py")}
    texts |= {"cpt": build_parser().format_help(), "README.md": README}
    assert {name: found.group() for name, text in texts.items() if (found := re.search(RETIRED, text))} == {}


@pytest.mark.parametrize(("flag", "spec"), flags.SHARED.items())
def test_a_shared_flag_has_one_type_and_one_default(flag: str, spec: dict) -> None:
    """Where a command has none of its own, it says whose it is."""
    uses = [action for _, action in SHOWN if flag in action.option_strings]
    assert len(uses) > 1
    default = spec.get("default")
    default = default() if callable(default) else default
    own = {"--arch", "--cycles", "--dataset", "--out", "--steps"}  # of single commands, as their help says
    own |= {"--fw-bits", "--bw-bits"}  # one number where a command has no schedule
    own |= {"--device"}  # of PyTorch in `cpt verify`
    assert flag in own or {str(use.default) for use in uses} <= {str(default), "None", "False", argparse.SUPPRESS}


def test_the_page_has_every_command_and_every_shared_flag() -> None:
    assert [name for name in COMMANDS if f"`{name}`" not in README] == []
    assert [flag for flag in flags.SHARED if f"`{flag}`" not in README] == []
    hidden = {
        spelling
        for parser in PARSERS.values()
        for action in parser._actions
        if action.help == argparse.SUPPRESS and action.dest not in FOREIGN
        for spelling in action.option_strings
    }
    assert [spelling for spelling in hidden if f"{spelling}`" not in README and f"{spelling} " not in README] == []


SCRIPT = """
import sys
from scripts.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print([name for name in sys.modules if name.startswith("scripts.")])
print([name for name in ("numpy", "torch") if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        ("--help", []),
        ("--version", []),
        ("nonsense", []),
        ("train --help", ["authors_flags", "flags", "train", "train_flags"]),
        ("constants --help", ["constants", "flags"]),
        ("latency --help", ["flags", "latency"]),
    ],
)
def test_only_the_command_that_was_asked_for_is_imported(arguments: str, imported: list[str]) -> None:
    command = [sys.executable, "-c", SCRIPT, *arguments.split()]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    *_, modules, heavy = shown.splitlines()
    assert sorted(re.findall(r"scripts\.(\w+)", modules)) == sorted(["cli", "ending", "parser", *imported])
    assert heavy == "[]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("bench --repeat -1", "--repeat: must be 1 or more, not -1"),
        ("cost --arch resnet34 --bandwidth 0", "--bandwidth: must be in 0.01..100,000, not 0"),
        ("cost --arch resnet34 --batch 0", "--batch: must be 1 or more, not 0"),
        ("train --threads 0", "--threads: must be 1 or more, not 0"),
        ("train --lr -1", "--lr: must be above 0, not -1"),
        ("range-test --tolerance -1", "--tolerance: must not be negative, not -1"),
        ("landscape out/a --span none", "--span: 'none' is not a number"),
        ("demo --jobs 1.5", "--jobs: '1.5' is not a whole number"),
        ("sim --build huge", "--build: invalid choice: 'huge' (choose from 'tiny', 'zc706', 'hls', 'zc706_train')"),
        ("cosim --dev hls", "unrecognized arguments: --dev hls"),
    ],
)
def test_a_bad_value_is_one_line_that_names_its_flag(
    capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    assert message in refusal(capsys, *arguments.split())
