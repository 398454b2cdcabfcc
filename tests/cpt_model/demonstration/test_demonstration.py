"""The parts of the demonstration, each by itself."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from cpt_model.demonstration import on_core, one_layer
from cpt_model.demonstration.recipe import STEPS, demonstration
from cpt_model.demonstration.watching import LETTERS, Watch, pictures, staircase
from cpt_model.experiments import planned_runs
from cpt_model.training import Settings, train
from host.compiler.bits import Bits
from host.measure.step_time import Work
from sim.contract import COMMAND_BYTES, NOTHING, Counters, Memory, Outcome
from sim.reference import Reference
from tests.tools import TINY


@pytest.mark.parametrize("dataset", STEPS)
def test_every_data_set_has_a_network_that_runs_whole_steps(dataset: str, tmp_path: Path) -> None:
    runs = planned_runs(demonstration(dataset, False, {"steps": 40}), [0], tmp_path)
    assert [run.settings.fw_bits for run in runs] == [(8,), (3, 8)]
    assert {(run.settings.dataset, run.settings.step, run.settings.steps) for run in runs} == {(dataset, "integer", 40)}


def test_the_staircase_rises_twice_and_stops_where_the_run_is(tmp_path: Path) -> None:
    static, cyclic = planned_runs(demonstration("digits", False, {"steps": 100}), [0], tmp_path)
    assert staircase(static) == "█" * LETTERS
    whole = staircase(cyclic)
    assert len(whole) == LETTERS
    assert (whole[0], whole[-1], whole.count("█▃")) == ("▃", "█", 1)
    assert staircase(cyclic, 50) == whole[: LETTERS // 2] + "·" * (LETTERS // 2)


def test_the_layer_says_where_memory_takes_over() -> None:
    found = one_layer.rows()
    assert [row.bits.forward for row in found] == [8, 7, 6, 5, 4, 3]
    assert [row.waits_for_memory for row in found] == sorted(row.waits_for_memory for row in found)
    first = next(row for row in found if row.waits_for_memory)
    assert f"From {first.bits} down" in one_layer.turn(found)
    assert "array decides" in one_layer.turn(found[:1])
    assert all(row.forward > found[0].forward * (row.bits.forward / 8) ** 2 for row in found[2:])  # bits alone: less


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run of whole integer steps."""
    folder = tmp_path_factory.mktemp("run")
    network = {"arch": "digits_resnet_8", "dataset": "digits", "step": "integer", "folder": str(folder)}
    scale = {"steps": 3, "batch": 8, "limit": 64, "test_limit": 8, "fw_bits": [3, 8], "cycles": 1}
    train(Settings.from_dict({**network, **scale, "tensorboard": False}), progress=False)
    return folder


class TenCycles(Reference):
    """The reference, with ten cycles for each command."""

    commands: list[Counters]

    def run(
        self, memory: Memory, list_offset: int, list_bytes: int, mem_base: int = 0, mem_bytes: int | None = None
    ) -> Outcome:
        self.commands = [replace(NOTHING, total=10)] * (list_bytes // COMMAND_BYTES)
        return super().run(memory, list_offset, list_bytes, mem_base, mem_bytes)


def test_an_iteration_from_a_runs_weights_is_pytorchs_and_counted_by_layer_and_work(trained: Path) -> None:
    high, low = (
        on_core.iteration(str(trained), Bits(forward, 8), batch=2, executor=TenCycles(TINY)) for forward in (8, 3)
    )
    assert high.equal
    assert low.equal
    assert on_core.read(json.dumps(asdict(high))) == high  # as it comes from a process of its own
    assert set(high.by(1)) == {work.value for work in Work}
    assert high.total == sum(high.by(0).values()) == sum(high.by(1).values())
    head, rows = on_core.cells([high, low], 1, "work")
    assert head == ["work", "cycles at 8/8", "at 3/8", "saved"]
    assert rows[-1][:2] == ["total", f"{high.total:,}"]
    assert "are equal to PyTorch's" in on_core.about([high, low])
    assert "are DIFFERENT to" not in on_core.about([high, low])
    assert "DIFFERENT" in on_core.about([high, replace(low, equal=False)])


def test_the_watch_prints_a_line_and_lets_the_page_grow(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = planned_runs(demonstration("digits", False, {"steps": 10}), [0], tmp_path)
    (tmp_path / "cpt-3-8-8-seed0").mkdir()
    line = '{"step": 5, "loss": 1.0, "accuracy": 50.0, "gbitops": 1.0}\n'
    (tmp_path / "cpt-3-8-8-seed0" / "metrics.jsonl").write_text(line)
    grown = []
    watch = Watch(runs, lambda: grown.append(1))
    watch(runs)
    watch(runs)  # too soon for another line
    assert capsys.readouterr().out.splitlines() == [f"  step    5 of 10  {staircase(runs[1], 5)}  CPT 3-8/8 50 %"]
    assert len(grown) == 1
    assert len(pictures(runs)) == 2
