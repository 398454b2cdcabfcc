"""The `cpt` command and the jobs behind its sub-commands."""

import os
import sys

from scripts.ending import watch_interrupts

if os.path.basename(sys.argv[0]) in ("cpt", "-m"):  # before a command's imports begin
    watch_interrupts()
