"""Where a line of the CPT authors' flags means something else here than in their code: one line for each difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Flags that only a line of theirs has.
MARKS = {"is_cyclic_precision", "cyclic_num_bits_schedule", "cyclic_num_grad_bits_schedule", "num_bits"}
MARKS |= {"num_grad_bits", "num_bits_schedule", "num_grad_bits_schedule", "save_folder", "warm_up", "dir"}
PRECISION = {"is_cyclic_precision", "num_bits", "fw_bits"}
DROPS = {64_000: "at steps 32,000 and 48,000", 120: "every 30 epochs"}  # by the length of their runs
# Of all their CIFAR images, as mean and deviation of red, green and blue.
CIFAR = ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))


def differences(stated: dict[str, Any], settings: Any) -> Iterator[str]:
    """For `settings` made of the flags that were stated."""
    if not MARKS & stated.keys():
        return
    on_imagenet = settings.dataset == "imagenet"
    if not PRECISION & stated.keys():
        yield "no flag of the precision is given: in the authors' code that is float32 (--fw-bits 0), here the recipe's"
    if "is_cyclic_precision" in stated and "cycles" not in stated:
        yield f"--num_cyclic_period is not given: in the authors' code it is 1, here {settings.cycles}"
    if "warm_up" in stated and on_imagenet:
        yield "--warm_up has no effect on ImageNet, here as in the authors' code; --warm-up-steps N has one"
    length = 120 if on_imagenet else 64_000
    usual = settings.lr_schedule in ("step", "piecewise") and "lr_milestones" not in stated
    if usual and (settings.epochs if on_imagenet else settings.steps) != length:
        shares = ", ".join(f"{100 * share:g} %" for share in settings.lr_milestones)
        yield f"the rate drops after {shares} of the run, in the authors' code {DROPS[length]}, however long it is"
    if settings.dataset in ("cifar10", "cifar100"):
        from host.data.cifar import CIFAR10, CIFAR100

        ours = CIFAR10 if settings.dataset == "cifar10" else CIFAR100
        if (ours.mean, ours.std) != CIFAR:
            theirs = f"in the authors' code by {CIFAR[0]} and {CIFAR[1]}"
            yield f"pixels are normalised by {ours.mean} and {ours.std}, {theirs}"
