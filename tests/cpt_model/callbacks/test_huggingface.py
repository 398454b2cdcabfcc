"""The Hugging Face callback: its hooks one by one, and a real Trainer where transformers is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from cpt_model import get_precision, prepare_
from cpt_model.callbacks import HuggingFacePrecision, huggingface
from cpt_model.precision_run import Plan
from cpt_model.schedules import CPT

installed = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None or importlib.util.find_spec("accelerate") is None,
    reason="transformers is optional and not part of `make setup`: pip install -e '.[callbacks]'",
)


class Network(nn.Module):
    """A model as the Trainer wants it: inputs and labels in, loss and logits out; remembers the bits of every batch."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = prepare_(nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3)))
        self.trained: list[int] = []
        self.evaluated: list[int] = []

    def forward(self, x: Tensor, labels: Tensor) -> dict[str, Tensor]:
        (self.trained if self.training else self.evaluated).append(get_precision(self).forward)
        logits = self.layers(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def fakes(folder: Path, step: int = 0, total: int = 4) -> tuple[Any, Any, Any]:
    """What the callback uses of TrainingArguments, TrainerState and TrainerControl."""
    state = SimpleNamespace(global_step=step, max_steps=total, is_world_process_zero=True, log_history=[{}])
    return SimpleNamespace(output_dir=str(folder), eval_on_start=False), state, SimpleNamespace(should_evaluate=False)


def forward_bits(model: nn.Module) -> int:
    return get_precision(model).forward


@pytest.fixture
def hooks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface, "TrainerCallback", type)


def test_without_transformers_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface, "TrainerCallback", object)
    with pytest.raises(ImportError, match="pip install transformers"):
        HuggingFacePrecision(Plan(CPT(3, 8)))


@pytest.mark.usefixtures("hooks_alone")
def test_steps_move_the_schedule_and_the_log_has_bits_and_cost(tmp_path: Path) -> None:
    model, callback = Network(), HuggingFacePrecision(Plan(CPT(3, 8, cycles=1), cost=lambda bits: 2.0))
    args, state, control = fakes(tmp_path)
    callback.on_train_begin(args, state, control, model=model)
    seen = []
    for _ in range(4):
        seen.append(forward_bits(model))
        callback.on_step_end(args, state, control)
    assert seen == [3, 4, 6, 7]
    logs = {"loss": 1.0}
    callback.on_log(args, state, control, logs=logs)
    assert logs == {"loss": 1.0, "bits/forward": 7, "bits/backward": 8, "cost": 8.0}
    assert state.log_history[-1]["cost"] == 8.0


@pytest.mark.usefixtures("hooks_alone")
@pytest.mark.parametrize("hook", ["on_step_end", "on_epoch_end"])
def test_an_evaluation_that_was_decided_on_is_at_the_highest_bits(tmp_path: Path, hook: str) -> None:
    model, callback = Network(), HuggingFacePrecision(Plan(CPT(3, 8, cycles=1)))
    args, state, control = fakes(tmp_path, total=40)
    callback.on_train_begin(args, state, control, model=model)
    control.should_evaluate = True
    getattr(callback, hook)(args, state, control)
    assert forward_bits(model) == 8
    callback.on_evaluate(args, state, control)
    assert forward_bits(model) == 3
    callback.on_train_end(args, state, control)
    assert forward_bits(model) == 8


@pytest.mark.usefixtures("hooks_alone")
def test_resuming_reads_the_checkpoints_file_or_says_that_it_is_missing(tmp_path: Path) -> None:
    plan = Plan(CPT(3, 8, cycles=1))
    model, callback = Network(), HuggingFacePrecision(plan)
    args, state, control = fakes(tmp_path, total=10)
    callback.on_train_begin(args, state, control, model=model)
    for _ in range(6):
        callback.on_step_end(args, state, control)
    state.global_step = 6
    (tmp_path / "checkpoint-6").mkdir()
    callback.on_save(args, state, control)
    resumed = Network()
    HuggingFacePrecision(plan).on_train_begin(args, state, control, model=resumed)
    assert forward_bits(resumed) == forward_bits(model) > 3
    elsewhere = tmp_path / "moved"
    (tmp_path / "checkpoint-6").rename(elsewhere)
    with pytest.raises(FileNotFoundError, match="resume_from"):
        HuggingFacePrecision(plan).on_train_begin(args, state, control, model=Network())
    moved = Network()
    HuggingFacePrecision(plan, resume_from=elsewhere).on_train_begin(args, state, control, model=moved)
    assert forward_bits(moved) == forward_bits(model)


class Data(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        x = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(index))
        return {"x": x, "labels": torch.tensor(index % 3)}


def real_trainer(folder: Path, model: nn.Module, plan: Plan, **settings: Any) -> Any:
    from transformers import Trainer, TrainingArguments

    arguments = {
        "output_dir": str(folder),
        "per_device_train_batch_size": 4,
        "per_device_eval_batch_size": 8,
        "num_train_epochs": 2,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": True,
        "seed": 1,
    }
    args = TrainingArguments(**arguments | settings)
    return Trainer(model, args, train_dataset=Data(), eval_dataset=Data(), callbacks=[HuggingFacePrecision(plan)])


@installed
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("strategy", ["steps", "epoch"])
def test_a_trainer_trains_by_the_schedule_logs_it_and_evaluates_at_the_highest_bits(
    tmp_path: Path, strategy: str
) -> None:
    model, schedule = Network(), CPT(3, 8, cycles=2)
    plan = Plan(schedule, cost=lambda bits: float(bits.forward))
    settings = {"eval_strategy": strategy, "eval_steps": 2, "gradient_accumulation_steps": 2, "eval_on_start": True}
    trainer = real_trainer(tmp_path, model, plan, **settings)
    trainer.train()
    planned = schedule.bits(range(6), 6).tolist()
    assert model.trained == [bits for bits in planned for _ in range(2)]
    trainer.evaluate()
    assert set(model.evaluated) == {max(planned)} == {7}
    assert len(model.evaluated) == 3 * ({"steps": 3, "epoch": 2}[strategy] + 2)
    logged = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert [entry["bits/forward"] for entry in logged] == planned
    assert logged[-1]["cost"] == sum(planned)


@installed
@pytest.mark.filterwarnings("ignore")
def test_a_trainer_that_was_stopped_goes_on_bit_for_bit(tmp_path: Path) -> None:
    plan, saving = Plan(CPT(3, 8, cycles=3)), {"save_strategy": "steps", "save_steps": 5}
    whole = Network()
    real_trainer(tmp_path, whole, plan, **saving).train()
    resumed = Network()
    real_trainer(tmp_path, resumed, plan).train(resume_from_checkpoint=str(tmp_path / "checkpoint-5"))
    assert resumed.trained == whole.trained[5:] == CPT(3, 8, cycles=3).bits(range(5, 12), 12).tolist()
    for name, value in whole.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], value)
