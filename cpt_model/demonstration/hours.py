"""Hours of the papers' ResNet-74 run on the zc706 core by the latency model, and how far that model is from the RTL."""

from __future__ import annotations

from dataclasses import dataclass

from cpt_model.cost.accelerator import PROFILES
from cpt_model.cost.run import BATCH, ITERATIONS, Run
from cpt_model.cost.whole_step import CREDIBLE_MHZ, places
from cpt_model.drawing.chart import Series, chart
from host.measure.model_error import STEPS, figures, step_errors
from sim.common.units import as_time

ARCH = "cifar10_resnet_74"


@dataclass(frozen=True)
class RunHours:
    """Of whole training steps; the model's error in per cent, on whole iterations of networks it was not fitted on."""

    cyclic: float
    static: float
    mean_error: float
    worst_error: float

    @property
    def saved(self) -> float:
        """Per cent."""
        return 100 * (1 - self.cyclic / self.static)


def run_hours() -> RunHours:
    whole = places(ARCH, Run.named("3-8/8"), Run.named("8/8"), PROFILES["zc706"])[0]
    every = [found for path in STEPS for found in step_errors(path).items()]
    errors = figures(dict(every)["zc706", "unseen"].networks)
    return RunHours(whole.hours[0], whole.static[0], errors["mean_pct"], errors["worst_pct"])


def cells(found: RunHours) -> tuple[list[str], list[list[str]]]:
    head = ["precision", f"time at {CREDIBLE_MHZ:g} MHz", "saved"]
    return head, [
        ["static 8/8", as_time(3600 * found.static), ""],
        ["CPT 3-8/8", as_time(3600 * found.cyclic), f"{found.saved:.1f} %"],
    ]


def about(found: RunHours) -> str:
    return (
        f"ResNet-74 on CIFAR-10, {ITERATIONS:,} whole iterations of {BATCH} images: an estimate for the zc706 core, "
        f"which no board has run. The model's error against the simulated RTL, on whole iterations of networks it was "
        f"not fitted on: {found.mean_error:.1f} % on average, {found.worst_error:.1f} % at worst."
    )


def picture(found: RunHours) -> str:
    series = [
        Series("static 8/8", "b8", [("hours", found.static, as_time(3600 * found.static))]),
        Series("CPT 3-8/8", "cycle", [("hours", found.cyclic, as_time(3600 * found.cyclic))]),
    ]
    return chart("Hours of the run, by the latency model", "bars", "hours", series=series)
