"""The contract's layer arithmetic in PyTorch: codes, exact integer products, float32 results, bit for bit."""
