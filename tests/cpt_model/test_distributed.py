"""DistributedDataParallel over gloo: one process changes nothing; two are in `training/test_processes.py`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from cpt_model import Bits, Config, get_precision, prepare_, set_precision

LIMIT = timedelta(seconds=60)


def made(seed: int) -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36, 3))
    return prepare_(model, Config(policy="none", bits=Bits(6, 6), seed=seed))


def trained(model: nn.Module, batches: list[Tensor]) -> Tensor:
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for step, x in enumerate(batches):
        set_precision(model, Bits(3 + step, 6))
        optimiser.zero_grad()
        model(x).square().mean().backward()
        optimiser.step()
    return nn.utils.parameters_to_vector(model.parameters()).detach()


def batches(rank: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(rank)
    return [torch.randn(4, 2, 5, 5, generator=generator) for _ in range(3)]


def worker(rank: int, processes: int, folder: str) -> None:
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=processes, timeout=LIMIT
    )
    model = DistributedDataParallel(made(seed=rank))
    torch.save(trained(model, batches(rank)), f"{folder}/{rank}.pt")
    assert get_precision(model) == Bits(5, 6)
    distributed.destroy_process_group()


def test_one_process_is_the_same_as_none(tmp_path: Path) -> None:
    worker(0, 1, str(tmp_path))
    assert torch.equal(torch.load(tmp_path / "0.pt"), trained(made(0), batches(0)))
