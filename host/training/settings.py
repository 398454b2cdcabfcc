"""What a training run on a device depends on: the settings of `cpt train --step integer`, checked without pydantic.

Names, defaults and meanings are those of `cpt_model.training.fields`, which reads what is written here (tested).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from host.compiler.bits import Bits
from host.compiler.results import Results
from host.compiler.step.networks import named
from host.compiler.step.widths import ABLATIONS, check_step_bits
from host.data.catalogue import LOADERS
from host.schedules.names import NAMES
from host.training.rates import RATES

STEPS = 64_000
MOST = 10**9
# What a device has one value of; a recipe that says another is refused.
ONE: dict[str, Any] = {"optimiser": "sgd", "quantiser": "sbm", "step": "integer", "results": Results.ROUNDED.value}
ONE |= {"policy": None, "layer_bits": None, "gradient_bits": 0, "clip": None, "swa_start": None, "float_from": None}
ELSEWHERE = {"threads", "workers", "tensorboard", "latency", "length", "swa_every"}  # of no meaning on a device
# A run may go on with other values of these: its weights do not depend on them.
FREE = {"folder", "datadir", "log_every", "eval_every", "save_every", "fit_batch"}
CHOICES: dict[str, Mapping[str, Any]] = {"dataset": LOADERS, "lr_schedule": RATES, "widths": ABLATIONS}
CHOICES |= {"schedule": NAMES, "bw_schedule": NAMES}
AT_LEAST = {"batch": 1, "cycles": 1, "every": 1, "lr_cycles": 1, "log_every": 1, "steps": 1, "epochs": 1, "limit": 1}
AT_LEAST |= {"test_limit": 1, "eval_every": 1, "save_every": 1, "warm_up": 0, "seed": 0, "eval_bits": 0}
NOT_BELOW_0 = ("lr", "momentum", "weight_decay", "lr_low", "lr_factor", "warm_up_lr", "late_start")


class SettingsError(ValueError):
    """Settings that contradict each other or cannot be; the message says which and what is allowed."""


@dataclass(frozen=True)
class Settings:
    """A run."""

    arch: str = "cifar10_resnet_20"
    dataset: str = "cifar10"
    folder: str = "out/train/run"
    datadir: str | None = None
    augment: bool = True
    limit: int | None = None
    test_limit: int | None = None
    steps: int | None = None
    epochs: int | None = None
    batch: int = 128
    fit_batch: bool = False
    seed: int = 0
    fw_bits: tuple[int, ...] = (8,)
    bw_bits: tuple[int, ...] = (8,)
    schedule: str | None = None
    bw_schedule: str | None = None
    cycles: int = 32
    late_start: float = 0.0
    deficit: tuple[int, int] | None = None
    every: int = 1
    eval_bits: int | None = None
    widths: str = "usual"
    lr: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 1e-4
    lr_schedule: str = "step"
    lr_milestones: tuple[float, ...] = (0.5, 0.75)
    lr_factor: float = 0.1
    lr_rates: tuple[float, ...] | None = None
    lr_low: float = 0.0
    lr_cycles: int = 32
    warm_up: int = 0
    warm_up_lr: float | None = None
    log_every: int = 50
    eval_every: int | None = None
    save_every: int | None = None

    is_float: ClassVar[bool] = False
    float_from: ClassVar[None] = None
    quantiser: ClassVar[str] = "sbm"
    results: ClassVar[Results] = Results.ROUNDED
    step: ClassVar[str] = "integer"

    @classmethod
    def names(cls) -> set[str]:
        return {field.name for field in fields(cls)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """From plain values; what cannot be, or is not a device's, is refused.

        >>> Settings.from_dict({"arch": "digits_resnet_8", "dataset": "digits", "fw_bits": [3, 8]}).fw_bits
        (3, 8)
        """
        found: dict[str, Any] = {}
        for name, value in values.items():
            if name in ONE:
                if value != ONE[name]:
                    raise SettingsError(f"{name} = {value}: on a device it is {ONE[name]}")
            elif name in cls.names():
                found[name] = tuple(value) if isinstance(value, list) else value
            elif name not in ELSEWHERE:
                raise SettingsError(f"'{name}' is unknown; there are: {', '.join(sorted(cls.names()))}")
        for name in ("fw_bits", "bw_bits"):
            bits: Any = found.get(name, (8,))
            bits = (bits,) if isinstance(bits, int) else bits
            found[name] = bits[:1] if len(bits) == 2 and bits[0] == bits[1] else bits
        made = cls(**found)
        _check(made)
        return made

    def changed(self, **changes: Any) -> Settings:
        return Settings.from_dict(self.to_dict() | changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for settings.json; with what a device has one value of, as `cpt report` reads them."""
        own = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return own | {"step": ONE["step"], "results": ONE["results"], "optimiser": ONE["optimiser"]}

    def differences(self, other: Settings) -> list[str]:
        """Names of the settings that make another run of it."""
        ours, theirs = self.to_dict(), other.to_dict()
        return [name for name in ours if name not in FREE and ours[name] != theirs[name]]


def _check(run: Settings) -> None:
    for name, known in CHOICES.items():
        value = getattr(run, name)
        if value is not None and value not in known:
            raise SettingsError(f"{name}: no '{value}'; there are: {', '.join(known)}")
    for name, least in AT_LEAST.items():
        value = getattr(run, name)
        if value is not None and not (type(value) is int and least <= value):
            raise SettingsError(f"{name} = {value!r} is not a whole number of {least} or more")
        if value is not None and name != "seed" and value > MOST:
            raise SettingsError(f"{name} = {value!r} is not {MOST:,} or less")
    if run.seed >= 1 << 64:
        raise SettingsError(f"seed = {run.seed} is not below 2^64")
    for name in NOT_BELOW_0:
        value = getattr(run, name)
        if value is not None and not (isinstance(value, (int, float)) and 0 <= value <= 1e6):
            raise SettingsError(f"{name} = {value!r} is not a number of 0 or more")
    if run.steps is not None and run.epochs is not None:
        raise SettingsError(f"steps = {run.steps} and epochs = {run.epochs} are both given: give one of them")
    named(run.arch)
    home = run.arch.partition("_")[0]
    if not run.dataset.startswith(home) or (home == "cifar10" and run.dataset == "cifar100"):
        raise SettingsError(f"{run.arch} is a network for {home}, not for {run.dataset}")
    _check_bits(run)
    if run.lr_rates is not None and len(run.lr_rates) != len(run.lr_milestones):
        raise SettingsError(f"lr_rates = {run.lr_rates}: give a rate for each of lr_milestones = {run.lr_milestones}")
    if run.lr_low > run.lr:
        raise SettingsError(f"lr_low = {run.lr_low} is above lr = {run.lr}")


def _check_bits(run: Settings) -> None:
    for name in ("fw_bits", "bw_bits"):
        bits = getattr(run, name)
        if not 1 <= len(bits) <= 2 or not all(type(each) is int for each in bits) or bits != tuple(sorted(bits)):
            raise SettingsError(f"{name} = {bits}: one width, or the lower and the upper bound")
    for forward in (*run.fw_bits, *(() if run.eval_bits is None else (run.eval_bits,))):
        for backward in run.bw_bits:
            check_step_bits(Bits(forward, backward))
    for name, bits in (("schedule", run.fw_bits), ("bw_schedule", run.bw_bits)):
        stated = getattr(run, name)
        if stated is not None and (stated == "static") != (len(bits) == 1):
            raise SettingsError(f"{name} {stated} with {bits}: a schedule goes between two precisions, static is one")
    if (run.late_start or run.deficit is not None) and len(run.fw_bits) == 1:
        raise SettingsError(f"late_start and deficit need two bounds, but fw_bits = {run.fw_bits[0]} is one number")
    if run.deficit is not None and (run.schedule is not None or run.late_start):
        raise SettingsError("a deficit is a schedule of its own: leave out schedule and late_start")
