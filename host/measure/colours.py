"""The colour of each pass in every plot."""

from host.compiler.layer import Pass

COLOURS = {Pass.FORWARD: "#1b6ca8", Pass.INPUT_ERROR: "#e07b39", Pass.WEIGHT_GRADIENT: "#3a9d5d"}
