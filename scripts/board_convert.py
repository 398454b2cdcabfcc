"""`cpt board convert`: checkpoints and weights between a board and PyTorch."""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.flags import add
from scripts.parser import Parser
from sim.common.flag_types import path

DESCRIPTION = """\
Converts checkpoints, so that a run goes on elsewhere, bit for bit: last.npz of 'cpt board train' to
last.pt of 'cpt train --step integer', or back. With --floats only the weights: to a PyTorch state dict
(.pt), or from one to an NPZ file for 'cpt board train --weights'.
"""
EXAMPLES = """\
  cpt board convert out/board-run/last.npz out/on-my-desk/last.pt
  cpt board convert resnet20.pt resnet20.npz --floats
"""


def add_flags(parser: Parser) -> None:
    parser.add_argument("source", type=path, metavar="SOURCE", help="file to read: .npz of a board, .pt of PyTorch")
    parser.add_argument("target", type=path, metavar="TARGET", help="file to write: .pt or .npz")
    add(parser, "--floats", action="store_true", help="convert weights and statistics only, as floats")


def run(arguments: argparse.Namespace) -> int:
    kinds = (arguments.source.suffix, arguments.target.suffix)
    arguments.target.parent.mkdir(parents=True, exist_ok=True)
    convert(arguments.source, arguments.target, kinds, arguments.floats)
    print(f"wrote {arguments.target}")
    return 0


def convert(source: Path, target: Path, kinds: tuple[str, str], floats: bool) -> None:
    if kinds == (".npz", ".npz") and floats:  # the only one that a board can do
        from host.compiler.step.networks import named
        from host.training.checkpoint import load_checkpoint
        from host.training.weights import floats_of_state, write_weights

        state, about = load_checkpoint(source)
        write_weights(target, floats_of_state(named(about["settings"]["arch"]), state))
        return
    if kinds not in ((".npz", ".pt"), (".pt", ".npz")):
        raise ValueError(f"{source} to {target}: one of them is .npz, the other .pt; or both .npz with --floats")
    from cpt_model.training import exchange

    if kinds == (".npz", ".pt"):
        (exchange.floats_to_pytorch if floats else exchange.to_pytorch)(source, target)
    else:
        (exchange.floats_to_board if floats else exchange.to_board)(source, target)
