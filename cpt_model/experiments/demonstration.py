"""The demonstration's experiment: static 8/8 bits and CPT's 3-8/8 on a small network, within two minutes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cpt_model.experiments.catalogue import RECIPE, STATIC_VS_CPT
from cpt_model.experiments.definition import Experiment

# What about a minute and a half on two cores allows; digits need no download.
SEEDS = {"digits": 3, "fashion-mnist": 1, "cifar10": 1}
STEPS = 500


def demonstration(dataset: str, changes: dict[str, Any]) -> Experiment:
    """On one of the data sets of SEEDS, with another length or place of the data if wanted."""
    if dataset not in SEEDS:
        raise ValueError(f"the demonstration has no data set '{dataset}'; there are: {', '.join(SEEDS)}")
    variants = tuple(replace(each, paper=None) for each in STATIC_VS_CPT.variants[:2])
    scale = {"arch": f"{dataset.split('-')[0]}_resnet_8", "steps": STEPS, "log_every": 10, "warm_up": 20}
    recipe = {**RECIPE, **scale, "dataset": dataset, **changes}
    return Experiment("demo", "Static or cyclic precision?", "", recipe, variants, SEEDS[dataset])
