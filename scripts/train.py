"""`cpt train`: trains a network of the papers at a scheduled precision."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from scripts import authors_flags, train_flags
from scripts.parser import Parser
from sim.common.table import as_table
from sim.common.units import as_time

if TYPE_CHECKING:
    from cpt_model.training import Settings, Summary

DESCRIPTION = """\
Trains a network. Settings come from the network's recipe (or --recipe); flags override them, and those
without a default below have the recipe's. The flags of the CPT authors' code work unchanged. Everything
about a run is in its folder; --automatic_resume continues it bit for bit, however it ended.
"""
EXAMPLES = f"""\
  cpt train --recipe digits
  cpt train --arch cifar10_resnet_20 --fw-bits 3 8 --schedule CR --steps 2000
  cpt train --arch resnet34 --is_cyclic_precision --cyclic_num_bits_schedule 3 8 --cyclic_num_grad_bits_schedule 8 8
  cpt train --cmd test --resume out/train/RUN/best.pt       (evaluate a checkpoint)
  torchrun --nproc-per-node 2 -m {__package__}.cli train --recipe digits      (in two processes)
"""


def add_flags(parser: Parser) -> None:
    parser.argument_default = argparse.SUPPRESS  # a flag that is not given is not there, and the recipe's value holds
    train_flags.add_all(parser)


def run(arguments: argparse.Namespace) -> int:
    stated = {name: value for name, value in vars(arguments).items() if name != "run"}
    if stated.get("recipes"):
        return _list_recipes()
    for note in train_flags.notes(stated):
        print(f"cpt: {note}", file=sys.stderr)
    if stated.get("cmd") == "test":
        return _test(stated)
    settings = train_flags.settings(stated)
    for note in authors_flags.differences(stated, settings):
        print(f"cpt: {note}", file=sys.stderr)
    if stated.get("dry_run"):
        print(json.dumps(settings.to_dict(), indent=2))
        return 0
    return _train(settings, stated)


def _train(settings: Settings, stated: dict) -> int:
    from cpt_model.training import Stopped, train

    speaks = os.environ.get("RANK", "0") == "0"  # one of the processes that torchrun started
    try:
        summary = train(
            settings,
            resume=stated.get("automatic_resume", False),
            overwrite=stated.get("overwrite", False),
            start_from=stated.get("resume"),
            allow_different_machine=stated.get("allow_different_machine", False),
        )
    except Stopped as end:
        if speaks:
            print(f"cpt: {end}", file=sys.stderr)
        return end.code
    if speaks:
        print(render(summary))
    return 0


def _test(stated: dict) -> int:
    """The authors' `--cmd test --resume FILE`: evaluates a checkpoint."""
    from cpt_model.training import load_run

    if "resume" not in stated:
        raise ValueError("--cmd test evaluates a checkpoint: name it with --resume FILE")
    loaded = load_run(stated["resume"], stated.get("eval_bits"), stated.get("datadir"))
    result = loaded.evaluate()
    width = f"{loaded.bits} bits" if loaded.bits.forward else "float32"
    score = f"{loaded.task.part} {loaded.task.score} {result.score:.2f}"
    print(f"step {loaded.step}, {width}: {score}, loss {result.loss:.4f}")
    return 0


def _list_recipes() -> int:
    from cpt_model.training.recipes import read_recipe, recipe_names

    rows = []
    for name in recipe_names():
        values = read_recipe(name)
        bits = "-".join(map(str, values["fw_bits"])) + "/" + "-".join(map(str, values["bw_bits"]))
        length = f"{values['steps']} steps" if "steps" in values else f"{values['epochs']} epochs"
        rows.append((name, values["arch"], values["dataset"], bits, length))
    print(as_table(None, rows, left=range(5)))
    return 0


def render(summary: Summary) -> str:
    """A run's end in a few lines."""
    if summary.test_accuracy is not None and summary.best_accuracy is not None:
        score = f"test accuracy {summary.test_accuracy:.2f} % (best {summary.best_accuracy:.2f} %)"
    else:
        score = f"test perplexity {summary.test_perplexity:.2f} (best valid {summary.best_perplexity:.2f})"
    averaged = summary.swa_accuracy if summary.swa_accuracy is not None else summary.swa_perplexity
    if averaged is not None:
        score += f", averaged weights {averaged:.2f}"
    forward, gradient = summary.eval_bits
    evaluated = f"at {forward}/{gradient} bits" if forward else "in float32"
    cost = f"{summary.gbitops:.4g} GBitOPs"
    if summary.eval_bits[0]:
        cost += f" ({summary.saving_gbitops_pct:.1f} % less than static)"
    if summary.board_hours is not None:
        cost += f", {as_time(3600 * summary.board_hours)} on the board '{summary.latency}'"
        cost += f" of {summary.hours_of}" if summary.hours_of else ""
        cost += f" ({summary.saving_hours_pct:.1f} % less)"
    return (
        f"{summary.arch} on {summary.dataset}, {summary.precision}, seed {summary.seed}, {summary.steps} steps of "
        f"{summary.batch}\n  {score}, {evaluated}\n  {cost}\n  {summary.seconds:.0f} s here; {summary.folder}"
    )
