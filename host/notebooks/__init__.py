"""Notebooks, for a board or any machine: `pynq get-notebooks` copies them, Jupyter opens them where they are."""
