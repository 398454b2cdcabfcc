"""What learns in a run: a model with its gradients and an optimiser, or a network in whole integer steps."""

from __future__ import annotations

import math
import warnings
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from cpt_model.models import entry
from cpt_model.precision_run import Plan, PrecisionRun
from cpt_model.prepare import Config, prepare_
from cpt_model.step import IntegerNetwork
from cpt_model.step.draw import draw_weights
from cpt_model.training.meter import Meter
from cpt_model.training.processes import Processes, noise_seed
from cpt_model.training.settings import Settings
from cpt_model.training.task import ImageTask, Objective, Task
from host.compiler.bits import Bits
from host.compiler.step.rates import Rates
from host.compiler.step.widths import ABLATIONS
from host.driver.averaged import averaged


class TrainingError(ValueError):
    """Training that cannot go on; the message says why."""


class Learner(Protocol):
    """`model` is what is evaluated, between `begin_evaluation` and `end_evaluation`."""

    model: nn.Module
    repeats_anywhere: bool

    def step(self, x: Tensor, target: Tensor, lr: float, number: int) -> tuple[float, int, int]:
        """One step: mean loss, guesses that were right, and guesses made."""

    def begin_evaluation(self) -> None: ...

    def end_evaluation(self) -> None: ...

    def weights(self) -> dict[str, Any]:
        """What evaluation needs."""

    def load_weights(self, content: dict[str, Any]) -> None: ...

    def optimizer_state(self) -> dict[str, Any]: ...

    def load_optimizer_state(self, state: dict[str, Any]) -> None: ...


class Gradients:
    """A prepared model, or a float32 one, with PyTorch's gradients and optimiser."""

    repeats_anywhere = False

    def __init__(
        self, run: Settings, task: Task, model: nn.Module, schedules: Plan | None, meter: Meter, who: Processes
    ) -> None:
        self.run, self.model = run, model
        self.precision: PrecisionRun | None = None
        if schedules is not None:
            policy = run.policy or entry(run.arch).policy
            noise = noise_seed(run.seed, who.rank)
            how = meter.highest(), run.gradient_bits, noise, run.results, run.layer_bits or {}
            prepare_(model, Config(run.quantiser, policy, *how), inputs=task.example())
            self.precision = PrecisionRun(model, schedules, meter.steps)
        self.objective: nn.Module = Objective(model, task)
        if who.world > 1:
            # Weights of 1 × 1 kernels have two names for one layout in channels-last memory; nothing is slower for it.
            warnings.filterwarnings("ignore", "Grad strides do not match bucket view strides")
            # Statistics of batch normalisation are each process's own, as ranges are; the first one's are evaluated.
            # The argument's new name is not in every version of PyTorch yet.
            warnings.filterwarnings("ignore", ".*broadcast_buffers.* is deprecated")
            self.objective = DistributedDataParallel(self.objective, broadcast_buffers=False)
        self.optimizer = self._optimizer()

    def step(self, x: Tensor, target: Tensor, lr: float, number: int) -> tuple[float, int, int]:
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.zero_grad()
        loss, right, made = self.objective(x, target)
        value = loss.item()
        if not math.isfinite(value):
            raise TrainingError(f"the loss is {value} at step {number}: take a lower rate than {lr:g}, or more bits")
        loss.backward()
        if self.run.clip is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.run.clip)
        self.optimizer.step()
        if self.precision is not None:
            self.precision.step()
        return value, right, made

    def begin_evaluation(self) -> None:
        if self.precision is not None:
            self.precision.begin_evaluation()

    def end_evaluation(self) -> None:
        if self.precision is not None:
            self.precision.end_evaluation()

    def weights(self) -> dict[str, Any]:
        """The network, the ranges of its activations, and the bits."""
        precision = None if self.precision is None else self.precision.state_dict()
        return {"model": self.model.state_dict(), "precision": precision}

    def load_weights(self, content: dict[str, Any]) -> None:
        self.model.load_state_dict(content["model"])
        if self.precision is not None:
            self.precision.load_state_dict(content["precision"])

    def optimizer_state(self) -> dict[str, Any]:
        return self.optimizer.state_dict()

    def load_optimizer_state(self, state: dict[str, Any]) -> None:
        """The moments of each parameter, and the rate; all else is the settings'."""
        for index, parameter in enumerate(self.model.parameters()):
            found = {name: tuple(each.shape) for name, each in state["state"].get(index, {}).items()}
            wanted = {name: () if name == "step" else tuple(parameter.shape) for name in self._moments()}
            if found != wanted:
                raise ValueError(f"the optimiser has {found or 'nothing'} of parameter {index}, not {wanted}")
        (group,) = self.optimizer.state_dict()["param_groups"]
        group["lr"] = float(state["param_groups"][0]["lr"])
        self.optimizer.load_state_dict({"state": state["state"], "param_groups": [group]})

    def _moments(self) -> tuple[str, ...]:
        if self.run.optimiser == "adam":
            return "step", "exp_avg", "exp_avg_sq"
        return ("momentum_buffer",) if self.run.momentum else ()

    def _optimizer(self) -> torch.optim.Optimizer:
        run = self.run
        if run.optimiser == "adam":
            return torch.optim.AdamW(self.model.parameters(), run.lr, weight_decay=run.weight_decay)
        return torch.optim.SGD(self.model.parameters(), run.lr, run.momentum, weight_decay=run.weight_decay)


class WholeSteps:
    """A network in integers: the same on any number of threads, and on any processor."""

    repeats_anywhere = True

    def __init__(
        self, run: Settings, task: Task, model: nn.Module, meter: Meter, eval_bits: Bits, who: Processes
    ) -> None:
        assert isinstance(task, ImageTask)
        self.run, self.meter, self.who = run, meter, who
        forward, backward = (max(pair) for pair in zip(meter.highest(), eval_bits, strict=True))
        draw_weights(model, run.seed)
        self.network = IntegerNetwork(
            model,
            task.data.shape,
            task.batch // who.world,
            Bits(forward, backward),
            seed=noise_seed(run.seed, who.rank),
            momentum=run.momentum,
            weight_decay=run.weight_decay,
            widths=ABLATIONS[run.widths],
        )
        self.network.bits = Bits(*eval_bits)
        self.model: nn.Module = self.network
        self._state: dict[str, Any] | None = None  # of several processes: what the next step begins with
        # What each process's next ranges depend on.
        self._nodes = np.stack([self.network.integers.state()["nodes"]] * who.world)

    def step(self, x: Tensor, target: Tensor, lr: float, number: int) -> tuple[float, int, int]:
        bits = Bits(*self.meter.bits(number))
        if self.who.world == 1:
            loss, right = self.network.learn(x, target, bits, lr)
        else:
            loss, right = self._step_of_several(x, target, bits, lr)
        return loss, right, len(target)

    def _step_of_several(self, x: Tensor, target: Tensor, bits: Bits, lr: float) -> tuple[float, int]:
        step, who = self.network.integers, self.who
        before = self._state or step.state()
        found = self.network.learn(x, target, bits, lr)
        rates = Rates.of(lr, self.run.momentum, self.run.weight_decay)
        state = averaged(step.network, before, step.state(), rates, who.world, who.total, who.greatest)
        step.load(state)
        self._state, self._nodes = state, who.gathered(state["nodes"])
        return found

    def begin_evaluation(self) -> None:
        pass

    def end_evaluation(self) -> None:
        pass

    def weights(self) -> dict[str, Any]:
        return {"model": self.network.state_dict(), "precision": None}

    def load_weights(self, content: dict[str, Any]) -> None:
        self.network.load_state_dict(content["model"])
        self.network.integers.seed = noise_seed(self.run.seed, self.who.rank)
        self._state = None

    def optimizer_state(self) -> dict[str, Any]:
        """Velocities are among the weights; of several processes, what their own ranges depend on is not."""
        return {} if self.who.world == 1 else {"nodes": torch.from_numpy(self._nodes)}

    def load_optimizer_state(self, state: dict[str, Any]) -> None:
        if self.who.world > 1:
            self._nodes = state["nodes"].numpy()
            step = self.network.integers
            step.load(step.state() | {"nodes": self._nodes[self.who.rank]})
