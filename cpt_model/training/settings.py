"""Everything a training run depends on, as one value that is checked when it is made and written as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import model_validator
from typing_extensions import Self

from cpt_model.models import entry, is_own
from cpt_model.policies import policy
from cpt_model.prepare import Config
from cpt_model.step.describe import describe
from cpt_model.training.fields import TEXT_SETS, Fields, SettingsError
from cpt_model.training.latency import board_profile
from host.compiler.bits import Bits, check_bits
from host.compiler.results import Results
from host.compiler.step.networks import named
from host.compiler.step.widths import check_step_bits

STEPS = 64_000  # of the CPT paper's CIFAR recipe
# A run may go on with other values of these: they do not change its weights, or a checkpoint has what came of them.
FREE = {"folder", "datadir", "workers", "log_every", "eval_every", "save_every", "latency", "tensorboard"}
FREE |= {"threads", "fit_batch"}


class Settings(Fields):
    """A run whose settings fit together; what there is to set is in `Fields`."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for check in _CHECKS:
            check(self)
        return self

    @property
    def is_float(self) -> bool:
        """Plain float32, nothing is quantised."""
        return self.fw_bits == (0,)

    @property
    def is_text(self) -> bool:
        return self.dataset in TEXT_SETS

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists: what JSON and `Settings.of` take."""
        return self.model_dump(mode="json")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """From plain values.

        >>> Settings.from_dict({"arch": "digits_resnet_8", "dataset": "digits", "fw_bits": [3, 8]}).fw_bits
        (3, 8)
        """
        return cls(**values)

    @classmethod
    def saved(cls, values: object, where: object) -> Settings:
        """Of a run's own files: where they do not name its results, they are from when all were exact."""
        return cls.of({"results": Results.EXACT} | values if isinstance(values, dict) else values, where)

    def differences(self, other: Settings) -> list[str]:
        """Names of the settings that make another run of it.

        >>> Settings().differences(Settings(seed=1, log_every=7))
        ['seed']
        """
        ours, theirs = self.to_dict(), other.to_dict()
        return [name for name in ours if name not in FREE and ours[name] != theirs[name]]


def _refuse(problem: str) -> None:
    raise SettingsError(problem)


def _network(run: Settings) -> None:
    shape = entry(run.arch).input_shape
    if (len(shape) == 1) != run.is_text:
        kind = "text" if len(shape) == 1 else "images"
        _refuse(f"{run.arch} takes {kind}, which {run.dataset} has not")
    for name in ("cifar10", "cifar100", "digits", "fashion"):
        if run.arch.startswith(f"{name}_") and not run.dataset.startswith(name):
            _refuse(f"{run.arch} is a network for {name}, not for {run.dataset}")
    if run.arch.startswith("cifar10_") and run.dataset == "cifar100":
        _refuse(f"{run.arch} is a network for cifar10, not for cifar100")
    if run.policy is not None:
        policy(run.policy)


def _length_and_board(run: Settings) -> None:
    if run.steps is not None and run.epochs is not None:
        _refuse(f"steps = {run.steps} and epochs = {run.epochs} are both given: give one of them")
    board_profile(run.latency)


def _precision(run: Settings) -> None:
    for name in ("fw_bits", "bw_bits"):
        bits = getattr(run, name)
        for value in bits:
            check_bits(name, value, least=1 if len(bits) == 2 else 0, error=SettingsError)
        if bits != tuple(sorted(bits)):
            _refuse(f"{name} = {bits}: the lower bound comes first")
    if run.is_float:
        _float(run)
        return
    if run.bw_bits == (0,):
        _refuse(f"bw_bits = 0 with fw_bits = {run.fw_bits}: gradients are float32 only where all is (fw_bits 0)")
    how = {"gradient_bits": run.gradient_bits, "seed": run.seed, "results": run.results}
    Config(run.quantiser, "none", **how, layer_bits=run.layer_bits or {})  # type: ignore[arg-type]
    if run.quantiser == "wageubn" and min(run.fw_bits + run.bw_bits) < 2:
        _refuse("the quantiser wageubn needs 2 bits or more")
    _schedule("schedule", run.schedule, "fw_bits", run.fw_bits)
    _schedule("bw_schedule", run.bw_schedule, "bw_bits", run.bw_bits)
    _late_and_deficit(run)
    if run.eval_bits is not None:
        check_bits("eval_bits", run.eval_bits, least=0, error=SettingsError)


def _float(run: Settings) -> None:
    """Nothing that quantises may be asked of a float32 run."""
    if run.bw_bits not in ((0,), (8,)):
        _refuse(f"bw_bits = {run.bw_bits} with fw_bits 0, which is plain float32")
    names = "schedule bw_schedule late_start deficit float_from eval_bits quantiser gradient_bits layer_bits"
    for name in names.split():
        value = getattr(run, name)
        if value != Settings.model_fields[name].default:
            _refuse(f"{name} = {value} with fw_bits 0, which is plain float32")


def _step(run: Settings) -> None:
    """The integer step has quantisers, ranges and an optimiser of its own."""
    if run.step != "integer":
        if run.widths != "usual":
            _refuse(f"widths = {run.widths} with step {run.step}: they are the integer step's")
        return
    try:
        if is_own(run.arch):
            known = entry(run.arch)
            describe(known.make(known.classes), (known.input_shape[0], *known.input_shape[1:]))  # type: ignore[arg-type]
        else:
            named(run.arch)
    except ValueError as problem:
        _refuse(str(problem))
    for forward in (*run.fw_bits, *(() if run.eval_bits is None else (run.eval_bits,))):
        for backward in run.bw_bits:
            try:
                check_step_bits(Bits(forward, backward))
            except ValueError as problem:
                _refuse(str(problem))
    own = "quantiser policy layer_bits gradient_bits results optimiser clip swa_start float_from"
    for name in own.split():
        if getattr(run, name) != Settings.model_fields[name].default:
            _refuse(f"{name} = {getattr(run, name)} with step integer, which has its own")


def _schedule(name: str, schedule: str | None, bounds_name: str, bounds: tuple[int, ...]) -> None:
    if schedule is None:
        return
    if schedule == "static" and len(bounds) == 2:
        _refuse(f"{name} static with {bounds_name} = {bounds}: static precision is one number")
    if schedule != "static" and len(bounds) == 1:
        _refuse(f"{name} {schedule} goes between two precisions, but {bounds_name} = {bounds[0]} is one")


def _late_and_deficit(run: Settings) -> None:
    if run.late_start and len(run.fw_bits) == 1:
        _refuse(f"late_start = {run.late_start} with fw_bits = {run.fw_bits[0]}: static precision has no start")
    if run.float_from is not None and run.eval_bits != 0:
        _refuse(f"float_from = {run.float_from} goes together with eval_bits 0")
    if run.deficit is None:
        return
    if len(run.fw_bits) == 1:
        _refuse(f"a deficit goes from the highest to the lowest bits, but fw_bits = {run.fw_bits[0]} is one number")
    if run.schedule is not None or run.late_start:
        _refuse("a deficit is a schedule of its own: leave out schedule and late_start")


def _optimiser(run: Settings) -> None:
    if list(run.lr_milestones) != sorted(run.lr_milestones):
        _refuse(f"lr_milestones = {run.lr_milestones}: shares of the run, in rising order")
    if run.lr_rates is not None and len(run.lr_rates) != len(run.lr_milestones):
        _refuse(f"lr_rates = {run.lr_rates}: give a rate for each of lr_milestones = {run.lr_milestones}")
    if run.lr_low > run.lr:
        _refuse(f"lr_low = {run.lr_low} is above lr = {run.lr}")
    if run.warm_up_lr is not None and not run.warm_up:
        _refuse(f"warm_up_lr = {run.warm_up_lr} without warm_up steps")
    if run.swa_every is not None and run.swa_start is None:
        _refuse(f"swa_every = {run.swa_every} without swa_start")


_CHECKS: tuple[Callable[[Settings], None], ...] = (_network, _length_and_board, _precision, _step, _optimiser)
