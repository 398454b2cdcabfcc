"""The parts of `cpt demo`: one layer, two training runs, hours of a long one, an iteration on the RTL."""
