"""Training runs on a device with NumPy alone: settings, data, schedules, checkpoints, metrics."""
