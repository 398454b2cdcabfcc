"""Methods around training, with their plots: range test, landscape, SWA, Range BN."""
