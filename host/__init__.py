"""What runs beside the accelerator: the compiler from layers to command lists. NumPy only."""
