"""The demonstration's training: static 8/8 bits and CPT's 3-8/8, whole steps in integers, on a small network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cpt_model.experiments.catalogue import RECIPE, STATIC_VS_CPT
from cpt_model.experiments.definition import Experiment

STEPS = {"fashion-mnist": 200, "cifar10": 200, "digits": 200}  # what the demonstration's minute allows
BATCH = 64
TESTED = 2_000  # test images, of which the accuracy of a run so short has its first two digits
FULL_STEPS, FULL_SEEDS = 1_000, 3


def demonstration(dataset: str, full: bool, changes: dict[str, Any]) -> Experiment:
    """On one of the data sets of STEPS, with another length or place of the data if wanted."""
    if dataset not in STEPS:
        raise ValueError(f"the demonstration has no data set '{dataset}'; there are: {', '.join(STEPS)}")
    variants = tuple(replace(each, paper=None) for each in STATIC_VS_CPT.variants[:2])
    scale = {
        "arch": f"{dataset.split('-')[0]}_resnet_8",
        "steps": FULL_STEPS if full else STEPS[dataset],
        "batch": BATCH,
        "step": "integer",
        "results": "rounded",  # as the accelerator stores them, which whole steps always do
        "warm_up": 20,
        "log_every": 5,
        "test_limit": None if full or dataset == "digits" else TESTED,
    }
    recipe = {**RECIPE, **scale, "dataset": dataset, **changes}
    return Experiment("demo", "Static or cyclic precision?", "", recipe, variants, FULL_SEEDS if full else 1)
