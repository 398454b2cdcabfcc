"""A 32-bit ARM's Python and NumPy out of Debian's packages, unpacked into a folder; and the qemu that runs them.

Nothing is installed and root is not needed: apt works in folders of its own, as if nothing were installed yet.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ARM, LIBRARIES = "armhf", "usr/lib/arm-linux-gnueabihf"
PACKAGES = ("python3.11", "python3-numpy", "python3-pytest", "python3-hypothesis")
QEMU, COUNTER = "qemu-user-static", "qemu-user"  # the second takes plugins
COMPILER = ("gcc-12-arm-linux-gnueabihf", "libc6-dev-armhf-cross")  # the second has the headers
SECONDS = 600.0
HERE = Path(__file__).resolve().parent


class NoDebianError(Exception):
    """Nothing to be had here; the message says why."""


def fetched(folder: Path) -> None:
    """Fills `folder/root`, `qemu`, `counter` and `cross`, once; later calls find them."""
    ready = folder / "ready-with-headers"
    if ready.exists():
        return
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise NoDebianError(f"this is no Debian: '{tool}' is missing")
    native = _output(["dpkg", "--print-architecture"])
    wanted = ("root", ARM, PACKAGES), ("qemu", native, (QEMU,)), ("counter", native, (COUNTER,))
    for place, architecture, packages in (*wanted, ("cross", native, COMPILER)):
        print(f"make arm: fetching {', '.join(packages)} for {architecture}", flush=True)
        shutil.rmtree(folder / place, ignore_errors=True)
        for file in _downloaded(folder / "apt" / place, architecture, packages):
            _run(["dpkg-deb", "-x", str(file), str(folder / place)])
    ready.touch()


def python(folder: Path, data: Path) -> list[str]:
    """The command that is ARM's Python."""
    root, libraries = folder / "root", folder / "root" / LIBRARIES
    variables = {
        "LD_LIBRARY_PATH": f"{libraries / 'blas'}:{libraries / 'lapack'}",  # alternatives are not set up
        "PYTHONHOME": f"{root / 'usr'}",
        "PYTHONPATH": f"{root / 'usr/lib/python3/dist-packages'}:{HERE.parents[1]}:{HERE}",
        "PYTHONPYCACHEPREFIX": f"{folder / 'pycache'}",
        "CPT_DATA": f"{data}",
        "CPT_CACHE": f"{folder / 'cache'}",
    }
    options = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
    return [str(folder / "qemu/usr/bin/qemu-arm-static"), "-L", str(root), *options, str(root / "usr/bin/python3.11")]


def libraries(tools: Path) -> str:
    """Where programs of an unpacked folder find theirs."""
    return ":".join(f"{found}" for place in ("usr/lib", "lib") for found in sorted((tools / place).glob("*-linux-gnu")))


def _downloaded(folder: Path, architecture: str, packages: tuple[str, ...]) -> list[Path]:
    """The packages and all they need; the one qemu alone, which needs nothing."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    own = {
        "Dir::State": folder,
        "Dir::State::Lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Sandbox::User": "root",
        "APT::Install-Recommends": "0",
        "Acquire::Languages": "none",
        "Debug::NoLocking": "1",
    }
    apt = ["apt-get", "-q", *(word for name, value in own.items() for word in ("-o", f"{name}={value}"))]
    # An index that is missing (of programs' descriptions, say) is an error to apt, and does not matter here.
    subprocess.run([*apt, "update"], capture_output=True, timeout=SECONDS)
    _run([*apt, "install", "-y", "--download-only", *packages])
    return sorted((folder / "cache/archives").glob("*.deb"))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        last = " ".join(done.stderr.split("\n")[-3:]).strip()
        raise NoDebianError(f"'{command[0]}' failed: {last}")


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout.strip()
