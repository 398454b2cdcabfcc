"""Parts of a self-contained HTML page: text, tables, embedded pictures. No script, no other file, no network."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.55 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.1rem;margin-top:2rem}
.wide{overflow-x:auto}.wide img{min-width:50rem}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
td,th{padding:.3rem .7rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}
td:first-child,th:first-child{text-align:left}
th{font-weight:600;border-bottom:2px solid #999;white-space:normal;vertical-align:bottom;line-height:1.25}
img{max-width:100%;background:#fff}p{max-width:48rem}
summary{cursor:pointer;margin:.6rem 0}details table{font-size:.86rem}details td,details th{padding:.2rem .5rem}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}}
""".strip()


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page.

    >>> page("a < b", [paragraph("text")]).splitlines()[-2:]
    ['<p>text</p>', '</body></html>']
    """
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    head += f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
    return "\n".join([head, f"<body><h1>{escape(title)}</h1>", *parts, "</body></html>"]) + "\n"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> str:
    """A table; wide ones scroll on their own."""
    lines = "\n".join(_row("td", row) for row in rows)
    above = f"{heading(title)}\n" if title else ""
    return f'{above}<div class="wide"><table>{_row("th", head)}\n{lines}</table></div>'


def picture(path: Path, what: str) -> str:
    """A PNG inside the page."""
    return _image("png", path.read_bytes(), what)


def drawing(svg: bytes, what: str) -> str:
    """An SVG inside the page, as an image: the names inside of one drawing cannot clash with another's."""
    return f'<div class="wide">{_image("svg+xml", svg, what)}</div>'


def folded(title: str, parts: Iterable[str]) -> str:
    """What opens at a click: long tables."""
    return "\n".join([f"<details><summary>{escape(title)}</summary>", *parts, "</details>"])


def _image(kind: str, content: bytes, what: str) -> str:
    return f'<img alt="{escape(what)}" src="data:image/{kind};base64,{base64.b64encode(content).decode()}">'


def _row(kind: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"
