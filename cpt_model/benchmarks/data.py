"""Batches of 128 CIFAR-10 images (crop, flip, normalise), and their share of a bit-exact ResNet-20 CPT 3-8/8 step.

Where CIFAR-10 is not in the cache, random pixels of the same shape stand in: `real_cifar10` says which it was.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from cpt_model import Bits, prepare_, set_precision
from cpt_model.benchmarks.timing import threads
from cpt_model.benchmarks.train import BATCH, THREADS, WIDTHS, Contestant
from cpt_model.data import DataError, ImageData, Images, TrainingBatches, load_images
from host.data.images import ImageSource

BATCHES = 200


def _pixels() -> tuple[ImageSource, bool]:
    try:
        return load_images("cifar10"), True
    except DataError:
        pixels = np.random.default_rng(0).integers(0, 256, (50_000, 32, 32, 3), np.uint8)
        part = Images(pixels, np.arange(50_000) % 10)
        return ImageData("noise", 10, (0.5,) * 3, (0.25,) * 3, part, part, padding=4, flip=True), False


def batch_seconds(batches: TrainingBatches) -> list[float]:
    seconds = []
    for step in range(BATCHES + 1):
        start = time.perf_counter()
        batches[step]
        seconds.append(time.perf_counter() - start)
    return seconds[1:]  # the first one orders the epoch


def measure(repeat: int) -> dict[str, float]:
    """Milliseconds of a batch alone, then steps with the data in them, widths 3, 4, ..., 8 in turn."""
    data, real = _pixels()
    batches = TrainingBatches(data, BATCH, seed=0)
    start = time.perf_counter()
    batches[0]
    first = time.perf_counter() - start
    alone = {}
    for number in (1, THREADS):
        with threads(number):
            alone[number] = np.array(batch_seconds(batches))
    with threads(THREADS):
        contestant = Contestant(prepare_, torch.channels_last)
        reading = []
        for step in range(WIDTHS * (repeat + 1)):
            start = time.perf_counter()
            contestant.images, contestant.labels = batches[step]
            reading.append(time.perf_counter() - start)
            set_precision(contestant.model, Bits(3 + step % WIDTHS, 8))
            contestant.step()
    data_seconds, step_seconds = (np.array(times[WIDTHS:]) for times in (reading, contestant.seconds))
    return {
        "real_cifar10": float(real),
        "first_batch_of_a_run_ms": 1e3 * first,
        **{f"batch_ms_{number}_threads_median": 1e3 * float(np.median(times)) for number, times in alone.items()},
        "batch_ms_within_training_median": 1e3 * float(np.median(data_seconds)),
        "step_without_data_ms_median": 1e3 * float(np.median(step_seconds)),
        "data_share_of_step_percent": 100 * float(data_seconds.sum() / (data_seconds + step_seconds).sum()),
    }
