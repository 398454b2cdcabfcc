"""What runs beside the accelerator: the compiler from layers to command lists, and the driver. NumPy and pynq only."""
