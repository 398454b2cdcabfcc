"""Bit operations of a whole run of ResNet-164 (CPT 3-8/8, 64,000 iterations): by widths, beside loops in Python."""

from __future__ import annotations

from cpt_model.cost import ModelCount, Run, bit_operations, count_network
from cpt_model.schedules import Schedule, Static
from scripts.benchmarks.timing import best_seconds


def by_iteration(count: ModelCount, run: Run) -> int:
    """One iteration after the other, the network's sum known: what a training loop would add up."""
    gradient = run.gradient if isinstance(run.gradient, Schedule) else Static(run.gradient)
    operations = count.operations * run.batch
    total = 0
    for step in range(run.iterations):
        fw, bw = int(run.forward.bits(step, run.iterations)), int(gradient.bits(step, run.iterations))
        total += operations * (fw * fw + 2 * fw * bw)
    return total


def by_layer(count: ModelCount, run: Run) -> int:
    """The plain reading of the formula: every layer of every iteration, three passes each."""
    gradient = run.gradient if isinstance(run.gradient, Schedule) else Static(run.gradient)
    total = 0
    for step in range(run.iterations):
        fw, bw = int(run.forward.bits(step, run.iterations)), int(gradient.bits(step, run.iterations))
        for layer in count.layers:
            operations = (layer.macs + 2 * layer.norm_elements) * run.batch
            total += operations * fw * fw + operations * fw * bw + operations * fw * bw
    return total


def measure(repeat: int) -> dict[str, float]:
    """Seconds of each way, and of tracing the network; all three give the same whole number."""
    count_network.cache_clear()
    tracing = best_seconds(lambda: count_network("cifar100_resnet_164"), 1)
    count, run = count_network("cifar100_resnet_164"), Run.named("3-8/8")
    answers = {bit_operations(count, run), by_iteration(count, run), by_layer(count, run)}
    assert len(answers) == 1, answers
    results = {
        "trace_resnet164_seconds": tracing,
        "by_widths_seconds": best_seconds(lambda: bit_operations(count, run), repeat),
        "loop_over_iterations_seconds": best_seconds(lambda: by_iteration(count, run), 1),
        "loop_over_iterations_and_layers_seconds": best_seconds(lambda: by_layer(count, run), 1),
    }
    results["loop_over_layers_to_by_widths"] = (
        results["loop_over_iterations_and_layers_seconds"] / results["by_widths_seconds"]
    )
    return results
