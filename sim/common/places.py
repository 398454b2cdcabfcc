"""Where the kit's files are: the folders that are read, and the one that is written to."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HLS = ROOT / "hls"
VIVADO = ROOT / "vivado"
RTL = VIVADO / "rtl"
OUT = ROOT / "out"
