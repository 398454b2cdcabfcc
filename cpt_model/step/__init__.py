"""The whole training step in integers: command lists on unpacked tensors, fast, bit for bit as the contract says."""
