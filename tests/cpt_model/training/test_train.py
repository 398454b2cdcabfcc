"""Whole runs in this process: what they leave, what they refuse, and that they go on bit for bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from cpt_model import get_precision
from cpt_model.training import Settings, Stopped, Summary, load_run, read_metrics, read_summary, train
from cpt_model.training.checkpoint import load_checkpoint
from cpt_model.training.processes import Processes
from cpt_model.training.run_folder import held, prepare
from cpt_model.training.training import Training
from host.compiler.bits import Bits
from host.training.signals import Watch
from tests.cpt_model.training.run_tools import assert_equal, assert_same_run, tiny


def run(settings: Settings, **options: Any) -> Summary:
    return train(settings, progress=False, **options)


def stopped(settings: Settings, after: int) -> None:
    """A run that a signal ends after `after` steps, as the loop sees it."""

    class Later(Watch):
        @property
        def number(self) -> int:  # type: ignore[override]
            return 15 if training.done == after else 0

    torch.set_num_threads(1)
    training = Training(settings, Processes())
    prepare(settings, resume=False, overwrite=False)
    with pytest.raises(Stopped, match=f"after step {after}") as end:
        training.go(Later(), shown=False)
    assert end.value.code == 143


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    run(tiny(folder))
    return folder


def test_a_run_leaves_its_files(whole: Path) -> None:
    expected = {"settings.json", "metrics.jsonl", "last.pt", "best.pt", "summary.json", ".lock"}
    assert {path.name for path in whole.iterdir()} == expected
    assert Settings.from_dict(json.loads((whole / "settings.json").read_text())) == tiny(whole)
    lines = read_metrics(whole)
    steps = [line for line in lines if "loss" in line]
    assert [line["step"] for line in steps] == list(range(1, 13))
    assert [line["fw_bits"] for line in steps] == [3, 3, 4, 6, 7, 8] * 2
    assert [line["gbitops"] for line in steps] == sorted(line["gbitops"] for line in steps)
    tests = [line for line in lines if "test_accuracy" in line]
    assert [(line["step"], line["eval_fw_bits"], line["eval_bw_bits"]) for line in tests] == [
        (step, 8, 8) for step in (5, 10, 12)
    ]
    summary = read_summary(whole)
    assert summary is not None
    assert summary.test_accuracy == tests[-1]["test_accuracy"]
    assert summary.best_accuracy == max(line["test_accuracy"] for line in tests)
    assert summary.gbitops == steps[-1]["gbitops"]
    assert summary.saving_gbitops_pct == pytest.approx(
        100 * (1 - sum((b * b + 16 * b) for b in [3, 3, 4, 6, 7, 8]) / (6 * 192))
    )


@pytest.mark.parametrize("after", [1, 5, 12])
def test_a_stopped_run_goes_on_bit_for_bit(whole: Path, tmp_path: Path, after: int) -> None:
    stopped(tiny(tmp_path), after)
    assert not (tmp_path / "summary.json").exists()
    run(tiny(tmp_path), resume=True)
    assert_same_run(whole, tmp_path)


def test_a_run_goes_on_from_a_checkpoint_elsewhere(whole: Path, tmp_path: Path) -> None:
    stopped(tiny(tmp_path / "one"), 7)
    run(tiny(tmp_path / "two"), start_from=tmp_path / "one" / "last.pt")
    one, two = (load_checkpoint(folder / "last.pt") for folder in (whole, tmp_path / "two"))
    assert_equal(one["model"], two["model"])


def test_a_run_may_overwrite_the_checkpoint_it_goes_on_from(whole: Path, tmp_path: Path) -> None:
    stopped(tiny(tmp_path), 7)
    run(tiny(tmp_path), start_from=tmp_path / "last.pt", overwrite=True)
    one, two = (load_checkpoint(folder / "last.pt") for folder in (whole, tmp_path))
    assert_equal(one["model"], two["model"])


def test_a_finished_run_gives_its_summary_and_trains_no_more(whole: Path) -> None:
    before = (whole / "last.pt").stat().st_mtime_ns
    assert run(tiny(whole), resume=True) == read_summary(whole)
    assert (whole / "last.pt").stat().st_mtime_ns == before


def test_a_finished_run_whose_checkpoint_is_damaged_is_refused(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    run_of_it = tiny(tmp_path / "run")
    (tmp_path / "run" / "settings.json").write_text(json.dumps(run_of_it.to_dict()))
    data = bytearray((whole / "last.pt").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "run" / "last.pt").write_bytes(data)
    with pytest.raises(ValueError, match=r"last\.pt .*damaged"):
        run(run_of_it, resume=True)
    (tmp_path / "run" / "last.pt").unlink()  # removed by someone who wanted the space
    assert run(run_of_it, resume=True) == read_summary(tmp_path / "run")


def test_a_folder_with_a_run_is_refused_unless_told(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds a run already"):
        run(tiny(whole))
    with pytest.raises(ValueError, match="seed = 0, this one has 1"):
        run(tiny(whole, seed=1), resume=True)
    with pytest.raises(ValueError, match="test_limit = 20, this one has 19"):  # its accuracy would be another
        run(tiny(whole, test_limit=19), resume=True)
    stopped(tiny(tmp_path), 2)
    with pytest.raises(ValueError, match=r"lr = 0\.05, this one has 0\.1"):
        run(tiny(tmp_path, lr=0.1), resume=True)
    with pytest.raises(ValueError, match="threads = 1, here it is 2"):
        run(tiny(tmp_path, threads=2), resume=True)


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(ValueError, match="another process has it"):
        run(tiny(tmp_path), resume=True)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    run(tiny(tmp_path, steps=2, cycles=1), resume=True)


def test_overwriting_begins_anew(whole: Path, tmp_path: Path) -> None:
    stopped(tiny(tmp_path, seed=1), 3)
    (tmp_path / "notes.txt").write_text("mine")
    run(tiny(tmp_path), overwrite=True)
    assert_same_run(whole, tmp_path)
    assert (tmp_path / "notes.txt").exists()


def test_another_seed_is_another_run(whole: Path, tmp_path: Path) -> None:
    run(tiny(tmp_path, seed=1))
    one, two = (load_checkpoint(folder / "last.pt")["model"]["conv1.weight"] for folder in (whole, tmp_path))
    assert not torch.equal(one, two)


def test_evaluation_in_between_does_not_change_the_weights(whole: Path, tmp_path: Path) -> None:
    run(tiny(tmp_path, eval_every=1, test_limit=7, eval_bits=3))
    one, two = (load_checkpoint(folder / "last.pt")["model"] for folder in (whole, tmp_path))
    assert_equal(one, two)
    assert {line["eval_fw_bits"] for line in read_metrics(tmp_path) if "test_loss" in line} == {3}


def test_a_saved_run_is_evaluated_as_it_was(whole: Path) -> None:
    summary = read_summary(whole)
    assert summary is not None
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    loaded = load_run(whole)
    assert torch.equal(torch.rand(3), expected)  # the caller's numbers are not drawn from
    assert loaded.evaluate().loss == summary.test_loss
    assert get_precision(loaded.model) == Bits(8, 8)
    assert load_run(whole / "best.pt", eval_bits=2).evaluate().loss != summary.test_loss


def test_the_callers_threads_and_random_numbers_stay(tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    torch.set_num_threads(2)
    try:
        run(tiny(tmp_path, steps=2, cycles=1))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    "changes",
    [
        {"fw_bits": (0,), "schedule": None},
        {"quantiser": "dorefa"},
        {"quantiser": "wageubn", "gradient_bits": 8},
        {"optimiser": "adam", "lr": 0.001, "clip": 1.0, "late_start": 0.5},
        {"bw_bits": (6, 8), "lr_schedule": "cyclic", "lr_cycles": 3, "warm_up": 2, "every": 2},
        {"swa_start": 4, "swa_every": 3},
        {"results": "exact"},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_every_kind_of_run_goes_on_bit_for_bit(tmp_path: Path, changes: dict[str, Any]) -> None:
    run(tiny(tmp_path / "whole", steps=8, **changes))
    stopped(tiny(tmp_path / "stopped", steps=8, **changes), 5)
    run(tiny(tmp_path / "stopped", steps=8, **changes), resume=True)
    assert_same_run(tmp_path / "whole", tmp_path / "stopped")


def test_float32_is_not_quantised(tmp_path: Path) -> None:
    summary = run(tiny(tmp_path, fw_bits=(0,), schedule=None, steps=4))
    assert summary.precision == "float32"
    assert summary.board_hours is None
    assert load_checkpoint(tmp_path / "last.pt")["precision"] is None
    assert type(load_run(tmp_path).model.conv1) is torch.nn.Conv2d


def test_averaged_weights_are_the_mean(tmp_path: Path) -> None:
    kept = []
    for steps in (4, 6):
        run(tiny(tmp_path / str(steps), steps=steps, schedule=None, fw_bits=(8,), lr_schedule="constant"))
        kept.append(load_checkpoint(tmp_path / str(steps) / "last.pt")["model"]["conv1.weight"])
    changes = {"schedule": None, "fw_bits": (8,), "lr_schedule": "constant", "swa_start": 4, "swa_every": 2}
    summary = run(tiny(tmp_path / "swa", steps=6, **changes))
    averaged = load_checkpoint(tmp_path / "swa" / "swa.pt")["model"]["conv1.weight"]
    assert torch.allclose(averaged, (kept[0] + kept[1]) / 2, atol=1e-7)
    loaded = load_run(tmp_path / "swa" / "swa.pt").evaluate()
    assert summary.swa_accuracy == loaded.score
    assert load_checkpoint(tmp_path / "swa" / "swa.pt")["result"] == [loaded.loss, loaded.score]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cycles": 20}, "fewer than the 20 cycles"),
        ({"schedule": None, "deficit": (8, 8)}, "window ends at step 16"),
        ({"swa_start": 12}, "ends after 12 steps"),
        ({"batch": 100}, "has only 80"),
        ({"test_limit": 450}, "digits, test, has 449 images"),
        ({"arch": "resnet18"}, "takes images of 3 channels, digits has 1: take one of digits_resnet_8"),
        ({"dataset": "imagenet", "arch": "resnet18", "datadir": "nowhere"}, "nowhere"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        run(tiny(tmp_path / "run", **changes))
    assert not (tmp_path / "run").exists()


def test_a_small_set_makes_the_batch_smaller_if_allowed(tmp_path: Path) -> None:
    assert run(tiny(tmp_path, batch=100, fit_batch=True, steps=2, cycles=1)).batch == 80


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"step|layer"):
        run(tiny(tmp_path, fw_bits=(0,), schedule=None, lr=1e6))


def test_a_language_model_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """With dropout: its random numbers are a function of the step."""
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "the", "dog", "run", "to", "it"]
    for part, count in (("train", 600), ("valid", 90), ("test", 60)):
        text = " ".join(words[index * index % len(words)] for index in range(count))
        (tmp_path / f"{part}.txt").write_text(text + "\n")
    changes = {"arch": "lstm_lm_small", "dataset": "text", "datadir": str(tmp_path), "length": 5, "limit": None}
    settings = tiny(tmp_path / "whole", **changes, steps=6, test_limit=None, clip=5.0, lr=1.0)
    summary = run(settings)
    assert summary.test_accuracy is None
    assert summary.test_perplexity is not None
    assert 1 < summary.test_perplexity < 14
    lines = read_metrics(tmp_path / "whole")
    assert "valid_perplexity" in lines[-1]
    assert summary.best_perplexity == min(line.get("valid_perplexity", 99) for line in lines)
    stopped(settings.changed(folder=str(tmp_path / "stopped")), 3)
    run(settings.changed(folder=str(tmp_path / "stopped")), resume=True)
    assert_same_run(tmp_path / "whole", tmp_path / "stopped")
