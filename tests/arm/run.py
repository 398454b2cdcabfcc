"""`make arm`: the host's tests, the vectors, a training run and ResNet-74's memory on a 32-bit ARM, by qemu-user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import counting
from arm_packages import NoDebianError, fetched, python

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "out" / "arm"
TESTS = ("tests/host", "tests/sim/contract", "tests/sim/reference", "tests/sim/vectors")
NO_PACKAGES = "tests/host/test_clean_environment.py"  # looks pynq's own requirements up
LEFT_OUT = "not zc706"  # its vectors are the tiny build's with more lanes, and take qemu minutes
SECONDS = 7200.0  # ten minutes of processor time, and machines may be busy


def main() -> int:
    try:
        fetched(FOLDER)
    except NoDebianError as problem:
        print(f"make arm: skipped, {problem}")
        return 0
    counting.compiled(FOLDER)
    data = FOLDER / "data"
    data.mkdir(exist_ok=True)
    here([sys.executable, "-m", "scripts.cli", "data", "digits", "--npz", str(data / "digits.npz")])
    arm = python(FOLDER, data)
    print(here([*arm, "-c", "import numpy, platform; print(platform.machine(), 'with NumPy', numpy.__version__)"]))
    ours, theirs = (here([*each, "tests/arm/training.py"]) for each in ([sys.executable], arm))
    print(f"training run: {'equal to' if ours == theirs else 'DIFFERS from'} this machine's, sha256 {theirs[:16]}")
    print(here([*arm, "tests/arm/memory.py"]), flush=True)
    counted = counting.counts(counting.marks(FOLDER, data))
    print(f"instructions and system calls of an iteration on the host: {counted}", flush=True)
    options = ["-q", "-p", "no:cacheprovider", "-p", "board_plugin", "-m", "not slow", "-k", LEFT_OUT, "-W", "default"]
    command = [*arm, "-m", "pytest", *options, "--ignore", NO_PACKAGES, *TESTS]
    try:
        code = subprocess.run(command, cwd=ROOT, timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        raise SystemExit(f"make arm: failed: the tests did not end within {SECONDS / 3600:g} hours") from None
    if code or ours != theirs:
        raise SystemExit(f"make arm: failed: {'a test' if code else 'the training run differs'}")
    print("make arm: passed: the training run, the memory of ResNet-74, counting, and the tests")
    return 0


def here(command: list[str]) -> str:
    """What a command prints; its failure is ours."""
    environment = os.environ | {"CPT_DATA": str(FOLDER / "data")}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS)
    if done.returncode:
        raise SystemExit(f"make arm: failed: {' '.join(command[-3:])}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
