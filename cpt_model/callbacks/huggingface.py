"""Cyclic precision in a Hugging Face `Trainer`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from cpt_model.precision_run import Plan, PrecisionRun

try:
    from transformers import TrainerCallback
except ImportError:
    TrainerCallback = object

FILE = "cyclic_precision.pt"


class HuggingFacePrecision(TrainerCallback):
    """Steps the precision after every optimiser step (accumulated batches share one) and logs bits and cost.

    Evaluation during training runs at the plan's bits of evaluation, and the model stays at these after training. Bits
    and cost are in `trainer.state.log_history`. The state is a file in every checkpoint folder, and
    `trainer.train(resume_from_checkpoint=...)` reads it from `output_dir`; for another folder give `resume_from`. With
    `load_best_model_at_end` the ranges of activations stay those of the last step.

        trainer = Trainer(model, args, train_dataset=data, callbacks=[HuggingFacePrecision(Plan(CPT(3, 8)))])
    """

    def __init__(self, plan: Plan, resume_from: str | Path | None = None) -> None:
        if TrainerCallback is object:
            raise ImportError("HuggingFacePrecision needs transformers: pip install transformers accelerate")
        super().__init__()
        self.plan = plan
        self.resume_from = resume_from
        self.run: PrecisionRun | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **others: Any) -> None:
        self.run = PrecisionRun(model, self.plan, state.max_steps)
        if state.global_step:
            self.run.load_state_dict(self._saved(args, state))
        if args.eval_on_start:
            self.run.begin_evaluation()

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.run is not None:
            self.run.step()
            self._evaluates(control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._evaluates(control)

    def on_evaluate(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.run is not None:
            self.run.end_evaluation()

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.run is not None:
            self.run.begin_evaluation()
            self.run = None

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **others: Any) -> None:
        if self.run is not None and logs is not None and "loss" in logs:
            logs.update(self.run.metrics())
            state.log_history[-1].update(self.run.metrics())

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.run is not None and state.is_world_process_zero:
            torch.save(self.run.state_dict(), _folder(args, state) / FILE)

    def _evaluates(self, control: Any) -> None:
        """The trainer calls nothing before it evaluates, but its own flow callback has decided by now."""
        if self.run is not None and control.should_evaluate:
            self.run.begin_evaluation()

    def _saved(self, args: Any, state: Any) -> dict[str, Any]:
        file = Path(self.resume_from or _folder(args, state)) / FILE
        if not file.is_file():
            raise FileNotFoundError(
                f"training resumes at step {state.global_step}, but {file} is not there: "
                "give HuggingFacePrecision(resume_from=<checkpoint folder>)"
            )
        saved: dict[str, Any] = torch.load(file, weights_only=True)
        return saved


def _folder(args: Any, state: Any) -> Path:
    return Path(args.output_dir) / f"checkpoint-{state.global_step}"
