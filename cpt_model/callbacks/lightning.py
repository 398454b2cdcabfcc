"""Cyclic precision in a Lightning `Trainer`."""

from __future__ import annotations

from typing import Any

from cpt_model.model_precision import set_precision
from cpt_model.precision_run import Plan, PrecisionRun

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    try:
        from pytorch_lightning.callbacks import Callback
    except ImportError:
        Callback = object

KEY = "cyclic precision"


class LightningPrecision(Callback):
    """Steps the precision after every batch that ends in an optimiser step (several optimisers step once together,
    accumulated batches share a precision) and logs bits and cost.

    Validation, test and prediction run at the plan's bits of evaluation, and the module stays at these after `fit`.
    Without a `fit` or a checkpoint before them, only a stated `evaluate_at` is known (the highest bits depend on the
    length of the run): else the module keeps the bits it has. The state is part of every checkpoint, so
    `trainer.fit(..., ckpt_path=...)` goes on bit for bit. The module, or what it holds, was prepared by `prepare_`.

        plan = Plan(CPT(3, 8), backward=8)
        trainer = Trainer(max_epochs=10, callbacks=[LightningPrecision(plan)])
    """

    def __init__(self, plan: Plan) -> None:
        if Callback is object:
            raise ImportError("LightningPrecision needs Lightning: pip install lightning")
        super().__init__()
        self.plan = plan
        self.run: PrecisionRun | None = None
        self._saved: dict[str, Any] | None = None
        self._optimiser_steps = 0

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        total = self.plan.total_steps or trainer.estimated_stepping_batches
        if total == float("inf"):
            raise ValueError("the trainer has no end: give Plan(total_steps=...), max_steps or max_epochs")
        self.run = PrecisionRun(pl_module, self.plan, int(total))
        self._restore()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._optimiser_steps = trainer.global_step

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if self.run is not None and trainer.global_step != self._optimiser_steps:
            self._optimiser_steps = trainer.global_step
            self.run.step()
            pl_module.log_dict({name: float(value) for name, value in self.run.metrics().items()})

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        if self.run is not None:
            self.run.begin_evaluation()
        elif self.plan.evaluate_at is not None:
            set_precision(pl_module, self.plan.evaluate_at)

    on_test_start = on_predict_start = on_train_end = on_validation_start

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if self.run is not None and trainer.state.fn == "fit":
            self.run.end_evaluation()

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]) -> None:
        if self.run is not None:
            checkpoint[KEY] = self.run.state_dict()

    def on_load_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]) -> None:
        self._saved = checkpoint.get(KEY)
        if self._saved is None:
            raise ValueError("the checkpoint was saved without LightningPrecision: its precision is not known")
        if self.run is None and trainer.state.fn != "fit":
            self.run = PrecisionRun(pl_module, self.plan, self._saved["scheduler"]["total_steps"])
        self._restore()

    def _restore(self) -> None:
        """Most strategies load a checkpoint before `on_fit_start`, some after it."""
        if self.run is not None and self._saved is not None:
            self.run.load_state_dict(self._saved)
            self._saved = None
