"""Colours that all plots share."""

# Of the three passes of a layer, by name; told apart by colour-blind readers too.
PASS_COLOURS = {"forward": "#4477aa", "input-error": "#ee6677", "weight-gradient": "#228833"}
