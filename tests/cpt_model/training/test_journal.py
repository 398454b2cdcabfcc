"""Metrics are whole lines, of steps that were kept."""

from __future__ import annotations

from pathlib import Path

from cpt_model.training.training import summary_writer
from host.training.journal import Journal, read_metrics


def test_lines_past_the_checkpoint_and_half_lines_are_dropped(tmp_path: Path) -> None:
    with Journal(tmp_path, 0, 0) as journal:
        for step in (1, 2, 3):
            journal.write(step=step, loss=step / 2)
    with open(tmp_path / "metrics.jsonl", "a") as file:
        file.write('{"step": 2, "los')
    assert [line["step"] for line in read_metrics(tmp_path)] == [1, 2, 3]
    with Journal(tmp_path, 2, 0) as journal:
        journal.write(step=3, loss=9.0)
    assert read_metrics(tmp_path) == [{"step": 1, "loss": 0.5}, {"step": 2, "loss": 1.0}, {"step": 3, "loss": 9.0}]


def test_an_evaluation_that_will_be_done_again_leaves_no_second_line(tmp_path: Path) -> None:
    """The checkpoint was written after the step and before its evaluation, the kill came after both."""
    with Journal(tmp_path, 0, 0) as journal:
        journal.write(step=2, loss=1.0)
        journal.write(step=2, test_accuracy=50.0, eval_fw_bits=8)
    with Journal(tmp_path, 2, 2):
        assert len(read_metrics(tmp_path)) == 2
    with Journal(tmp_path, 2, 0):
        assert read_metrics(tmp_path) == [{"step": 2, "loss": 1.0}]


def test_a_new_run_begins_with_none(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"step": 1}\n')
    with Journal(tmp_path, 0, 0):
        assert read_metrics(tmp_path) == []


def test_tensorboard_gets_the_same_numbers(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with Journal(tmp_path, 0, 0, summary_writer(tmp_path, 0)) as journal:
        journal.write(step=5, loss=0.25, board_hours=None)
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert events.Tags()["scalars"] == ["loss"]
    assert [(event.step, event.value) for event in events.Scalars("loss")] == [(5, 0.25)]
