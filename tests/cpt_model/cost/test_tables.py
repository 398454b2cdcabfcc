"""The papers' numbers: how near ours are, and that each exception is explained by the paper itself."""

from __future__ import annotations

import pytest

from cpt_model.cost import paper_values as paper
from cpt_model.cost.tables import TABLES, Row, static_of

ROWS = [row for table in TABLES.values() for row in table()]


def rows(*tables: str, column: str) -> list[Row]:
    return [row for row in ROWS if row.table in tables and row.column == column]


def test_every_printed_number_has_its_row() -> None:
    cells = 2 * (len(paper.TABLE_2) + len(paper.TABLE_2_SAVINGS)) + len(paper.TABLE_3) + len(paper.TABLE_3_SAVINGS)
    cells += 6 + len(paper.TABLE_5_SAVINGS) + len(paper.FIGURE_5) + len(paper.BETTER_SCHEDULES)
    cells += 2 * len(paper.TABLE_2) + len(paper.TABLE_2_SAVINGS)  # again, on our accelerator
    assert len(ROWS) == len({(row.table, row.row, row.column) for row in ROWS}) == cells


def test_whole_runs_on_our_accelerator_are_given_at_both_clocks_and_shorter_than_the_papers() -> None:
    found = {(row.row, row.column): row for row in ROWS if row.table == "Table 2 on our zc706"}
    slow, fast = (found["ResNet-74 8/8", f"hours at {clock} MHz"] for clock in (100, 200))
    assert 5 < fast.ours < slow.ours < 2 * fast.ours, "the memory does not slow down with the core"
    assert all(row.ours < row.paper for row in found.values() if row.row.startswith("ResNet") and "hours" in row.column)
    assert 15 < found["ResNet-74 3-8/8", "latency saving (%)"].ours < 25


def test_every_note_belongs_to_a_row() -> None:
    assert set(paper.NOTES) <= {(row.table, row.row, row.column) for row in ROWS}


def test_consistent_bit_operations_within_half_a_per_cent() -> None:
    found = rows("Table 2", "Table 3", column="GBitOPs")
    consistent = [row for row in found if not row.note]
    assert len(found) == 24
    assert len(consistent) == 19
    assert max(abs(row.deviation_pct) for row in consistent) < 0.5


def test_inconsistent_bit_operations_are_near_or_a_misprint() -> None:
    noted = [row for row in rows("Table 2", "Table 3", column="GBitOPs") if row.note]
    misprint = [row for row in noted if abs(row.deviation_pct) > 0.6]
    assert [row.row for row in misprint] == ["ResNet-34 4-8/8"]
    assert misprint[0].ours == pytest.approx(4.03e9, rel=0.005)


def test_savings_of_figure_5_and_table_5_within_0_3_points() -> None:
    found = rows("Figure 5", "Table 5", column="GBitOPs saving (%)")
    assert [row.row for row in found if abs(row.deviation_pct) > 0.3] == ["Transformer 4-6/8"]
    assert max(abs(row.deviation_pct) for row in rows("Figure 5", column="GBitOPs saving (%)")) < 0.01


def test_the_transformers_printed_saving_is_not_its_schedules() -> None:
    """The table's other CPT rows follow from their schedules; this one would need fewer bits than 4, 5 and 6 have."""
    (row,) = [row for row in rows("Table 5", column="GBitOPs saving (%)") if row.row == "Transformer 4-6/8"]
    assert row.note
    assert row.ours == pytest.approx(100 * (1 - (80 + 105 + 132) / 3 / 132), abs=0.02)


def test_table_5_in_relation_to_its_8_8_rows() -> None:
    found = rows("Table 5", column="GBitOPs")
    assert all("8/8 row" in row.note for row in found)
    assert max(abs(row.deviation_pct) for row in found if row.row != "Transformer 4-6/8") < 0.65


def test_latency_of_every_resnet_within_1_4_per_cent() -> None:
    found = [row for row in rows("Table 2", column="latency (hour)") if row.row.startswith("ResNet")]
    assert len(found) == 8
    assert max(abs(row.deviation_pct) for row in found) < 1.4


def test_ten_schedules() -> None:
    found = rows("Better Schedules", column="GBitOPs saving (%)")
    assert len(found) == 10
    assert max(abs(row.deviation_pct) for row in found) <= 0.05


def test_notes_quote_the_paper_rightly() -> None:
    """What the notes say is in the printed values themselves."""
    hours = {(network, precision): value for network, precision, _, value, _ in paper.TABLE_2}
    ratios = [hours[network, "6/6"] / hours[network, "8/8"] for network in ("MobileNetV2", "ResNet-74", "ResNet-164")]
    assert [round(ratio, 3) for ratio in ratios] == [0.702, 0.744, 0.753]
    savings = [saving for _, precision, saving in paper.TABLE_3_SAVINGS if precision == "4-6/6"]
    assert savings == [21.1, 20.7, 20.9]
    operations = {(network, precision): value for network, precision, value, _ in paper.TABLE_3}
    for network, with_resnet_34 in (("ResNet-18", 1.28e9), ("ResNet-50", 2.88e9)):
        assert operations[network, "6/6"] * (1 - 0.207) == pytest.approx(with_resnet_34, rel=0.003)
    statics = {network: value for network, precision, value, *_ in paper.TABLE_2 if precision == "8/8"}
    left = 1 - dict(paper.FIGURE_5)["3-8/8"] / 100
    assert statics["ResNet-74"] * left == pytest.approx(1.69e8, rel=0.001)
    assert statics["ResNet-164"] * left == pytest.approx(3.83e8, rel=0.002)
    (_, at_8_8, others), *_ = paper.TABLE_5
    assert 192 * dict(others)["4-6/8"] / at_8_8 == pytest.approx(102.1, abs=0.05)
    assert (36 + 2 * 6 * 8) * (1 - paper.TABLE_5_SAVINGS[1][2] / 100) == pytest.approx(102.4, abs=0.05)


def test_static_counterparts() -> None:
    assert [static_of(text) for text in ("3-8/8", "5-6/8", "6/6")] == ["8/8", "6/8", "6/6"]
