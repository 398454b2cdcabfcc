"""The flags of `cpt train`: the CPT authors' own, short forms beside them, and how both become settings."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpt_model.training import Settings

WARM_UP = {"warm_up": 400, "warm_up_lr": 0.01}  # what the authors' --warm_up does
# Settings of a recipe that make no sense for a run at one precision, or in float32.
OF_SCHEDULES = ("schedule", "late_start", "deficit")
OF_QUANTISATION = ("bw_bits", "bw_schedule", "quantiser", "gradient_bits", "results", "eval_bits")
IGNORED = ("num_bits_schedule", "num_grad_bits_schedule")  # the authors' code reads these and uses neither


def add(parser: argparse.ArgumentParser) -> None:
    _data(parser.add_argument_group("network and data"))
    _precision(parser.add_argument_group("precision"))
    _authors_precision(parser.add_argument_group("precision, the CPT authors' flags"))
    _optimiser(parser.add_argument_group("optimiser"))
    _run(parser.add_argument_group("the run and its folder"))


def _data(group: Any) -> None:
    group.add_argument("--config", metavar="NAME", help="a recipe (--recipes lists them) or a YAML file of settings")
    group.add_argument("--recipes", action="store_true", help="list the recipes and end")
    group.add_argument("--arch", help="network, by the authors' names (cifar100_resnet_74, resnet34, ...)")
    group.add_argument("--dataset", "-d", help="default: the network's own")
    group.add_argument("--datadir", help="folder of the data; default: the cache that 'cpt data' fills")
    group.add_argument("--workers", type=int, metavar="N", help="threads that decode pictures")
    group.add_argument("--no-augment", dest="augment", action="store_false", help="no crops, no flips")
    group.add_argument("--limit", type=int, metavar="N", help="use so many training samples only")
    group.add_argument("--test-limit", type=int, metavar="N", help="use so many test samples only")
    group.add_argument("--length", type=int, metavar="N", help="words of a sequence (text)")


def _precision(group: Any) -> None:
    bits = {"type": int, "nargs": "+", "metavar": "N"}
    group.add_argument("--fw-bits", **bits, help="weights and activations: 8 is static, 3 8 bounds, 0 plain float32")
    group.add_argument("--bw-bits", **bits, help="gradients, likewise")
    group.add_argument("--schedule", metavar="NAME", help="cpt, CR, CT, LR, ... (cpt plot-schedule shows them)")
    group.add_argument("--bw-schedule", metavar="NAME", help="of gradients")
    group.add_argument(
        "--cycles", "--num_cyclic_period", dest="cycles", type=int, metavar="N", help="of both schedules"
    )
    group.add_argument("--late-start", type=float, metavar="SHARE", help="of the run at the lowest bits first")
    group.add_argument(
        "--deficit", type=int, nargs=2, metavar=("STEP", "STEPS"), help="a window at the lowest bits, else the highest"
    )
    group.add_argument("--every", type=int, metavar="N", help="steps that share a precision")
    group.add_argument("--eval-bits", type=int, metavar="N", help="of evaluation; default: the highest the run reaches")
    group.add_argument("--quantiser", "--quantizer", dest="quantiser", help="sbm, dorefa or wageubn")
    group.add_argument("--policy", help="which layers stay float: cifar, imagenet or none; default: the network's own")
    group.add_argument("--gradient-bits", type=int, metavar="N", help="of weight gradients; 0 leaves them in float32")
    group.add_argument("--step", help="between the products: float (default), or integer, the accelerator's whole step")
    group.add_argument(
        "--results",
        help="of forward and input-error products: exact (default), or rounded as the board stores them",
    )


def _authors_precision(group: Any) -> None:
    bits = {"type": int, "nargs": "*", "metavar": "N"}
    group.add_argument("--is_cyclic_precision", action="store_true", help="with the bounds below")
    group.add_argument("--cyclic_num_bits_schedule", **bits, help="as --fw-bits with two bounds")
    group.add_argument("--cyclic_num_grad_bits_schedule", **bits, help="as --bw-bits; equal bounds are static")
    group.add_argument("--num_bits", type=int, metavar="N", help="as --fw-bits with one number")
    group.add_argument("--num_grad_bits", type=int, metavar="N", help="as --bw-bits with one number")
    for name in IGNORED:
        group.add_argument(f"--{name}", **bits, help="has no effect, as in the authors' code")


def _optimiser(group: Any) -> None:
    group.add_argument("--optimiser", "--optimizer", dest="optimiser", help="sgd or adam")
    group.add_argument("--lr", type=float, help="the highest learning rate")
    group.add_argument("--momentum", type=float, help="of SGD")
    group.add_argument("--weight-decay", "--weight_decay", dest="weight_decay", type=float, help="of all parameters")
    group.add_argument("--clip", type=float, help="largest norm of the gradient")
    group.add_argument(
        "--lr-schedule",
        "--lr_schedule",
        dest="lr_schedule",
        help="step (piecewise), cosine, constant, cyclic, triangular, linear, anneal_cosine",
    )
    group.add_argument("--lr-milestones", type=float, nargs="+", metavar="SHARE", help="of the run, for step")
    group.add_argument("--lr-factor", "--step_ratio", dest="lr_factor", type=float, help="at each milestone")
    group.add_argument("--lr-low", type=float, help="least rate of cosine, cyclic and triangular")
    group.add_argument("--lr-cycles", type=int, metavar="N", help="of cyclic and triangular")
    group.add_argument("--warm_up", action="store_true", help="the authors': 400 steps at a rate of 0.01")
    group.add_argument("--warm-up-steps", type=int, metavar="N", help="the rate rises over so many steps")
    group.add_argument("--swa-start", "--swa_start", dest="swa_start", type=_whole, metavar="STEP", help="average from")
    group.add_argument("--swa-every", "--swa_freq", dest="swa_every", type=_whole, metavar="N", help="steps between")


def _run(group: Any) -> None:
    group.add_argument("--steps", "--iters", dest="steps", type=int, metavar="N", help="optimiser steps")
    group.add_argument("--epochs", "--epoch", dest="epochs", type=int, metavar="N", help="instead of steps")
    group.add_argument(
        "--batch", "--batch-size", "--batch_size", dest="batch", type=int, metavar="N", help="samples of a step"
    )
    group.add_argument("--seed", type=int, help="of weights, data order, augmentation, noise and dropout")
    group.add_argument("--threads", type=int, metavar="N", help="of PyTorch, in each process")
    group.add_argument("--out", metavar="FOLDER", help="folder of the run")
    group.add_argument("--save_folder", metavar="FOLDER", help="the run's folder is made in this one, by its settings")
    group.add_argument(
        "--automatic_resume",
        "--auto-resume",
        dest="automatic_resume",
        action="store_true",
        help="go on, if a run is there",
    )
    group.add_argument("--resume", metavar="FILE", help="go on from this checkpoint (last.pt of the same settings)")
    group.add_argument("--overwrite", action="store_true", help="clear a run that is in the folder")
    group.add_argument("--log-every", "--print_freq", dest="log_every", type=int, metavar="N", help="steps")
    group.add_argument("--eval-every", "--eval_every", dest="eval_every", type=int, metavar="N", help="steps")
    group.add_argument("--save-every", type=int, metavar="N", help="steps; else at evaluations and every 10 minutes")
    group.add_argument(
        "--latency-model",
        dest="latency",
        metavar="NAME",
        help="board whose hours are counted: paper, zc706, zc706-ps, or a profile file",
    )
    group.add_argument("--no-tensorboard", dest="tensorboard", action="store_false", help="metrics.jsonl only")
    group.add_argument("--dry-run", action="store_true", help="print the settings and end")
    group.add_argument("--cmd", choices=["train", "test"], help="test evaluates the checkpoint of --resume")
    group.add_argument("--start_iter", "--start_epoch", dest="start", type=int, help="0 only: checkpoints know it")
    group.add_argument("--pretrained", action="store_true", help="refused: there are no pretrained weights")
    group.add_argument("--dir", help="a remark; has no effect, as in the authors' code")


def notes(stated: dict[str, Any]) -> list[str]:
    """What is accepted and does nothing."""
    return [f"--{name} has no effect, here as in the authors' code" for name in (*IGNORED, "dir") if name in stated]


def settings(stated: dict[str, Any]) -> Settings:
    """Recipe, then flags; what contradicts is refused."""
    from cpt_model.training import Settings, folder_name

    _refuse_contradictions(stated)
    same = {field.name for field in fields(Settings)} - {"warm_up"}  # a flag of that name means the authors' steps
    flags = {name: value for name, value in stated.items() if name in same} | _precision_of(stated)
    values = _recipe(stated, flags)
    if "batch" not in stated:
        values["fit_batch"] = True
    for one, other in (("steps", "epochs"), ("epochs", "steps")):
        if one in stated:
            values.pop(other, None)
    _drop_what_does_not_apply(values, flags)
    if stated.get("warm_up"):
        values |= WARM_UP
    if "warm_up_steps" in stated:
        values |= {"warm_up": stated["warm_up_steps"], "warm_up_lr": None}
    made = Settings.from_dict(values | flags)
    folder = stated.get("out") or str(Path(stated.get("save_folder", "out/train")) / folder_name(made))
    return Settings.from_dict(made.to_dict() | {"folder": folder})


def _recipe(stated: dict[str, Any], flags: dict[str, Any]) -> dict[str, Any]:
    """The recipe named, else that of the network, else that of the data set."""
    from cpt_model.training.recipes import home_of, read_recipe, recipe_of

    if "config" in stated:
        values = read_recipe(stated["config"])
        if "arch" in flags and "dataset" not in flags and flags["arch"] != values.get("arch"):
            values["dataset"] = home_of(flags["arch"])[0]
        return values
    if "arch" in flags:
        dataset, recipe = home_of(flags["arch"])
        return read_recipe(recipe) | {"dataset": dataset}
    return read_recipe(recipe_of(flags.get("dataset", "cifar10")))


def _precision_of(stated: dict[str, Any]) -> dict[str, Any]:
    """The authors' flags as bits."""
    found: dict[str, Any] = {}
    for setting, cyclic, static in (
        ("fw_bits", "cyclic_num_bits_schedule", "num_bits"),
        ("bw_bits", "cyclic_num_grad_bits_schedule", "num_grad_bits"),
    ):
        if cyclic in stated:
            found[setting] = stated[cyclic]
        if static in stated:
            found[setting] = [stated[static]]
    return found


def _drop_what_does_not_apply(values: dict[str, Any], flags: dict[str, Any]) -> None:
    """A recipe's schedule is not the user's contradiction when the user asks for one precision."""
    if len(flags.get("fw_bits", (3, 8))) == 1 or "deficit" in flags:
        for name in OF_SCHEDULES:
            values.pop(name, None)
    if list(flags.get("fw_bits", ())) == [0]:
        for name in OF_QUANTISATION:
            values.pop(name, None)
    if len(flags.get("bw_bits", (8, 8))) == 1:
        values.pop("bw_schedule", None)


def _refuse_contradictions(stated: dict[str, Any]) -> None:
    def both(one: str, other: str, why: str) -> None:
        if one in stated and other in stated:
            raise ValueError(f"--{_flag(one)} and --{_flag(other)} are both given: {why}")

    if list(stated.get("fw_bits", ())) == [0] and "bw_bits" in stated:
        raise ValueError("--fw-bits 0 is plain float32: --bw-bits has no effect beside it, leave it out")
    for cyclic, static, short in (
        ("cyclic_num_bits_schedule", "num_bits", "fw_bits"),
        ("cyclic_num_grad_bits_schedule", "num_grad_bits", "bw_bits"),
    ):
        both(cyclic, short, "they say the same thing, give one")
        both(static, short, "they say the same thing, give one")
        both(cyclic, static, "the precision is either cyclic or static")
        if cyclic in stated and len(stated[cyclic]) != 2:
            raise ValueError(f"--{cyclic} takes two bounds, as in 3 8")
        if cyclic in stated and "is_cyclic_precision" not in stated:
            raise ValueError(f"--{cyclic} without --is_cyclic_precision has no effect; give both, or --{_flag(short)}")
    if "is_cyclic_precision" in stated:
        if "num_bits" in stated:
            raise ValueError("--is_cyclic_precision with --num_bits: the precision is either cyclic or static")
        if "cyclic_num_bits_schedule" not in stated:
            raise ValueError("--is_cyclic_precision needs its bounds: --cyclic_num_bits_schedule 3 8")
    if stated.get("num_bits") and "num_grad_bits" not in stated and "bw_bits" not in stated:
        raise ValueError("--num_bits without --num_grad_bits: say how many bits gradients have, as --num_grad_bits 8")
    if len(stated.get("fw_bits", (3, 8))) == 1 and "cycles" in stated and len(stated.get("bw_bits", ())) != 2:
        raise ValueError(
            f"--cycles {stated['cycles']} with --fw-bits {stated['fw_bits'][0]}: one precision has no cycles"
        )
    both("steps", "epochs", "the length of a run is said once")
    both("warm_up", "warm_up_steps", "the warm-up is said once")
    both("out", "save_folder", "the folder is said once (--out is the run's own)")
    both("resume", "automatic_resume", "continue from one place")
    both("overwrite", "automatic_resume", "either begin anew or continue")
    if "warm_up_steps" in stated and stated["warm_up_steps"] < 1:
        raise ValueError(f"--warm-up-steps {stated['warm_up_steps']}: must be 1 or more")
    if stated.get("start"):
        raise ValueError(
            f"--start_iter {stated['start']}: checkpoints know their step; use --automatic_resume or --resume"
        )
    if "pretrained" in stated:
        raise ValueError("--pretrained: there are no pretrained weights; --resume FILE goes on from a checkpoint")


def _flag(name: str) -> str:
    """As the user writes it."""
    written = {"automatic_resume": "automatic_resume", "save_folder": "save_folder", "warm_up": "warm_up"}
    return written.get(name, name if "num_" in name else name.replace("_", "-"))


def _whole(text: str) -> int:
    """A whole number, as the authors' flags write it too: 48000.0."""
    value = float(text)
    if value != int(value):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number")
    return int(value)
