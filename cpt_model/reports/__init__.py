"""Pages about training runs: one self-contained HTML file, and the same numbers as JSON."""
