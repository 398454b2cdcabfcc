"""Which runs stand together, and under which name."""

from __future__ import annotations

from pathlib import Path

from cpt_model.reports.groups import groups
from cpt_model.reports.runs import read_runs
from tests.cpt_model.reports.report_tools import leave_run


def names(folder: Path) -> dict[str, list[str]]:
    return {group.name: [run.name for run in group.runs] for group in groups(read_runs([folder])[0])}


def test_seeds_stand_together(tmp_path: Path) -> None:
    for seed in (0, 1):
        leave_run(tmp_path / f"cyclic-{seed}", seed=seed)
        leave_run(tmp_path / f"static-{seed}", seed=seed, fw_bits=(8,))
    assert names(tmp_path) == {"3-8/8 cpt x2": ["cyclic-0", "cyclic-1"], "8/8": ["static-0", "static-1"]}


def test_the_same_run_on_another_device_is_no_second_sample(tmp_path: Path) -> None:
    for name in ("desk", "board"):
        leave_run(tmp_path / name)
    assert sorted(names(tmp_path).values()) == [["board"], ["desk"]]


def test_what_else_differs_is_in_the_name(tmp_path: Path) -> None:
    leave_run(tmp_path / "a", lr=0.1)
    leave_run(tmp_path / "b", lr=0.2, augment=False)
    leave_run(tmp_path / "c", fw_bits=(8,), lr=0.3)
    assert names(tmp_path) == {
        "3-8/8 cpt x2, augment, lr 0.1": ["a"],
        "3-8/8 cpt x2, no augment, lr 0.2": ["b"],
        "8/8": ["c"],
    }


def test_networks_are_named_where_there_are_several(tmp_path: Path) -> None:
    leave_run(tmp_path / "a")
    leave_run(tmp_path / "b", arch="cifar10_resnet_20")
    assert list(names(tmp_path)) == ["cifar10_resnet_8 3-8/8 cpt x2", "cifar10_resnet_20 3-8/8 cpt x2"]


def test_the_longest_run_is_the_one_that_has_come_furthest(tmp_path: Path) -> None:
    leave_run(tmp_path / "a", done=8)
    leave_run(tmp_path / "b", done=20, seed=1)
    (group,) = groups(read_runs([tmp_path])[0])
    assert (group.first.name, group.longest.name) == ("a", "b")
