"""Cyclic precision inside other people's training loops: Lightning and the Hugging Face Trainer. Both are optional."""

from cpt_model.callbacks.huggingface import HuggingFacePrecision
from cpt_model.callbacks.lightning import LightningPrecision
from cpt_model.precision_run import Plan

__all__ = ["HuggingFacePrecision", "LightningPrecision", "Plan"]
