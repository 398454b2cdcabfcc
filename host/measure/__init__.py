"""Latencies of passes: measured, simulated and predicted; golden data to check them with."""
