"""Parts of a self-contained HTML page: text, tables, pictures, charts by a small script. No other file, no network."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

STYLE = """
:root{color-scheme:light dark;--page:#fff;--ink:#222;--faint:#6a6a6a;--rule:#ddd;
--b1:#8c3b00;--b2:#a33d00;--b3:#c2410c;--b4:#a16207;--b5:#4d7c0f;--b6:#047857;--b7:#0e7490;--b8:#1d4ed8;--b9:#4338ca;
--cycle:#be185d;--float:#737373;--p1:#1d4ed8;--p2:#c2410c;--p3:#047857;--p4:#a16207;--p5:#7e22ce;--p6:#0e7490;--p7:#525252}
@media(prefers-color-scheme:dark){:root{--page:#181818;--ink:#ddd;--faint:#a3a3a3;--rule:#444;
--b1:#fdba74;--b2:#fdba74;--b3:#fb923c;--b4:#facc15;--b5:#a3e635;--b6:#34d399;--b7:#22d3ee;--b8:#7ea6ff;--b9:#a5b4fc;
--cycle:#f472b6;--float:#a3a3a3;--p1:#7ea6ff;--p2:#fb923c;--p3:#34d399;--p4:#facc15;--p5:#c084fc;--p6:#22d3ee;--p7:#b5b5b5}}
body{font:15px/1.55 system-ui,sans-serif;max-width:62rem;margin:1.5rem auto;padding:0 1rem;color:var(--ink);
background:var(--page)}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.15rem;margin-top:2.2rem}.found{font-size:1.15rem;font-weight:600}
.about{color:var(--faint);font-size:.85rem;overflow-wrap:anywhere}
.wide{overflow-x:auto}.wide img{min-width:50rem}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
td,th{padding:.3rem .7rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
td:first-child,th:first-child{text-align:left}
th{font-weight:600;border-bottom:2px solid var(--faint);white-space:normal;vertical-align:bottom;line-height:1.25}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid}
th[aria-sort=ascending] button::after{content:" \\2191"}th[aria-sort=descending] button::after{content:" \\2193"}
img{max-width:100%;background:#fff}p{max-width:48rem;overflow-wrap:break-word}
summary{cursor:pointer;margin:.6rem 0}details table{font-size:.86rem}details td,details th{padding:.2rem .5rem}
figure{margin:1rem 0}figcaption{font-weight:600}.plot{position:relative}
.plot text{font-size:12px;fill:var(--ink)}.plot .label{fill:var(--faint)}
.grid{stroke:var(--rule)}.axis{stroke:var(--faint)}
.line{fill:none;stroke-width:2}.dot{stroke-width:1.5}.dot:hover,.dot:focus,
.bar:hover,.bar:focus{stroke:var(--ink);stroke-width:2}
.tip{position:absolute;max-width:18rem;padding:.2rem .5rem;background:var(--ink);color:var(--page);font-size:.82rem;
pointer-events:none;border-radius:3px}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.86rem}.key i{display:inline-block;width:1.3em;height:.7em;
margin-right:.4em;border:2px solid}.key i.round{width:.6em;height:.6em;border-radius:50%}
.key.dashed i{border-style:dashed}
.slider{display:flex;flex-wrap:wrap;gap:.6rem;margin:.4rem 0;align-items:center}.slider input{flex:0 1 14rem}
""".strip()
SCRIPT = Path(__file__).with_name("charts.js")


def page(title: str, parts: Iterable[str], refresh: int | None = None) -> str:
    """A whole page; one that is still growing is read again by the browser every `refresh` seconds.

    >>> page("a < b", [paragraph("text")]).split("</head>")[1].splitlines()[1:3]
    ['<body><h1>a &lt; b</h1>', '<p>text</p>']
    """
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    head += f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    head += f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
    script = f"<script>\n{SCRIPT.read_text(encoding='utf-8')}</script>"
    return "\n".join([head, f"<body><h1>{escape(title)}</h1>", *parts, script, "</body></html>"]) + "\n"


def found(text: str) -> str:
    """The one sentence that says what was found."""
    return f'<p class="found">{escape(text)}</p>'


def about(text: str) -> str:
    """When, from which commit and by which command a page was made."""
    return f'<p class="about">{escape(text)}</p>'


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
    return f'<img alt="{escape(what)}" src="data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}">'


def folded(title: str, parts: Iterable[str]) -> str:
    """What opens at a click: long tables."""
    return "\n".join([f"<details><summary>{escape(title)}</summary>", *parts, "</details>"])


def _row(kind: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"
