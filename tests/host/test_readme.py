"""The driver's page: its examples run as printed, on every device, and print what they say."""

from __future__ import annotations

import re
import shlex

import pytest

from scripts.cli import main
from tests.host.driver.driving import DEVICES
from tests.tools import ROOT

PAGE = (ROOT / "host" / "README.md").read_text(encoding="utf-8")
QUICK_START, STREAMING = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def on(device: str, block: str) -> str:
    """The block with another device's name in it."""
    assert 'open_device("reference"' in block
    return block.replace('open_device("reference"', f'open_device("{device}"')


@pytest.mark.parametrize("device", DEVICES)
def test_the_quick_start_prints_what_it_says(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(on(device, QUICK_START), {})
    shown = capsys.readouterr()
    said = re.search(r"print\(.*\)  # (.*)", QUICK_START)
    assert said
    assert shown.out.strip() == said[1]
    assert f"    {shown.err.splitlines()[-1]}\n" in PAGE  # the first use says before that it compiles


@pytest.mark.parametrize("device", DEVICES)
def test_streaming_runs_as_printed(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(on(device, STREAMING), {})
    assert len(capsys.readouterr().out.splitlines()) == 3 * 3 * 3


@pytest.mark.parametrize("device", DEVICES)
def test_the_command_runs_as_printed(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"^    cpt (board measure --network resnet8 .*--device) hls$", PAGE, flags=re.MULTILINE)
    assert found
    assert main([*shlex.split(found[1]), device]) == 0
    assert f"on {device}" in capsys.readouterr().out


def test_links_and_files_of_the_page_are_there() -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE)
    assert links
    files = re.findall(r"`([a-z_/]+\.py)`", PAGE)
    missing = [name for name in [*links, *files] if not any((ROOT / place / name).exists() for place in ("host", ""))]
    assert missing == []
