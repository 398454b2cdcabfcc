"""The PYNQ driver, the same code on the board and on simulated devices."""
