"""Checkpoints between `cpt train --step integer` and `cpt board train`: a run goes on in the other, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from cpt_model.training.checkpoint import CheckpointError, SavedRun, load_checkpoint, save_checkpoint
from cpt_model.training.machine import machine
from cpt_model.training.settings import Settings
from host.compiler.step.networks import named
from host.training import checkpoint as board
from host.training.settings import Settings as BoardSettings
from host.training.weights import floats_of_state, write_weights

SAME = ("step", "eval_bits", "evaluated", "best", "window", "seconds", "total", "batch")
STATE = "_extra_state"  # where PyTorch puts a module's own


def to_pytorch(source: Path, target: Path) -> None:
    """`last.npz` as `last.pt`: `cpt train --automatic_resume` goes on with it."""
    state, about = board.load_checkpoint(source)
    settings = Settings.saved(about["settings"], source)
    content: dict[str, Any] = {name: about[name] for name in SAME} | {"settings": settings.to_dict()}
    content |= {"model": {STATE: {name: torch.from_numpy(np.array(value)) for name, value in state.items()}}}
    content |= {"precision": None, "optimizer": {}, "averaging": None, "result": about["result"]}
    here = machine()
    content |= {"threads": here["threads"], "processes": 1, "machine": here}
    save_checkpoint(target, content)


def to_board(source: Path, target: Path) -> None:
    """`last.pt` of a run of whole integer steps as `last.npz`: `cpt board train --automatic_resume` goes on with it."""
    content = load_checkpoint(source)
    if "optimizer" not in content or STATE not in content["model"]:
        raise CheckpointError(
            f"{source} is not the last.pt of a run with --step integer: only weights can be taken from it (--floats)"
        )
    SavedRun.of(content, source)
    if content["processes"] != 1:
        raise CheckpointError(f"{source} was trained by {content['processes']} processes, a board is one")
    about = {name: content[name] for name in SAME} | {"result": content["result"]}
    about["settings"] = BoardSettings.from_dict(content["settings"]).to_dict()
    state = {name: value.numpy() for name, value in content["model"][STATE].items()}
    board.save_checkpoint(target, state, about)


def floats_to_pytorch(source: Path, target: Path) -> None:
    """The weights of `last.npz` as a state dict, for any PyTorch model of that shape."""
    state, about = board.load_checkpoint(source)
    floats = floats_of_state(named(about["settings"]["arch"]), state)
    torch.save({name: torch.from_numpy(value).float() for name, value in floats.items()}, target)


def floats_to_board(source: Path, target: Path) -> None:
    """The weights of a state dict, or of a checkpoint of cpt train, as NPZ: `cpt board train --weights` reads it."""
    try:
        content = torch.load(source, weights_only=True)
    except Exception as problem:
        raise CheckpointError(f"{source} is not a file of weights: {problem}".splitlines()[0]) from None
    model = content.get("model", content) if isinstance(content, dict) else {}
    if STATE in model:
        state = {name: value.numpy() for name, value in model[STATE].items()}
        write_weights(target, floats_of_state(named(content["settings"]["arch"]), state))
        return
    tensors = {name: value for name, value in model.items() if isinstance(value, torch.Tensor)}
    if not tensors:
        raise CheckpointError(f"{source} is not a file of weights: expected a state dict or a checkpoint of cpt train")
    write_weights(target, {name: value.double().numpy() for name, value in tensors.items()})
