"""Golden data: saved, loaded, and refusing whatever differs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from cpt_model.arithmetic.integer import integer_pass
from host.compiler.bits import Bits
from host.compiler.jobs import Job, Step, drawn_operands, training_jobs
from host.compiler.layer import Conv, Pass
from host.compiler.results import Results
from host.measure.golden import Golden, GoldenError, digest, job_key

LAYERS = {"a": Conv(2, 5, 7, 4, 4, (3, 3), (2, 2), (1, 1)), "b": Conv(2, 5, 7, 4, 4, (3, 3), (2, 2), (1, 1))}
STEPS = (Step(0, Bits(3, 8)), Step(9, Bits(4, 8)))


@pytest.fixture
def golden() -> Golden:
    return Golden.made("net", LAYERS, STEPS, training_jobs(LAYERS, STEPS), Results.EXACT, integer_pass)


def test_a_result_is_accepted_and_one_wrong_bit_is_not(golden: Golden) -> None:
    job = Job("a", LAYERS["a"], Pass.FORWARD, STEPS[0])
    result = np.array(integer_pass(job.layer, job.which, *drawn_operands(job)))
    golden.check(job, result, None)
    result[1, 2, 1, 0] ^= 1
    with pytest.raises(GoldenError, match="iteration 0, a, forward pass at 3/8 bits: the results differ"):
        golden.check(job, result, None)


def test_row_sums_count_too() -> None:
    assert digest(np.array([1]), np.array([2])) != digest(np.array([1]), np.array([3]))


def test_layers_of_one_shape_share_their_data(golden: Golden) -> None:
    assert len(golden.digests) == len(STEPS) * len(Pass)
    assert job_key(Job("a", LAYERS["a"], Pass.FORWARD, STEPS[0])) == job_key(
        Job("b", LAYERS["b"], Pass.FORWARD, Step(77, Bits(3, 5)))
    )


def test_a_file_gives_the_same_data_back(golden: Golden, tmp_path: Path) -> None:
    golden.save(tmp_path / "folder" / "golden.json")
    assert Golden.load(tmp_path / "folder" / "golden.json") == golden


def test_a_pass_that_was_not_exported_is_named(golden: Golden) -> None:
    with pytest.raises(GoldenError, match="a, forward pass at 5/8 bits: the golden data has no such pass"):
        golden.check(Job("a", LAYERS["a"], Pass.FORWARD, Step(1, Bits(5, 8))), np.zeros(1, int), None)


OTHERS = [
    ("{", "not JSON"),
    ("[" * 10_000, "nested too deeply"),
    ("[]", "expected an object with format, network, "),
    ("{}", "'format' is missing"),
    (json.dumps({"format": 2}), "format = 2 is not 1"),
    (json.dumps({"format": 1, "layers": []}), "'network' is missing"),
]


@pytest.mark.parametrize(("text", "message"), OTHERS)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(GoldenError, match=message):
        Golden.load(tmp_path / "x.json")


def test_a_board_without_pydantic_reads_and_refuses_too(
    golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "host.measure.golden_file", None)  # as if it could not be imported
    golden.save(tmp_path / "golden.json")
    assert Golden.load(tmp_path / "golden.json") == golden
    for text, _ in OTHERS:
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(GoldenError, match=r"x\.json: "):
            Golden.load(tmp_path / "x.json")
