"""Methods around training, each with its plot: range test, landscape, SWA, Range BN."""
