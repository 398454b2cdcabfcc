"""Where the kit's files are: the folders that are read, and those that are written to."""

from __future__ import annotations

import os
from pathlib import Path

from sim.common.version import PROJECT, __version__

ROOT = PROJECT.parent
CHECKOUT = PROJECT.exists()  # else the kit is installed, and its own folders are not written to
HLS = ROOT / "hls"
VIVADO = ROOT / "vivado"
RTL = VIVADO / "rtl"
CACHE = Path(
    os.environ.get("CPT_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "cpt-kit" / __version__
)
OUT = ROOT / "out" if CHECKOUT else CACHE
INSTALLER = "'make setup'" if CHECKOUT else "an extra of cpt-kit (train, rtl or board)"  # of missing packages
