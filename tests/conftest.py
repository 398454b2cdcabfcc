"""Hypothesis runs the same examples every time, without a time limit for one of them."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
