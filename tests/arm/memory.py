"""What ResNet-74 with batch 128 takes of a board with 1 GB: the region in one piece, and the host's own memory."""

from __future__ import annotations

import resource

import numpy as np

from host.compiler.bits import Bits
from host.compiler.command_list import CommandList
from host.compiler.plan import Plan
from host.compiler.step.initial import drawn_parameters
from host.compiler.step.networks import named
from host.driver.integer_step import IntegerStep
from host.driver.machine import Planes, Work
from sim.contract import Build

BOARD = 1 << 30


class Nothing(Planes):
    """A machine whose lists do nothing: what is looked at is the host."""

    def __init__(self, plan: Plan) -> None:
        self.build, self.memory = Build.named("zc706"), np.zeros(plan.bytes, np.uint8)

    def wrote(self, start: int, end: int) -> None: ...
    def reads(self, start: int, end: int) -> None: ...
    def run(self, commands: CommandList, what: str, meanwhile: Work | None = None) -> None: ...
    def close(self) -> None: ...


class NothingDevice:
    build = Build.named("zc706")

    def machine(self, plan: Plan) -> Nothing:
        return Nothing(plan)


def main() -> None:
    network, batch = named("cifar10_resnet_74"), 128
    step = IntegerStep(network, batch, NothingDevice(), drawn_parameters(network, 0))
    region = step.machine.memory.size
    step.machine.memory[:] = 0  # every page of it
    images, labels = np.zeros((batch, *network.image), np.float32), np.zeros(batch, np.int64)
    step.train(images, labels, Bits(3, 8), 0.1)
    step.train(images, labels, Bits(8, 8), 0.1)
    step.state()
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"ResNet-74, batch {batch}: region {region / 1e6:.0f} MB in one piece, process {most / 1e6:.0f} MB with it")
    assert most < 0.75 * BOARD, "a board has 1 GB, and Linux wants some of it"


if __name__ == "__main__":
    main()
