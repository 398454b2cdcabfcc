"""Does this machine's float32 convolution add whole numbers exactly? Asked once, by trying.

Fast algorithms (Winograd, FFT) and reduced precisions (TF32, bfloat16) do not; PyTorch may choose them on some devices
or when asked to. Where the trial fails, products run in float64.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch.nn import functional


def float32_is_exact(device: torch.device) -> bool:
    """For convolutions and matrix products, with the settings in force."""
    backends: Any = torch.backends
    cpu = device.type == "cpu"
    conv, matmul = (
        (backends.mkldnn.conv, backends.mkldnn.matmul) if cpu else (backends.cudnn.conv, backends.cuda.matmul)
    )
    return _probe(device, backends.mkldnn.enabled, conv.fp32_precision, matmul.fp32_precision)


@lru_cache
def _probe(device: torch.device, *_settings: object) -> bool:
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(0, 256, (16, 32, 14, 14), generator=generator).float().to(device)
    w = torch.randint(-128, 128, (32, 32, 3, 3), generator=generator).float().to(device)
    with torch.no_grad(), torch.autocast(device.type, enabled=False):
        for layout in (torch.contiguous_format, torch.channels_last):
            got = functional.conv2d(x.to(memory_format=layout), w.to(memory_format=layout), padding=1)
            if not torch.equal(got.double(), functional.conv2d(x.double(), w.double(), padding=1)):
                return False
        rows, columns = x.flatten(1)[:, :256], w.flatten(1)
        rows = rows.repeat(1, 2)[:, : columns.shape[1]]
        columns = columns[:, : rows.shape[1]]
        return torch.equal((rows @ columns.T).double(), rows.double() @ columns.double().T)
