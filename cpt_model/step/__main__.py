"""`python -m cpt_model.step`: the bytes that whole iterations move once their widths have settled, on random images."""

from __future__ import annotations

import argparse
import sys

import numpy as np
import torch

from cpt_model.step.machine import TensorDevice
from host.compiler.bits import Bits
from host.compiler.plan import PlanError
from host.compiler.step.networks import named
from host.compiler.step.traffic import traffic
from host.driver.integer_step import IntegerStep, random_parameters
from sim.common.flag_types import whole
from sim.common.leaving import run_and_leave

LR = 0.05


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m cpt_model.step", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--arch", default="cifar10_resnet_20", help="network (default: cifar10_resnet_20)")
    parser.add_argument("--batch", type=whole(), default=16, help="images of an iteration (default: 16)")
    parser.add_argument("--cycles", type=whole(), default=2, help="iterations at each width from 3 to 8 (default: 2)")
    parser.add_argument("--threads", type=whole(), default=1, help="number of PyTorch threads (default: 1)")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(chosen.threads)
    try:
        network = named(chosen.arch)
        step = IntegerStep(network, chosen.batch, TensorDevice(), random_parameters(network, 0))
    except (PlanError, ValueError) as problem:
        print(f"step: {problem}", file=sys.stderr)
        return 2
    rng, widths = np.random.default_rng(0), [Bits(forward, 8) for forward in range(3, 9)]
    for _ in range(chosen.cycles):
        for bits in widths:
            images = rng.normal(0, 1, (chosen.batch, *network.image))
            step.train(images, rng.integers(0, network.head.classes, chosen.batch), bits, LR)
    print(f"{chosen.arch}, batch {chosen.batch}, after {chosen.cycles} iterations at each width")
    print("bits  bytes of maps an element: forward  backward    all")
    for bits in widths:
        print(f"{bits.forward:2}/{bits.backward:<2}" + " " * 27 + traffic(step.lists(bits)).row())
    return 0


if __name__ == "__main__":
    run_and_leave(main)
