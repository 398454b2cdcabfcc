"""One legend for all panels of a figure, below them."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cpt_model.drawing.style import colour
from cpt_model.reports.groups import Group
from cpt_model.reports.report import Report

LETTERS = 130  # that fit into a row
GREY = "#777777"


def below(figure: Figure, report: Report, score: str | None = None) -> None:
    """The groups' colours; with a score, how its lines and dots differ, else what is dashed."""
    shown = [(n, group) for n, group in enumerate(report.groups) if score is None or group.first.score == score]
    handles = [Line2D([], [], color=colour(number), label=_title(group)) for number, group in shown]
    if score is None:
        handles.append(Line2D([], [], color="#222222", linewidth=0.8, dashes=(7, 7), label="highest bits throughout"))
    else:
        part = shown[0][1].first.part
        handles.append(Line2D([], [], color=GREY, label="training, moving mean"))
        handles.append(Line2D([], [], color=GREY, marker="o", linestyle="", label=f"on the {part} set"))
    longest = max(len(str(handle.get_label())) for handle in handles)
    columns = min(len(handles), max(1, LETTERS // (longest + 6)))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)


def _title(group: Group) -> str:
    return group.name if len(group.runs) == 1 else f"{group.name} ({len(group.runs)} seeds)"
