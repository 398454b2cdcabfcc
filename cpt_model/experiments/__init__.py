"""The papers' comparisons as experiments that can be run, stopped, continued and reported."""

from cpt_model.experiments.catalogue import CATALOGUE, experiment
from cpt_model.experiments.definition import Experiment, ExperimentError, PlannedRun, Variant, planned_runs

__all__ = ["CATALOGUE", "Experiment", "ExperimentError", "PlannedRun", "Variant", "experiment", "planned_runs"]
