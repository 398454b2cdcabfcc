"""The host's share on the board, from instructions that were counted on an emulated one."""

from __future__ import annotations

from cpt_model.benchmarks import board


def test_the_host_is_hidden_but_for_the_head_and_the_start_of_lists() -> None:
    found = board.measure(1)
    shown = sum(found[f"host_ms {part}"] for part in board.BETWEEN)
    for mhz in (100, 200):
        lists, share = found[f"lists_ms at {mhz} MHz"], found[f"host_not_hidden_percent at {mhz} MHz"]
        assert lists > found["host_ms packing, on the second core"]
        assert abs(share - 100 * shown / (shown + lists)) < 1e-9
        assert share <= 5


def test_what_an_instruction_and_a_call_take() -> None:
    assert abs(board.milliseconds(333_500, 0) - 1) < 1e-9
    assert abs(board.milliseconds(0, 200) - 1) < 1e-9
