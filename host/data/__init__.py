"""Image sets as arrays: read, cropped, flipped and normalised with NumPy alone."""
