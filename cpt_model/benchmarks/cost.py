"""Bit operations of a whole run of ResNet-164 (CPT 3-8/8, 64,000 iterations): by widths, compared with loops in Python.

And hours of such a run of ResNet-74 on our accelerator, at a batch of 128, by the latency model: of its whole steps,
and of its matrix passes, compared with SCALE-Sim v3's simulation of one forward pass of one image through them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from cpt_model.benchmarks import scale_sim
from cpt_model.benchmarks.timing import best_seconds, forget, mean_cpu_seconds
from cpt_model.cost import AS_PAPERS, ModelCount, Run, bit_operations, count_network
from cpt_model.cost.accelerator import PROFILES, AcceleratorBoard
from cpt_model.cost.whole_step import StepBoard
from cpt_model.schedules import as_schedule

LATENCY_OF = "cifar100_resnet_74"


def widths(run: Run) -> Iterator[tuple[int, int]]:
    """Of one iteration after the other."""
    backward = as_schedule(run.backward)
    for step in range(run.iterations):
        yield int(run.forward.bits(step, run.iterations)), int(backward.bits(step, run.iterations))


def by_iteration(count: ModelCount, run: Run) -> int:
    """One iteration after the other, the network's sum known: what a training loop would add up."""
    operations = count.operations * run.batch
    return sum(operations * (fw * fw + 2 * fw * bw) for fw, bw in widths(run))


def by_layer(count: ModelCount, run: Run) -> int:
    """The plain reading of the formula: every layer of every iteration, three passes each."""
    total = 0
    for fw, bw in widths(run):
        for layer in count.layers:
            operations = (layer.macs + 2 * layer.norm_elements) * run.batch
            total += operations * fw * fw + operations * fw * bw + operations * fw * bw
    return total


def measure(repeat: int) -> dict[str, float]:
    """Seconds of each way, and of tracing the network; all three give the same whole number."""
    count_network.cache_clear()
    tracing = best_seconds(lambda: count_network("cifar100_resnet_164"), 1)
    count, run = count_network("cifar100_resnet_164"), Run.named("3-8/8")
    answers = {bit_operations(count, run, AS_PAPERS), by_iteration(count, run), by_layer(count, run)}
    assert len(answers) == 1, answers
    results = {
        "trace_resnet164_seconds": tracing,
        "by_widths_seconds": best_seconds(lambda: bit_operations(count, run, AS_PAPERS), repeat),
        "loop_over_iterations_seconds": best_seconds(lambda: by_iteration(count, run), 1),
        "loop_over_iterations_and_layers_seconds": best_seconds(lambda: by_layer(count, run), 1),
    }
    results["loop_over_layers_to_by_widths"] = (
        results["loop_over_iterations_and_layers_seconds"] / results["by_widths_seconds"]
    )
    return results | measure_latency(repeat)


def measure_latency(repeat: int) -> dict[str, float]:
    """CPU seconds for the hours of a schedule, from shapes and from the network's name; SCALE-Sim's if it is here.

    Each of ours begins with empty caches. SCALE-Sim runs once, all layers. Its topology is ready before its time
    begins: tracing shapes is not its job.
    """
    count, run, board = count_network(LATENCY_OF), Run.named("3-8/8"), AcceleratorBoard(PROFILES["zc706"])

    def schedule() -> float:
        forget()
        return board.hours(count, run)

    def from_name() -> float:
        forget()
        return board.hours(count_network(LATENCY_OF), run)

    def whole_steps() -> float:
        forget()
        return StepBoard(LATENCY_OF, PROFILES["zc706"]).hours(count, run)

    results = {
        "resnet74_whole_step_hours_of_board": whole_steps(),
        "resnet74_whole_step_schedule_cpu_seconds": mean_cpu_seconds(whole_steps, repeat),
        "resnet74_schedule_hours_of_board": schedule(),
        "resnet74_schedule_cpu_seconds": mean_cpu_seconds(schedule, repeat),
        "resnet74_tracing_and_schedule_cpu_seconds": mean_cpu_seconds(from_name, repeat),
    }
    if not scale_sim.is_installed():
        print(scale_sim.HOW_TO_GET, file=sys.stderr)
        return results
    print("SCALE-Sim runs every layer of ResNet-74 once: minutes", file=sys.stderr)
    theirs = scale_sim.simulate(count)
    assert theirs.layers == sum(layer.quantised for layer in count.layers)
    return results | {
        "scale_sim_forward_pass_layers": float(theirs.layers),
        "scale_sim_forward_pass_cpu_seconds": theirs.cpu_seconds,
        "scale_sim_to_schedule": theirs.cpu_seconds / results["resnet74_schedule_cpu_seconds"],
        "scale_sim_to_tracing_and_schedule": theirs.cpu_seconds / results["resnet74_tracing_and_schedule_cpu_seconds"],
    }
