"""The flags of `cpt train`: ours and the CPT authors' own, and how both become settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.flags import COUNT, Flags, add
from sim.common.flag_types import above_zero, from_zero, path, share, whole

if TYPE_CHECKING:
    from cpt_model.training import Settings

SHAPES = {"cifar10": (3, 32, 32), "fashion-mnist": (1, 28, 28), "digits": (1, 8, 8), "imagenet": (3, 224, 224)}
WARM_UP = {"warm_up": 400, "warm_up_lr": 0.01}  # what the authors' --warm_up does
# Settings of a recipe that make no sense for a run at one precision, or in float32.
OF_SCHEDULES = ("schedule", "late_start", "deficit")
OF_QUANTISATION = ("bw_bits", "bw_schedule", "quantiser", "gradient_bits", "results", "eval_bits")
IGNORED = ("num_bits_schedule", "num_grad_bits_schedule")  # the authors' code reads these and uses neither


def add_all(parser: argparse.ArgumentParser) -> None:
    _data(parser.add_argument_group("network and data"))
    _precision(parser.add_argument_group("precision"))
    _authors_precision(parser.add_argument_group("precision, the CPT authors' flags"))
    _optimiser(parser.add_argument_group("optimiser"))
    _run(parser.add_argument_group("run and folder"))


def _data(group: Flags) -> None:
    what = "recipe (--recipes lists them), or a YAML file of settings"
    add(group, "--recipe", metavar="NAME", shown="the network's", help=what, old=["--config"])
    add(group, "--recipes", action="store_true", help="list the recipes and exit")
    add(group, "--arch", shown="the recipe's")
    add(group, "--dataset", "-d")
    add(group, "--datadir")
    add(group, "--workers", **COUNT, help="number of threads that decode pictures")
    add(group, "--no-augment", dest="augment", action="store_false", help="no crops and no flips")
    add(group, "--limit")
    add(group, "--test-limit")
    add(group, "--length", **COUNT, help="number of words in a sequence (text)")


def _precision(group: Flags) -> None:
    bits = {"type": whole(0, 16), "default": None}
    what = "width of weights and activations: one number, the two bounds of a schedule, or 0 for float32"
    add(group, "--fw-bits", **bits, help=what)
    add(group, "--bw-bits", **bits)
    add(group, "--schedule")
    add(group, "--bw-schedule", metavar="NAME", shown="cpt", help="precision schedule of errors and gradients")
    add(group, "--cycles", "--num_cyclic_period", dest="cycles", default=None)
    what = "share of the run at the lowest bits before the schedule begins"
    add(group, "--late-start", type=from_zero, metavar="SHARE", help=what)
    what = "first step and number of steps of a window at the lowest bits, in a run at the highest"
    add(group, "--deficit", type=whole(0), nargs=2, metavar=("STEP", "STEPS"), help=what)
    add(group, "--every", **COUNT, help="number of steps that share a precision")
    add(group, "--eval-bits", shown="the highest of the run")
    what = "quantiser: sbm, sbm-authors, dorefa or wageubn"
    add(group, "--quantiser", "--quantizer", dest="quantiser", metavar="NAME", help=what)
    what = "rule for the layers that stay float: cifar, imagenet or none"
    add(group, "--policy", metavar="NAME", shown="the network's own", help=what)
    what = "fixed bits of layers by name: PATTERN=FW/BW, as 'conv1=8/8' or 'layer3.*=4/8'"
    add(group, "--layer-bits", nargs="+", metavar="PATTERN=BITS", help=what)
    what = "width of weight gradients after their product, 0 for float32"
    add(group, "--gradient-bits", type=whole(0, 16), metavar="BITS", help=what)
    what = "arithmetic between the products: float, or integer, the accelerator's whole step"
    add(group, "--step", metavar="NAME", shown="float", help=what)
    what = "results of forward and input-error products: rounded as the board stores them, or exact"
    add(group, "--results", choices=None, default=None, shown="rounded", metavar="NAME", help=what)


def _authors_precision(group: Flags) -> None:
    bits = {"type": int, "nargs": "*", "metavar": "N"}
    add(group, "--is_cyclic_precision", action="store_true", help="cyclic precision, within the bounds below")
    add(group, "--cyclic_num_bits_schedule", **bits, help="same as --fw-bits with two bounds")
    what = "same as --bw-bits with two bounds; equal ones are static"
    add(group, "--cyclic_num_grad_bits_schedule", **bits, help=what)
    add(group, "--num_bits", type=int, metavar="N", help="same as --fw-bits with one number")
    add(group, "--num_grad_bits", type=int, metavar="N", help="same as --bw-bits with one number")
    for name in IGNORED:
        add(group, f"--{name}", **bits, help="no effect, as in the authors' code")


def _optimiser(group: Flags) -> None:
    rate = {"type": above_zero, "metavar": "X"}
    add(group, "--optimiser", "--optimizer", dest="optimiser", metavar="NAME", help="optimiser: sgd or adam")
    add(group, "--lr", **rate, help="highest learning rate")
    add(group, "--momentum", type=from_zero, metavar="X", help="momentum of SGD")
    what = "weight decay of all parameters"
    add(group, "--weight-decay", "--weight_decay", dest="weight_decay", type=from_zero, metavar="X", help=what)
    add(group, "--clip", **rate, help="largest norm of the gradient")
    what = "learning-rate schedule: step (piecewise), cosine, constant, cyclic, triangular, linear, anneal_cosine"
    add(group, "--lr-schedule", "--lr_schedule", dest="lr_schedule", metavar="NAME", help=what)
    what = "shares of the run after which the step schedule lowers the rate"
    add(group, "--lr-milestones", type=share, nargs="+", metavar="SHARE", help=what)
    what = "factor of the rate at each milestone"
    add(group, "--lr-factor", "--step_ratio", dest="lr_factor", **rate, help=what)
    what = "lowest rate of the cosine, cyclic and triangular schedules"
    add(group, "--lr-low", type=from_zero, metavar="X", help=what)
    add(group, "--lr-cycles", **COUNT, help="number of cycles of the cyclic and triangular schedules")
    add(
        group,
        "--warm_up",
        action="store_true",
        help="the authors' warm-up: 400 steps at a rate of 0.01, none on ImageNet",
    )
    add(group, "--warm-up-steps", **COUNT, help="number of steps over which the rate rises")
    what = "first step whose weights are averaged (SWA)"
    add(group, "--swa-start", "--swa_start", dest="swa_start", type=whole(0), metavar="STEP", help=what)
    what = "number of steps between averaged weights"
    add(group, "--swa-every", "--swa_freq", dest="swa_every", **COUNT, help=what)


def _run(group: Flags) -> None:
    add(group, "--steps", "--iters", dest="steps", default=None)
    add(group, "--epochs", "--epoch", dest="epochs", **COUNT, help="number of epochs, instead of steps")
    add(group, "--batch", "--batch-size", "--batch_size", dest="batch", default=None)
    add(group, "--seed", default=None, help="seed of weights, data order, augmentation, noise and dropout")
    add(group, "--threads", help="number of PyTorch threads in each process")
    add(group, "--out", help="folder of the run")
    what = "folder in which the run's folder is made, named after its settings"
    add(group, "--save_folder", type=path, metavar="FOLDER", shown="out/train", help=what)
    what = "continue the run in the folder, if there is one"
    add(group, "--automatic_resume", "--auto-resume", dest="automatic_resume", action="store_true", help=what)
    what = "checkpoint to continue from (last.pt of the same settings), or with --cmd test to evaluate"
    add(group, "--resume", type=path, metavar="FILE", help=what)
    what = "continue also with other threads, processor or PyTorch, not bit for bit"
    add(group, "--allow-different-machine", action="store_true", help=what)
    add(group, "--overwrite", action="store_true", help="clear a run that is in the folder")
    what = "number of steps between lines of metrics"
    add(group, "--log-every", "--print_freq", dest="log_every", **COUNT, help=what)
    what = "number of steps between evaluations"
    add(group, "--eval-every", "--eval_every", dest="eval_every", **COUNT, shown="an epoch", help=what)
    what = "number of steps between checkpoints"
    add(group, "--save-every", **COUNT, shown="at evaluations and every 10 minutes", help=what)
    what = "board whose hours are counted: paper, zc706, zc706_train, zc706-rows, zc706-ps or a JSON file"
    old = {"old": ["--latency-model"]}
    add(group, "--profile", dest="latency", default=None, shown="paper", help=what, **old)
    add(group, "--no-tensorboard", dest="tensorboard", action="store_false", help="write metrics.jsonl only")
    add(group, "--dry-run", action="store_true", help="print the settings and exit")
    add(group, "--cmd", choices=["train", "test"], help="task: train, or test (evaluate) the checkpoint of --resume")
    what = "first step, which must be 0: a checkpoint has its own"
    add(group, "--start_iter", "--start_epoch", dest="start", type=int, metavar="N", help=what)
    add(group, "--pretrained", action="store_true", help="refused: there are no pretrained weights")
    add(group, "--dir", metavar="TEXT", help="remark without effect, as in the authors' code")


def notes(stated: dict[str, Any]) -> list[str]:
    """What is accepted and does nothing."""
    return [f"--{name} has no effect, here as in the authors' code" for name in (*IGNORED, "dir") if name in stated]


def settings(stated: dict[str, Any]) -> Settings:
    """Recipe, then flags; what contradicts is refused."""
    from cpt_model.training import Settings
    from cpt_model.training.recipes import read_recipe

    made: Settings = settings_of(stated, set(Settings.model_fields), Settings.from_dict, read_recipe)
    return made


def settings_of(stated: dict[str, Any], names: set[str], make: Callable, read: Callable[[str], dict[str, Any]]) -> Any:
    """Settings of any kind that has these names: `make` is from plain values, `read` from a recipe's name."""
    from host.training.precision import folder_name

    _refuse_contradictions(stated)
    stated = own_arch(stated)
    same = names - {"warm_up"}  # a flag of that name means the authors' steps
    flags = {name: value for name, value in stated.items() if name in same} | _precision_of(stated)
    if "layer_bits" in flags:
        flags["layer_bits"] = dict(map(_bits_of_layers, flags["layer_bits"]))
    values = _recipe(stated, flags, read)
    if "batch" not in stated:
        values["fit_batch"] = True
    for one, other in (("steps", "epochs"), ("epochs", "steps")):
        if one in stated:
            values.pop(other, None)
    _drop_what_does_not_apply(values, flags)
    if stated.get("warm_up") and (flags | values).get("dataset") != "imagenet":  # where the authors' code ignores it
        values |= WARM_UP
    if "warm_up_steps" in stated:
        values |= {"warm_up": stated["warm_up_steps"], "warm_up_lr": None}
    made = make(values | flags)
    if "folder" in values and not stated.keys() & {"out", "save_folder"}:
        return made
    folder = stated.get("out") or stated.get("save_folder", Path("out", "train")) / folder_name(made)
    return made.changed(folder=str(folder))


def own_arch(stated: dict[str, Any]) -> dict[str, Any]:
    """With the whole name of a class of the user's own, and its data set: shapes of images go with data sets."""
    arch = str(stated.get("arch", ""))
    if ".py" not in arch:
        return stated
    from cpt_model.models import own_network

    own = own_network(arch)
    known: dict[tuple[int, ...], str] = {shape: name for name, shape in SHAPES.items()}
    if "dataset" in stated and not own.stated and stated["dataset"] in SHAPES:
        own = own._replace(image=SHAPES[stated["dataset"]])
    return stated | {"arch": own.name, "dataset": stated.get("dataset", known.get(own.image, "cifar10"))}


def _recipe(
    stated: dict[str, Any], flags: dict[str, Any], read_recipe: Callable[[str], dict[str, Any]]
) -> dict[str, Any]:
    """The recipe named, else that of the network, else that of the data set."""
    from host.training.recipe_names import home_of, recipe_of

    if "recipe" in stated:
        values = read_recipe(stated["recipe"])
        if "arch" in flags and "dataset" not in flags and flags["arch"] != values.get("arch"):
            values["dataset"] = home_of(flags["arch"])[0]
        return values
    if ".py:" in flags.get("arch", ""):
        return read_recipe(recipe_of(flags["dataset"]))
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


def _bits_of_layers(text: str) -> tuple[str, list[int]]:
    """One PATTERN=FW/BW."""
    pattern, _, bits = text.rpartition("=")
    try:
        forward, backward = map(int, bits.split("/"))
    except ValueError:
        raise ValueError(f"--layer-bits '{text}' is not PATTERN=FW/BW, as in 'layer3.*=4/8'") from None
    return pattern, [forward, backward]


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
        raise ValueError("--fw-bits 0 is plain float32: --bw-bits has no effect with it, leave it out")
    for cyclic, static, short in (
        ("cyclic_num_bits_schedule", "num_bits", "fw_bits"),
        ("cyclic_num_grad_bits_schedule", "num_grad_bits", "bw_bits"),
    ):
        both(cyclic, short, "they mean the same, give one")
        both(static, short, "they mean the same, give one")
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
        raise ValueError("--num_bits without --num_grad_bits: give the gradients' width too, as in --num_grad_bits 8")
    if len(stated.get("fw_bits", (3, 8))) == 1 and "cycles" in stated and len(stated.get("bw_bits", ())) != 2:
        raise ValueError(
            f"--cycles {stated['cycles']} with --fw-bits {stated['fw_bits'][0]}: one precision has no cycles"
        )
    both("steps", "epochs", "give the length of a run once")
    both("warm_up", "warm_up_steps", "give the warm-up once")
    both("out", "save_folder", "give the folder once (--out is the run's own)")
    both("resume", "automatic_resume", "continue from one place")
    both("overwrite", "automatic_resume", "either start afresh or continue")
    if stated.get("start"):
        raise ValueError(
            f"--start_iter {stated['start']}: a checkpoint has its step; use --automatic_resume or --resume"
        )
    if "pretrained" in stated:
        raise ValueError("--pretrained: there are no pretrained weights; --resume FILE continues from a checkpoint")


def _flag(name: str) -> str:
    """As the user writes it."""
    written = {"automatic_resume": "automatic_resume", "save_folder": "save_folder", "warm_up": "warm_up"}
    return written.get(name, name if "num_" in name else name.replace("_", "-"))
