"""Prepared models in the files of other tools."""
