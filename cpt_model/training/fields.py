"""What there is to set in a training run: names, types and limits; `Settings` says what fits together."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from cpt_model.arithmetic.results import trained_results
from cpt_model.data import IMAGE_SETS
from cpt_model.data.text import FORMS
from cpt_model.schedules import NAMES
from host.compiler.results import Results
from host.compiler.step.widths import ABLATIONS
from host.training.rates import RATES
from sim.common.checked import Above, Checked, Count, From0, Listed, Name, Whole, one_of

OPTIMISERS = ("sgd", "adam")
STEP_KINDS = ("float", "integer")
TEXT_SETS = tuple(FORMS)
THREADS = 1024  # of PyTorch; with a hundred thousand it crashes


class SettingsError(ValueError):
    """Settings that contradict each other or cannot be; the message says which and what is allowed."""


def _bounds(bits: object) -> object:
    """One number may stand alone; equal bounds are one precision."""
    if isinstance(bits, int):
        return (bits,)
    bits = tuple(bits) if isinstance(bits, list) else bits
    return bits[:1] if isinstance(bits, tuple) and len(bits) == 2 and bits[0] == bits[1] else bits


Widths = Annotated[tuple[int, ...], BeforeValidator(_bounds), Field(min_length=1, max_length=2)]
Shares = Annotated[tuple[Annotated[float, Field(gt=0, lt=1)], ...], Listed]


class Fields(Checked):
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
        quantiser: "sbm", "sbm-authors", "dorefa" or "wageubn".
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
        lr_schedule: a name of `host.training.rates.RATES`.
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

    error: ClassVar[type[ValueError]] = SettingsError

    arch: str = "cifar10_resnet_20"
    dataset: Annotated[str, one_of(*IMAGE_SETS, *TEXT_SETS)] = "cifar10"
    folder: Name = "out/train/run"
    datadir: Name | None = None
    workers: Count = 2
    augment: bool = True
    limit: Count | None = None
    test_limit: Count | None = None
    length: Count = 35
    steps: Count | None = None
    epochs: Count | None = None
    batch: Count = 128
    fit_batch: bool = False
    seed: Annotated[int, Field(ge=0, lt=1 << 64)] = 0
    threads: Annotated[int, Field(ge=1, le=THREADS)] | None = None
    fw_bits: Widths = (8,)
    bw_bits: Widths = (8,)
    schedule: Annotated[str, one_of(*NAMES)] | None = None
    bw_schedule: Annotated[str, one_of(*NAMES)] | None = None
    cycles: Count = 32
    late_start: Annotated[float, Field(ge=0, lt=1)] = 0.0
    deficit: Annotated[tuple[Whole, Whole], Listed] | None = None
    float_from: Annotated[float, Field(gt=0, lt=1)] | None = None
    every: Count = 1
    eval_bits: int | None = None
    quantiser: str = "sbm"
    policy: str | None = None
    layer_bits: dict[str, Any] | None = None
    gradient_bits: int = 0
    results: Annotated[Results, BeforeValidator(trained_results), Field(validate_default=True)] = Results.ROUNDED
    step: Annotated[str, one_of(*STEP_KINDS)] = "float"
    widths: Annotated[str, one_of(*ABLATIONS)] = "usual"
    optimiser: Annotated[str, one_of(*OPTIMISERS)] = "sgd"
    lr: Above = 0.1
    momentum: From0 = 0.9
    weight_decay: From0 = 1e-4
    clip: Above | None = None
    lr_schedule: Annotated[str, one_of(*RATES)] = "step"
    lr_milestones: Shares = (0.5, 0.75)
    lr_factor: Above = 0.1
    lr_rates: Annotated[tuple[Above, ...], Listed] | None = None
    lr_low: From0 = 0.0
    lr_cycles: Count = 32
    warm_up: Whole = 0
    warm_up_lr: Above | None = None
    swa_start: Whole | None = None
    swa_every: Count | None = None
    log_every: Count = 50
    eval_every: Count | None = None
    save_every: Count | None = None
    latency: str = "paper"
    tensorboard: bool = True

    @field_validator("results")
    @classmethod
    def _float_rounds_nothing(cls, results: Results, info: ValidationInfo) -> Results:
        return Results.EXACT if info.data.get("fw_bits") == (0,) else results
