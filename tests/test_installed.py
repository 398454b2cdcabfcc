"""The wheel in a fresh environment: what is in it, and commands of every kind from an empty folder."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import build_backend
from sim import __version__
from tests.tools import ROOT, files_of_the_repository

INFO = f"cpt_kit-{__version__}.dist-info"
NOT_READ = {".svg"}  # pictures of pages


def run(*command: str | Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CPT_CACHE")}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def succeed(*command: str | Path, folder: Path, **variables: str) -> str:
    done = run(*command, folder=folder, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_wheel(source: Path, folder: Path) -> Path:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    succeed(*pip, "wheel", source, "--no-deps", "--no-build-isolation", "--wheel-dir", folder, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.startswith(INFO)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


def test_it_has_every_file_that_is_read_and_nothing_else(wheel: Path) -> None:
    kit = (*build_backend.PACKAGES, *build_backend.HARDWARE)
    expected = {"cpt_kit/__init__.py"}
    for path in files_of_the_repository():
        name = path.relative_to(ROOT).as_posix()
        top = name.split("/")[0]
        if path.suffix not in NOT_READ and name != "scripts/check_tools.sh" and top in (*kit, "cpt_model"):
            expected.add(f"cpt_kit/{name}" if top in kit else name)
    assert contents(wheel) == expected


def test_it_imports_no_name_of_a_checkout(wheel: Path) -> None:
    roots = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                for node in ast.walk(ast.parse(archive.read(name))):
                    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                        roots.add(node.module.split(".")[0])
                    elif isinstance(node, ast.Import):
                        roots |= {each.name.split(".")[0] for each in node.names}
    assert {"cpt_kit", "cpt_model", "numpy"} <= roots
    assert roots & {*build_backend.PACKAGES, "tests"} == set()


def test_only_imports_are_renamed() -> None:
    source = 'def f():\n    from host import (  # from host\n        a,\n    )\n    return "from sim import b"\n'
    renamed = build_backend.rename_imports(source)
    assert renamed == source.replace("    from host import", "    from cpt_kit.host import")
    with pytest.raises(ValueError, match=r"'import sim\.x' cannot be renamed"):
        build_backend.rename_imports("import sim.x\n")


@pytest.mark.slow
def test_a_source_archive_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    copy, out = tmp_path / "copy", tmp_path / "out"
    for path in files_of_the_repository():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    out.mkdir()
    build = "import sys, build_backend; build_backend.build_sdist(sys.argv[1])"
    succeed(sys.executable, "-c", build, out, folder=copy)
    (archive,) = out.glob("*.tar.gz")
    assert contents(make_wheel(archive, out)) == contents(wheel)


@dataclass(frozen=True)
class Kit:
    """An environment with the wheel in it; other packages come from the one that runs the tests."""

    folder: Path

    @property
    def packages(self) -> Path:
        (found,) = (self.folder / "environment").glob("lib/python3*/site-packages")
        return found

    def run(self, program: str, *arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        variables = {"CPT_CACHE": str(self.folder / "cache"), "OMP_NUM_THREADS": "1"} | variables
        return run(self.folder / "environment" / "bin" / program, *arguments, folder=folder, **variables)

    def succeed(self, program: str, *arguments: str, folder: Path, **variables: str) -> str:
        done = self.run(program, *arguments, folder=folder, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def files(self) -> set[Path]:
        return {path for path in self.packages.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def kit(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kit]:
    made = Kit(tmp_path_factory.mktemp("kit"))
    environment = made.folder / "environment"
    succeed(sys.executable, "-m", "venv", "--without-pip", environment, folder=made.folder)
    pip = (sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "--disable-pip-version-check")
    succeed(*pip, "install", "--no-deps", "--no-index", wheel, folder=made.folder)
    # A path in a .pth file is searched last, and .pth files there, such as an editable install's, are not read.
    (made.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    before = made.files()
    yield made
    assert made.files() == before, "nothing is written into site-packages"


IMPORTS = """
import importlib.util, json
import cpt_kit.host, cpt_kit.scripts.cli, cpt_kit.sim, cpt_model
from cpt_kit.sim.common.places import OUT, ROOT
modules = (cpt_kit, cpt_kit.host, cpt_kit.sim, cpt_model)
print(json.dumps({
    "files": [each.__file__ for each in modules],
    "versions": [each.__version__ for each in modules],
    "top": [name for name in ("sim", "host", "scripts") if importlib.util.find_spec(name)],
    "out": str(OUT),
    "root": str(ROOT),
}))
"""


@pytest.mark.slow
def test_what_is_imported_is_what_was_installed(kit: Kit, tmp_path: Path) -> None:
    found = json.loads(kit.succeed("python", "-c", IMPORTS, folder=tmp_path))
    assert all(Path(file).is_relative_to(kit.packages) for file in found["files"])
    assert set(found["versions"]) == {__version__}
    assert found["top"] == []
    assert Path(found["root"]) == kit.packages / "cpt_kit"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"CPT_CACHE": "mine"}, "mine"),
        ({"CPT_CACHE": "", "XDG_CACHE_HOME": "cache"}, f"cache/cpt-kit/{__version__}"),
        ({"CPT_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "home"}, f"home/.cache/cpt-kit/{__version__}"),
    ],
)
def test_what_is_written_goes_to_the_users_cache(
    kit: Kit, tmp_path: Path, variables: dict[str, str], place: str
) -> None:
    assert json.loads(kit.succeed("python", "-c", IMPORTS, folder=tmp_path, **variables))["out"] == place


@pytest.mark.slow
def test_a_folder_called_sim_is_no_hindrance(kit: Kit, tmp_path: Path) -> None:
    for name in ("sim", "host", "scripts"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported by mistake')\n")
    imports = "from cpt_model import prepare_; from cpt_kit.host import Conv, open_device"
    kit.succeed("python", "-c", imports, folder=tmp_path)
    kit.succeed("cpt", "constants", folder=tmp_path)


LAYER = ("--build", "tiny", "--layer", "conv:n1,c3-4,5x5,k3", "--bits", "3", "5", "--verify")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (("--version",), f"cpt-kit {__version__}"),
        (("constants",), "agree"),
        (("latency",), "fitted on"),
        (("tables",), "Table 2"),
        (("cost", "--arch", "cifar10_resnet_20"), "an estimate by the latency model"),
        (("vectors", "--build", "tiny"), "vectors/tiny"),
        (("experiment",), "static-vs-cpt"),
        (("train", "--recipes"), "digits"),
        (("train", "--recipe", "digits", "--steps", "3", "--cycles", "1"), "test accuracy"),
        (("sim", "--device", "hls", *LAYER), "weight-gradient"),
        (("sim", "--device", "rtl", *LAYER), "weight-gradient"),
        (("cosim", "--dut", "hls", "--build", "tiny", "--only", "empty-list"), "1 vectors agree"),
    ],
    ids=lambda value: "-".join(value[:3]) if isinstance(value, tuple) else "",
)
def test_a_command_from_an_empty_folder(kit: Kit, tmp_path: Path, command: tuple[str, ...], printed: str) -> None:
    assert printed in kit.succeed("cpt", *command, folder=tmp_path)


@pytest.mark.slow
def test_a_unit_bench(kit: Kit, tmp_path: Path) -> None:
    unit = "Unit('response_monitor', 'response_monitor', ('response_monitor',))"
    bench = f"from cpt_kit.sim.bench.units import Unit, run_unit; run_unit({unit})"
    kit.succeed("python", "-c", bench, folder=tmp_path)


@pytest.mark.slow
def test_the_kits_own_files_are_not_changed(kit: Kit, tmp_path: Path) -> None:
    done = kit.run("cpt", "constants", "--write", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "cpt: --write changes the kit's own files: run it in a checkout, not in an installed kit"
    ]
