"""The `uio` device against a core behind memory-mapped files: the same lists, waits, faults and training runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from host.compiler.layer import Pass
from host.driver.errors import ContiguousMemoryError, DeviceError, DeviceTimeoutError, VersionError
from host.driver.uio import find_memory, find_registers, open_uio
from host.driver.uio_memory import MappedMemory
from host.driver.uio_registers import MappedRegisters
from host.training.checkpoint import load_checkpoint
from host.training.run import train
from host.training.settings import Settings
from sim.devices.pynq_registers import Faults
from sim.reference import Reference
from tests.host.driver.driving import LAYER, Slow, compiled, runs, silent
from tests.host.driver.mapped_core import MEMORY_ADDRESS, linux
from tests.tools import ROOT, TINY


@pytest.mark.parametrize("registers", [None, "/dev/uio0"])
def test_a_pass_runs_and_is_waited_for_by_interrupt(registers: str | None, tmp_path: Path) -> None:
    with (
        linux(tmp_path, Slow(TINY)) as mapped,
        open_uio(TINY, registers, log=silent, root=tmp_path, mapped=mapped) as accelerator,
    ):
        assert accelerator.core.by_interrupt
        assert accelerator.simulates is None
        assert runs(accelerator)
        free = accelerator.free_bytes()
        assert runs(accelerator)
        assert accelerator.free_bytes() == free == 1 << 22
    for name in ("sync_for_cpu", "sync_for_device"):  # offset; size, 0 for both directions, and 1 for "do it"
        told = (tmp_path / "sys/class/u-dma-buf/udmabuf0" / name).read_text().strip()
        assert re.fullmatch("0x[0-9A-F]{15}1", told)
        assert 0 < int(told[10:], 16) - 1 <= (1 << 22) - int(told[2:10], 16)


def test_physical_addresses_do_without_interrupts(tmp_path: Path) -> None:
    places = "/dev/uio0@0x43C00000", "/dev/udmabuf0"
    with (
        linux(tmp_path, Reference(TINY)) as mapped,
        open_uio(None, *places, log=silent, root=tmp_path, mapped=mapped) as accelerator,
    ):
        assert not accelerator.core.by_interrupt
        assert runs(accelerator)
    window = find_memory("/dev/mem@0x30000000+0x8000000", Path("/"))
    assert (str(window.file), window.offset, window.bytes, window.sync) == ("/dev/mem", 0x30000000, 1 << 27, None)
    assert find_registers("/dev/mem@0x43C00000", Path("/")).address == 0x43C00000


def test_a_training_run_ends_as_on_the_reference(tmp_path: Path) -> None:
    values = {"arch": "digits_resnet_8", "dataset": "digits", "steps": 3, "batch": 4, "fw_bits": [3, 8], "cycles": 1}
    run = Settings.from_dict(values | {"limit": 16, "test_limit": 4, "folder": str(tmp_path / "uio")})
    with (
        linux(tmp_path / "root", Reference(TINY)) as mapped,
        open_uio(TINY, log=silent, root=tmp_path / "root", mapped=mapped) as accelerator,
    ):
        train(run, accelerator, shown=False)
    train(run.changed(folder=str(tmp_path / "plain")), Reference(TINY), shown=False)
    ours, theirs = (load_checkpoint(tmp_path / name / "last.npz")[0] for name in ("uio", "plain"))
    assert [name for name in theirs if not np.array_equal(ours[name], theirs[name])] == []


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    for stated, said in ((None, "no UIO device 'cpt_kernel'; there are: none"), ("/dev/uio7", "no UIO device 'uio7'")):
        with pytest.raises(DeviceError, match=said):
            open_uio(TINY, stated, root=tmp_path)
    with linux(tmp_path, Reference(TINY), faults=Faults(version=1 << 16)) as mapped:
        with pytest.raises(DeviceError, match=r"no u-dma-buf device udmabuf3; there are: udmabuf0"):
            open_uio(TINY, None, "/dev/udmabuf3", root=tmp_path, mapped=mapped)
        with pytest.raises(ValueError, match=r"write /dev/mem@ADDRESS\+BYTES"):
            open_uio(TINY, None, "/dev/mem@0x30000000", root=tmp_path, mapped=mapped)
        with pytest.raises(VersionError, match=r"contract version 1\.0, this driver knows"):
            open_uio(TINY, root=tmp_path, mapped=mapped)
        (tmp_path / "dev/udmabuf0").unlink()
        with pytest.raises(DeviceError, match="the memory cannot be mapped"):
            open_uio(TINY, root=tmp_path, mapped=mapped)


def test_a_list_that_hangs_and_a_region_that_does_not_fit(tmp_path: Path) -> None:
    faults = Faults()
    with (
        linux(tmp_path, Reference(TINY), size=1 << 16, faults=faults) as mapped,
        open_uio(TINY, seconds=0.2, log=silent, root=tmp_path, mapped=mapped) as accelerator,
    ):
        faults.hang = True
        with pytest.raises(DeviceTimeoutError, match="did not end within"):
            runs(accelerator)
        faults.hang = False
        assert runs(accelerator)
        _, _, plan = compiled(*[(LAYER, Pass.FORWARD)] * 30)
        with pytest.raises(ContiguousMemoryError, match="contiguous bytes, 65,536 are free"):
            accelerator.allocate(plan)


def test_memory_is_given_out_in_pages_and_reused(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    file.write_bytes(bytes(4 * 4096))
    memory = MappedMemory(file, 0, 4 * 4096, MEMORY_ADDRESS, None)
    first, second = (memory.allocate((5000,), np.uint8) for _ in range(2))
    assert (first.device_address, second.device_address) == (MEMORY_ADDRESS, MEMORY_ADDRESS + 8192)
    assert memory.free_bytes() == 0
    with pytest.raises(MemoryError, match="no 1 bytes in one piece"):
        memory.allocate((1,), np.uint8)
    first.freebuffer()
    np.asarray(memory.allocate((1,), np.uint8))[:] = 7
    assert file.read_bytes()[0] == 7
    memory.close()


def test_mapped_registers_are_words(tmp_path: Path) -> None:
    file = tmp_path / "registers"
    file.write_bytes(bytes(4096))
    registers = MappedRegisters(file, 0, 4096, interrupts=False)
    registers.write(8, 0xFFFFFFFE)
    assert registers.read(8) == 0xFFFFFFFE
    registers.close()
    assert file.read_bytes()[8:12] == b"\xfe\xff\xff\xff"


def test_pynq_is_not_imported() -> None:
    code = "import sys; sys.modules['pynq'] = None; import host.driver.uio, host.training.run"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
