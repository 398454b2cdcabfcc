"""What `cpt bench NAME` measures: a module a benchmark, each with `measure(repeat)` that gives names and numbers."""
