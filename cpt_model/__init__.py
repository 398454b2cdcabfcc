"""The PyTorch side: the matrix passes of a layer on integer codes."""
