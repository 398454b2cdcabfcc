"""Training a network of the papers at a scheduled precision: what `cpt train` does, as one function.

    train(settings: Settings, *, resume=False, overwrite=False, start_from=None, progress=True) -> Summary

    from cpt_model.training import Settings, train

    settings = Settings(arch="digits_resnet_8", dataset="digits", folder="out/digits", steps=500, batch=64,
                        fw_bits=(3, 8), bw_bits=(8,), schedule="CR", cycles=8, threads=1, seed=0)
    summary = train(settings, resume=True)
    print(summary.test_accuracy, summary.gbitops, summary.board_hours)

The folder of a run holds settings.json, metrics.jsonl, tensorboard/, last.pt, best.pt and, once it has ended,
summary.json. With `resume=True` a run that was stopped or killed goes on bit for bit, and one that has ended gives its
summary at once. Ctrl-C and SIGTERM raise `Stopped` after the checkpoint is written. `load_run(folder)` gives a run's
network back.
"""

from cpt_model.training.checkpoint import CheckpointError
from cpt_model.training.load import LoadedRun, load_run
from cpt_model.training.precision_plan import folder_name, precision_name
from cpt_model.training.settings import Settings, SettingsError
from cpt_model.training.summary import Summary, read_summary
from cpt_model.training.train import train
from host.training.journal import read_metrics
from host.training.signals import Stopped

__all__ = [
    "CheckpointError",
    "LoadedRun",
    "Settings",
    "SettingsError",
    "Stopped",
    "Summary",
    "folder_name",
    "load_run",
    "precision_name",
    "read_metrics",
    "read_summary",
    "train",
]
