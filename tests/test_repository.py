"""What must hold for the repository itself: its tool check, its lock file, and that it names no machine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cpt_model
import host
from sim import __version__
from tests.tools import ROOT, files_of_the_repository

PYTHON = f'exec "{sys.executable}" "$@"'
GXX = "echo 12"
MAKE = "echo GNU Make 4.3"


def check_tools(folder: Path, *arguments: str, **tools: str | None) -> subprocess.CompletedProcess[str]:
    """Runs check_tools.sh where the only commands are `tools`: name -> shell command it consists of."""
    shell = shutil.which("sh")
    assert shell
    for name, command in ({"python3": PYTHON, "g++": GXX, "make": MAKE} | tools).items():
        if command is not None:
            (folder / name).write_text(f"#!{shell}\n{command}\n")
            (folder / name).chmod(0o755)
    script = str(ROOT / "scripts" / "check_tools.sh")
    return subprocess.run(
        [shell, script, *arguments], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )


def test_tools_that_suffice_are_accepted(tmp_path: Path) -> None:
    result = check_tools(tmp_path)
    assert result.returncode == 0, result.stderr
    assert "g++ 12, make 4.3" in result.stdout


def test_python_option_prints_only_a_working_interpreter(tmp_path: Path) -> None:
    result = check_tools(tmp_path, "--python")
    assert len(result.stdout.splitlines()) == 1
    assert os.access(result.stdout.strip(), os.X_OK)


@pytest.mark.parametrize(
    ("tools", "first_line"),
    [
        ({"g++": None}, "g++: found none, need 9 or newer; get it with: apt-get install g++"),
        ({"g++": "echo 5.0"}, "g++: found 5.0, need 9 or newer; get it with: apt-get install g++"),
        ({"make": None}, "make: found none, need GNU make 4.0 or newer; get it with: apt-get install make"),
        ({"make": "echo GNU Make 3.81"}, "make: found 3.81, need GNU make 4.0"),
        ({"make": "echo bmake"}, "make: found one that is not GNU make, need GNU make 4.0"),
        ({"python3": None}, "python: found none, need 3.10, 3.11 or 3.12 with venv and ensurepip"),
        ({"python3": "echo 3.9.18; exit 1"}, "python: found python3 (3.9.18), need 3.10"),
        ({"python3": "exit 127"}, "python: found python3 (does not run), need 3.10"),
    ],
)
def test_lacking_tool_is_named_in_the_first_line(tmp_path: Path, tools: dict[str, str | None], first_line: str) -> None:
    result = check_tools(tmp_path, **tools)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith(first_line)


def test_a_good_python_is_found_behind_a_broken_one(tmp_path: Path) -> None:
    assert check_tools(tmp_path, **{"python3.11": "exit 127"}).returncode == 0


def test_lock_holds_only_exact_pins() -> None:
    pin = re.compile(r'[A-Za-z0-9._-]+==[0-9][0-9a-z.]*( ; python_version (<|>=) "3\.\d+")?')
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert lines
    assert [line for line in lines if not pin.fullmatch(line)] == []


def test_every_file_that_names_the_version_names_this_one() -> None:
    assert f'\nversion = "{__version__}"\n' in (ROOT / "pyproject.toml").read_text()
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == __version__
    assert {cpt_model.__version__, host.__version__} == {__version__}


def test_no_file_names_a_folder_of_the_machine_or_a_package_index() -> None:
    private = re.compile(rb"(?<![\w.~-])/(root|work|opt)/|--(extra-)?index-url")
    assert [str(file) for file in files_of_the_repository() if private.search(file.read_bytes())] == []


def test_lines_of_cpp_and_systemverilog_are_as_short_as_pythons() -> None:
    """Ruff sees to Python's."""
    kinds = {".cpp", ".hpp", ".h", ".sv", ".svh", ".v"}
    sources = [file for file in files_of_the_repository() if file.suffix in kinds]
    assert {".cpp", ".sv"} <= {file.suffix for file in sources}
    long = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in sources
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []
