"""`verify` passes where products are exact, on the CPU and its imitation of a device, and finds those that are not."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from cpt_model import verification
from cpt_model.arithmetic import affine, any_device
from cpt_model.verification import verify
from scripts.cli import main


@pytest.mark.parametrize("device", ["cpu", "fake"])
def test_exact_devices_pass(device: str) -> None:
    checks = list(verify(device))
    assert len(checks) > 60
    assert all(each.equal for each in checks)


def inexact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device whose float32 products keep 8 bits of their results."""
    exact = any_device.multiply

    def rounded(a: Tensor, b: Tensor, greatest: int) -> Tensor:
        y = exact(a, b, greatest)
        return y.bfloat16().float() if y.dtype == torch.float32 else y

    monkeypatch.setattr(any_device, "multiply", rounded)


def test_an_inexact_product_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    inexact(monkeypatch)
    monkeypatch.setattr(verification, "BITS", verification.BITS[2:3])
    assert main(["verify", "--device", "fake"]) == 1
    said = capsys.readouterr()
    assert "of the forward differ" in said.out
    assert "checks differ from the CPU" in said.err


def test_other_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = affine.noise
    calls = iter((1, 0))
    monkeypatch.setattr(verification, "noise", lambda seed, count, device="cpu": real(seed, count) + next(calls))
    assert not next(verify("fake")).equal


def test_a_reciprocal_instead_of_a_division_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As some devices divide by plain numbers."""
    usual = affine._round

    def slightly_off(steps: Tensor, seed: int | None) -> Tensor:
        return usual(steps if any_device._all_in_float64 else steps * (1 + 2.0**-22), seed)

    monkeypatch.setattr(affine, "_round", slightly_off)
    monkeypatch.setattr(verification, "BITS", verification.BITS[3:])
    assert not all(each.equal for each in verify("fake"))


@pytest.mark.parametrize("device", ["cuda", "nonsense", "cuda:77"])
def test_a_device_that_is_not_there_is_one_line(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("this machine has one")
    assert main(["verify", "--device", device]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"cpt: device '{device}' cannot be used here: ")
    assert said.err.count("\n") == 1
    assert not said.out
