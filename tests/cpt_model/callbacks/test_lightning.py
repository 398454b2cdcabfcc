"""The Lightning callback: its hooks one by one, and a real Trainer where Lightning is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from cpt_model import get_precision, prepare_, set_precision
from cpt_model.callbacks import LightningPrecision, lightning
from cpt_model.precision_run import Plan
from cpt_model.schedules import CPT, CosineAnnealing

installed = pytest.mark.skipif(
    importlib.util.find_spec("lightning") is None,
    reason="Lightning is optional and not part of `make setup`: pip install -e '.[callbacks]'",
)


def network() -> nn.Module:
    torch.manual_seed(0)
    return prepare_(nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3)))


def forward_bits(model: nn.Module) -> int:
    return get_precision(model).forward


class Module(nn.Module):
    """What the callback uses of a LightningModule."""

    def __init__(self) -> None:
        super().__init__()
        self.network = network()
        self.logged: list[dict[str, float]] = []

    def log_dict(self, values: dict[str, float]) -> None:
        self.logged.append(values)


def fake_trainer(total: float = 4) -> Any:
    """What the callback uses of a Trainer."""
    return SimpleNamespace(estimated_stepping_batches=total, global_step=0, state=SimpleNamespace(fn="fit"))


@pytest.fixture
def hooks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightning, "Callback", type)


def test_without_lightning_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightning, "Callback", object)
    with pytest.raises(ImportError, match="pip install lightning"):
        LightningPrecision(Plan(CPT(3, 8)))


@pytest.mark.usefixtures("hooks_alone")
def test_only_batches_that_end_in_an_optimiser_step_move_the_schedule() -> None:
    module, trainer = Module(), fake_trainer()
    callback = LightningPrecision(Plan(CPT(3, 8, cycles=1), cost=lambda bits: 1.0))
    callback.on_fit_start(trainer, module)
    callback.on_train_start(trainer, module)
    seen = []
    for batch in range(8):
        seen.append(forward_bits(module))
        trainer.global_step += batch % 2
        callback.on_train_batch_end(trainer, module, None, None, batch)
    assert seen == [3, 3, 4, 4, 6, 6, 7, 7]
    assert [values["bits/forward"] for values in module.logged] == [3, 4, 6, 7]
    assert module.logged[-1] == {"bits/forward": 7.0, "bits/backward": 8.0, "cost": 4.0}


@pytest.mark.usefixtures("hooks_alone")
def test_validation_inside_training_is_at_the_highest_bits_and_gives_them_back() -> None:
    module, trainer = Module(), fake_trainer(10)
    callback = LightningPrecision(Plan(CPT(3, 8, cycles=1)))
    callback.on_fit_start(trainer, module)
    callback.on_validation_start(trainer, module)
    assert forward_bits(module) == 8
    callback.on_validation_end(trainer, module)
    assert forward_bits(module) == 3
    callback.on_train_end(trainer, module)
    assert forward_bits(module) == 8


@pytest.mark.usefixtures("hooks_alone")
@pytest.mark.parametrize(("stated", "expected"), [(None, 5), (4, 4)])
def test_evaluation_without_a_fit_is_at_the_stated_bits_or_leaves_them(stated: int | None, expected: int) -> None:
    module = Module()
    set_precision(module, 5)
    trainer = SimpleNamespace(state=SimpleNamespace(fn="validate"))
    callback = LightningPrecision(Plan(CPT(3, 8, cycles=1), evaluate_at=stated))
    callback.on_validation_start(trainer, module)
    assert forward_bits(module) == expected
    callback.on_validation_end(trainer, module)
    assert forward_bits(module) == expected


@pytest.mark.usefixtures("hooks_alone")
@pytest.mark.parametrize("load_first", [True, False])
def test_a_checkpoint_is_restored_whenever_it_comes(load_first: bool) -> None:
    module, trainer = Module(), fake_trainer(10)
    checkpoint: dict[str, Any] = {}
    callback = LightningPrecision(Plan(CPT(3, 8, cycles=1)))
    callback.on_fit_start(trainer, module)
    for step in range(1, 7):
        trainer.global_step = step
        callback.on_train_batch_end(trainer, module, None, None, step)
    callback.on_save_checkpoint(trainer, module, checkpoint)
    other, resumed = Module(), LightningPrecision(Plan(CPT(3, 8, cycles=1)))
    if load_first:
        resumed.on_load_checkpoint(trainer, other, checkpoint)
    resumed.on_fit_start(trainer, other)
    if not load_first:
        resumed.on_load_checkpoint(trainer, other, checkpoint)
    assert forward_bits(other) == forward_bits(module) > 3
    resumed.on_train_start(trainer, other)
    resumed.on_train_batch_end(trainer, other, None, None, 0)
    assert not other.logged, "the first batch after resuming made no optimiser step"


@pytest.mark.usefixtures("hooks_alone")
def test_what_cannot_work_is_refused() -> None:
    callback = LightningPrecision(Plan(CPT(3, 8)))
    with pytest.raises(ValueError, match="no end"):
        callback.on_fit_start(fake_trainer(float("inf")), Module())
    with pytest.raises(ValueError, match="saved without LightningPrecision"):
        callback.on_load_checkpoint(fake_trainer(), Module(), {"state_dict": {}})


def real_module() -> Any:
    from lightning.pytorch import LightningModule

    class Classifier(LightningModule):
        """Remembers the forward bits of every batch it sees."""

        def __init__(self) -> None:
            super().__init__()
            self.network = network()
            self.seen: dict[str, list[int]] = {"train": [], "val": [], "test": []}

        def loss(self, batch: Any, when: str) -> Tensor:
            self.seen[when].append(forward_bits(self))
            return nn.functional.cross_entropy(self.network(batch[0]), batch[1])

        def training_step(self, batch: Any, batch_idx: int) -> Tensor:
            return self.loss(batch, "train")

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.loss(batch, "val")

        def test_step(self, batch: Any, batch_idx: int) -> None:
            self.loss(batch, "test")

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    return Classifier()


def real_trainer(folder: Path, epochs: int, plan: Plan, **settings: Any) -> Any:
    from lightning.pytorch import Trainer
    from lightning.pytorch.loggers import CSVLogger

    quiet = {"enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu", "log_every_n_steps": 1}
    logger = CSVLogger(str(folder), name="", version="")
    # The run is planned for 4 epochs, however many of them this trainer does.
    return Trainer(max_epochs=epochs, logger=logger, callbacks=[LightningPrecision(plan)], **quiet | settings)


def data() -> Any:
    generator = torch.Generator().manual_seed(2)
    samples = torch.utils.data.TensorDataset(torch.randn(24, 2, 4, 4, generator=generator), torch.arange(24) % 3)
    return torch.utils.data.DataLoader(samples, batch_size=4)


@installed
@pytest.mark.filterwarnings("ignore")
def test_a_trainer_trains_by_the_schedule_logs_it_and_evaluates_at_the_highest_bits(tmp_path: Path) -> None:
    module, schedule = real_module(), CosineAnnealing(3, 8, cycles=2)
    trainer = real_trainer(tmp_path, 2, Plan(schedule, cost=lambda bits: bits.forward), accumulate_grad_batches=2)
    trainer.fit(module, data(), data())
    planned = schedule.bits(range(6), 6).tolist()
    assert module.seen["train"] == [bits for bits in planned for _ in range(2)]
    assert set(module.seen["val"]) == {8}
    trainer.test(module, data(), verbose=False)
    assert set(module.seen["test"]) == {8}
    trainer.logger.save()
    header, *rows = (tmp_path / "metrics.csv").read_text().splitlines()
    columns = header.split(",")
    logged = [dict(zip(columns, row.split(","), strict=True)) for row in rows]
    assert [float(row["bits/forward"]) for row in logged if row["bits/forward"]] == planned
    assert float(logged[-1]["cost"] or logged[-2]["cost"]) == sum(planned)


@installed
@pytest.mark.filterwarnings("ignore")
def test_a_trainer_that_was_stopped_goes_on_bit_for_bit(tmp_path: Path) -> None:
    plan = Plan(CPT(3, 8, cycles=3), total_steps=24)
    whole = real_module()
    real_trainer(tmp_path / "whole", 4, plan).fit(whole, data())
    first = real_trainer(tmp_path / "first", 2, plan)
    first.fit(real_module(), data())
    first.save_checkpoint(tmp_path / "half.ckpt")
    second = real_module()
    real_trainer(tmp_path / "second", 4, plan).fit(second, data(), ckpt_path=tmp_path / "half.ckpt")
    assert second.seen["train"] == whole.seen["train"][12:] == CPT(3, 8, cycles=3).bits(range(12, 24), 24).tolist()
    for name, value in whole.state_dict().items():
        assert torch.equal(second.state_dict()[name], value)


@installed
@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_tested_in_another_process_is_at_the_bits_of_evaluation(tmp_path: Path) -> None:
    plan = Plan(CosineAnnealing(3, 8, cycles=1))
    trainer = real_trainer(tmp_path / "one", 1, plan)
    trainer.fit(real_module(), data())
    trainer.save_checkpoint(tmp_path / "done.ckpt")
    fresh = real_module()
    real_trainer(tmp_path / "two", 1, plan).test(fresh, data(), ckpt_path=tmp_path / "done.ckpt", verbose=False)
    assert set(fresh.seen["test"]) == {8}
