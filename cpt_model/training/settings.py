"""Everything a training run depends on, as one value that is checked when it is made and written as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from cpt_model.arithmetic.results import trained_results
from cpt_model.data import IMAGE_SETS
from cpt_model.data.text import FORMS
from cpt_model.models import entry
from cpt_model.policies import policy
from cpt_model.prepare import Config
from cpt_model.schedules import NAMES
from cpt_model.training.latency import latency_model
from cpt_model.training.rates import RATES
from host.compiler.bits import Bits, check_bits
from host.compiler.results import Results
from host.compiler.step.widths import ABLATIONS, check_step_bits

STEPS = 64_000  # of the CPT paper's CIFAR recipe
OPTIMISERS = ("sgd", "adam")
STEP_KINDS = ("float", "integer")
TEXT_SETS = tuple(FORMS)
# A run may go on with other values of these: they do not change its weights, or a checkpoint has what came of them.
FREE = {"folder", "datadir", "workers", "log_every", "eval_every", "save_every", "latency", "tensorboard"}
FREE |= {"threads", "fit_batch"}


class SettingsError(ValueError):
    """Settings that contradict each other or cannot be; the message says which and what is allowed."""


@dataclass(frozen=True)
class Settings:
    """A run. Bits are whole numbers; shares are of the run, from 0 to 1.

    Args:
        arch: a network of `cpt_model.models`.
        dataset: of `cpt_model.data`.
        folder: where checkpoints and metrics go; one folder a run.
        datadir: the data's own folder; None is the cache.
        workers: threads that decode pictures (ImageNet).
        augment: crops and flips, if the set has them.
        limit: use only this number of training samples.
        test_limit: use only this number of test samples.
        length: words of a training sequence (text).
        steps: optimiser steps; None with `epochs` None is the papers' 64,000.
        epochs: instead of steps.
        batch: samples of a step, over all processes.
        fit_batch: a set smaller than the batch makes the batch smaller, instead of being refused.
        seed: of weights, data order, augmentation, noise and dropout.
        threads: of PyTorch; None leaves its own number. Weights repeat bit for bit on as many threads.
        fw_bits: of weights and activations: one number is static, two are the bounds of a schedule, 0 is float32.
        bw_bits: of gradients, likewise.
        schedule: name of the forward schedule; None is CPT's with two bounds, static with one.
        bw_schedule: of gradients, likewise.
        cycles: of both schedules.
        late_start: share of the run at the lowest bits, before the schedule begins (CPT's Table 7).
        deficit: (first step, steps) at the lowest bits in a run at the highest: the critical-period experiment.
        float_from: share of the run after which all is float32 (CPT's Table 1); such a run has `eval_bits` 0.
        every: how many steps share a precision.
        eval_bits: forward bits of evaluation; None is the highest of the schedule, 0 is float32.
        quantiser: "sbm", "dorefa" or "wageubn".
        policy: which layers stay float; None is the network's own.
        layer_bits: fixed bits of layers by patterns of their names, as {"conv1": [8, 8], "layer3.*": [4, 8]}.
        gradient_bits: of weight gradients after their product; 0 leaves them in float32.
        results: what forward and input-error passes store: "rounded" ones, as the accelerator does, or "exact" ones.
        step: what is between the matrix passes: "float", or "integer", the whole step as the accelerator's lists.
        widths: of the integer step's tensors, a name of `host.compiler.step.widths.ABLATIONS`; for experiments.
        optimiser: "sgd" or "adam".
        lr: the highest learning rate.
        momentum: of SGD.
        weight_decay: of all parameters.
        clip: largest norm of the gradient; None does not clip.
        lr_schedule: a name of `cpt_model.training.rates.RATES`.
        lr_milestones: shares of the run after which "step" multiplies the rate by `lr_factor`.
        lr_factor: see there.
        lr_rates: instead of the factor, the rate of "step" after each milestone.
        lr_low: the least rate of "cosine", "cyclic" and "triangular".
        lr_cycles: of "cyclic" and "triangular".
        warm_up: this number of steps at `warm_up_lr`, or rising to the schedule's rate if that is None.
        warm_up_lr: see there.
        swa_start: average weights from this step on (SWA); None does not.
        swa_every: steps between two weights that enter the average; None is once an epoch.
        log_every: steps between two lines of metrics.
        eval_every: steps between two evaluations; None is once an epoch.
        save_every: steps between two checkpoints; None is at every evaluation.
        latency: name of the board whose hours are counted.
        tensorboard: also write metrics for TensorBoard.
    """

    arch: str = "cifar10_resnet_20"
    dataset: str = "cifar10"
    folder: str = "out/train/run"
    datadir: str | None = None
    workers: int = 2
    augment: bool = True
    limit: int | None = None
    test_limit: int | None = None
    length: int = 35
    steps: int | None = None
    epochs: int | None = None
    batch: int = 128
    fit_batch: bool = False
    seed: int = 0
    threads: int | None = None
    fw_bits: tuple[int, ...] = (8,)
    bw_bits: tuple[int, ...] = (8,)
    schedule: str | None = None
    bw_schedule: str | None = None
    cycles: int = 32
    late_start: float = 0.0
    deficit: tuple[int, int] | None = None
    float_from: float | None = None
    every: int = 1
    eval_bits: int | None = None
    quantiser: str = "sbm"
    policy: str | None = None
    layer_bits: dict[str, Any] | None = None
    gradient_bits: int = 0
    results: Results = Results.ROUNDED
    step: str = "float"
    widths: str = "usual"
    optimiser: str = "sgd"
    lr: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 1e-4
    clip: float | None = None
    lr_schedule: str = "step"
    lr_milestones: tuple[float, ...] = (0.5, 0.75)
    lr_factor: float = 0.1
    lr_rates: tuple[float, ...] | None = None
    lr_low: float = 0.0
    lr_cycles: int = 32
    warm_up: int = 0
    warm_up_lr: float | None = None
    swa_start: int | None = None
    swa_every: int | None = None
    log_every: int = 50
    eval_every: int | None = None
    save_every: int | None = None
    latency: str = "paper"
    tensorboard: bool = True

    def __post_init__(self) -> None:
        for name in ("fw_bits", "bw_bits", "lr_milestones", "lr_rates", "deficit"):
            value = getattr(self, name)
            whole = isinstance(value, int) and name.endswith("_bits")
            object.__setattr__(self, name, (value,) if whole else tuple(value) if isinstance(value, list) else value)
        for name in ("fw_bits", "bw_bits"):
            bits = getattr(self, name)
            if isinstance(bits, tuple) and len(bits) == 2 and bits[0] == bits[1]:
                object.__setattr__(self, name, bits[:1])  # equal bounds are one precision
        results = trained_results(self.results)
        object.__setattr__(self, "results", Results.EXACT if self.is_float else results)  # float32 rounds none
        for check in _CHECKS:
            check(self)

    @property
    def is_float(self) -> bool:
        """Plain float32, nothing is quantised."""
        return self.fw_bits == (0,)

    @property
    def is_text(self) -> bool:
        return self.dataset in TEXT_SETS

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists: what JSON and `Settings.from_dict` take."""
        lists = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
        return lists | {"results": self.results.value}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """From a recipe; a name that is not a setting is refused.

        >>> Settings.from_dict({"arch": "digits_resnet_8", "dataset": "digits", "fw_bits": [3, 8]}).fw_bits
        (3, 8)
        """
        known = [field.name for field in fields(cls)]
        unknown = sorted(values.keys() - set(known))
        if unknown:
            raise SettingsError(f"no setting is called '{unknown[0]}'; there are: {', '.join(known)}")
        return cls(**values)

    @classmethod
    def saved(cls, values: dict[str, Any]) -> Settings:
        """Of a run's own files: where they do not name its results, they are from when all were exact."""
        return cls.from_dict({"results": Results.EXACT} | values)

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
    if run.dataset not in IMAGE_SETS + TEXT_SETS:
        _refuse(f"no dataset '{run.dataset}'; there are: {', '.join(IMAGE_SETS + TEXT_SETS)}")
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


def _numbers(run: Settings) -> None:
    least = {"workers": 1, "batch": 1, "cycles": 1, "every": 1, "lr_cycles": 1, "length": 1, "log_every": 1}
    least |= {"warm_up": 0, "steps": 1, "epochs": 1, "limit": 1, "test_limit": 1, "threads": 1, "swa_start": 0}
    for name, low in (least | {"swa_every": 1, "eval_every": 1, "save_every": 1}).items():
        value = getattr(run, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < low):
            _refuse(f"{name} = {value} is not a whole number of {low} or more")
    above, from_0 = ("lr", "lr_factor", "clip", "warm_up_lr"), ("momentum", "weight_decay", "lr_low", "late_start")
    for name in (*above, *from_0, "float_from"):
        value = getattr(run, name)
        if value is None and name in ("clip", "warm_up_lr", "float_from"):
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            _refuse(f"{name} = {value!r} is not a number (in YAML, 1e-4 is a text: write 1.0e-4)")
        if name in above and not 0 < value < float("inf"):
            _refuse(f"{name} = {value} is not above 0")
        if name in from_0 and not 0 <= value < float("inf"):
            _refuse(f"{name} = {value} is below 0")
    if run.steps is not None and run.epochs is not None:
        _refuse(f"steps = {run.steps} and epochs = {run.epochs} are both given: give one of them")
    latency_model(run.latency)


def _precision(run: Settings) -> None:
    for name in ("fw_bits", "bw_bits"):
        bits = getattr(run, name)
        if not isinstance(bits, tuple) or len(bits) not in (1, 2):
            _refuse(f"{name} = {bits}: give one number (static) or two (the bounds of a schedule)")
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
    plain = Settings.__dataclass_fields__
    names = "schedule bw_schedule late_start deficit float_from eval_bits quantiser gradient_bits layer_bits"
    for name in names.split():
        value = getattr(run, name)
        if value != plain[name].default:
            _refuse(f"{name} = {value} with fw_bits 0, which is plain float32")


def _step(run: Settings) -> None:
    """The integer step has quantisers, ranges and an optimiser of its own."""
    if run.step not in STEP_KINDS:
        _refuse(f"step '{run.step}' is unknown; there are: {', '.join(STEP_KINDS)}")
    if run.widths not in ABLATIONS:
        _refuse(f"widths '{run.widths}' are unknown; there are: {', '.join(ABLATIONS)}")
    if run.step != "integer":
        if run.widths != "usual":
            _refuse(f"widths = {run.widths} with step {run.step}: they are the integer step's")
        return
    if run.is_text:
        _refuse(f"{run.arch} takes text, which the integer step does not train")
    for forward in (*run.fw_bits, *(() if run.eval_bits is None else (run.eval_bits,))):
        for backward in run.bw_bits:
            try:
                check_step_bits(Bits(forward, backward))
            except ValueError as problem:
                _refuse(str(problem))
    plain = Settings.__dataclass_fields__
    own = "quantiser policy layer_bits gradient_bits results optimiser clip swa_start float_from"
    for name in own.split():
        if getattr(run, name) != plain[name].default:
            _refuse(f"{name} = {getattr(run, name)} with step integer, which has its own")


def _schedule(name: str, schedule: str | None, bounds_name: str, bounds: tuple[int, ...]) -> None:
    if schedule is None:
        return
    if schedule not in NAMES:
        _refuse(f"{name} '{schedule}' is unknown; there are: {', '.join(NAMES)}")
    if schedule == "static" and len(bounds) == 2:
        _refuse(f"{name} static with {bounds_name} = {bounds}: static precision is one number")
    if schedule != "static" and len(bounds) == 1:
        _refuse(f"{name} {schedule} goes between two precisions, but {bounds_name} = {bounds[0]} is one")


def _late_and_deficit(run: Settings) -> None:
    if not 0 <= run.late_start < 1:
        _refuse(f"late_start = {run.late_start} is not a share of the run: 0 or more and below 1")
    if run.late_start and len(run.fw_bits) == 1:
        _refuse(f"late_start = {run.late_start} with fw_bits = {run.fw_bits[0]}: static precision has no start")
    if run.float_from is not None and not (0 < run.float_from < 1 and run.eval_bits == 0):
        _refuse(f"float_from = {run.float_from}: a share of the run between 0 and 1, together with eval_bits 0")
    if run.deficit is None:
        return
    if len(run.deficit) != 2 or min(run.deficit) < 0:
        _refuse(f"deficit = {run.deficit}: give the first step and the number of steps")
    if len(run.fw_bits) == 1:
        _refuse(f"a deficit goes from the highest to the lowest bits, but fw_bits = {run.fw_bits[0]} is one number")
    if run.schedule is not None or run.late_start:
        _refuse("a deficit is a schedule of its own: leave out schedule and late_start")


def _optimiser(run: Settings) -> None:
    if run.optimiser not in OPTIMISERS:
        _refuse(f"optimiser '{run.optimiser}' is unknown; there are: {', '.join(OPTIMISERS)}")
    if run.lr_schedule not in RATES:
        _refuse(f"lr_schedule '{run.lr_schedule}' is unknown; there are: {', '.join(RATES)}")
    if any(not 0 < share < 1 for share in run.lr_milestones) or list(run.lr_milestones) != sorted(run.lr_milestones):
        _refuse(f"lr_milestones = {run.lr_milestones}: shares of the run between 0 and 1, in rising order")
    if run.lr_rates is not None and (
        len(run.lr_rates) != len(run.lr_milestones) or not all(r > 0 for r in run.lr_rates)
    ):
        _refuse(f"lr_rates = {run.lr_rates}: give a rate above 0 for each of lr_milestones = {run.lr_milestones}")
    if run.lr_low > run.lr:
        _refuse(f"lr_low = {run.lr_low} is above lr = {run.lr}")
    if run.warm_up_lr is not None and not run.warm_up:
        _refuse(f"warm_up_lr = {run.warm_up_lr} without warm_up steps")
    if run.swa_every is not None and run.swa_start is None:
        _refuse(f"swa_every = {run.swa_every} without swa_start")


_CHECKS: tuple[Callable[[Settings], None], ...] = (_network, _numbers, _precision, _step, _optimiser)
