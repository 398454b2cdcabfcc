"""What a model multiplies, found by running it once: each product, its shape, and the layer that computes it."""
