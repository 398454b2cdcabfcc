"""Runs that ended elsewhere: an experiment of many hours is put together from several sittings or machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cpt_model.experiments.definition import Experiment, ExperimentError, PlannedRun
from cpt_model.training import run_folder
from cpt_model.training.summary import Summary
from sim.common.json_file import read_json


def take_over(file: Path, wanted: Experiment, runs: Sequence[PlannedRun]) -> int:
    """Gives each planned run that ended in `file`, a saved NAME.json, the folder it would have had; their number."""
    content = read_json(file, ExperimentError)
    try:
        name, recipe = content["experiment"], content["recipe"]
        ended = {(each["variant"], each["seed"]): each for each in content["runs"]}
    except (KeyError, TypeError):
        raise ExperimentError(f"{file}: not the results of an experiment, as --save writes them") from None
    if name != wanted.name:
        raise ExperimentError(f"{file}: results of {name}, not of {wanted.name}")
    for key, value in json.loads(json.dumps(dict(wanted.recipe))).items():
        if recipe.get(key) != value:
            raise ExperimentError(f"{file}: runs with {key} = {recipe.get(key)}, these have {value}")
    taken = 0
    for run in runs:
        kept = ended.get((run.variant.title, run.seed))
        if kept is None or run_folder.finished(run.settings) is not None:
            continue
        values = {key: value for key, value in kept.items() if key in Summary.model_fields}
        summary = Summary(**{**values, "folder": str(run.folder)})
        run_folder.prepare(run.settings, resume=True, overwrite=False)
        summary.write()
        taken += 1
    return taken
