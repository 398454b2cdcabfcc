"""What runs on the host: the compiler from layers to command lists, and the driver. NumPy and pynq only.

>>> from host import Conv
>>> Conv(batch=8, in_channels=16, out_channels=32, height=32, width=32, kernel=(3, 3)).output_shape
(8, 32, 30, 30)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.common.lazy import lazy
from sim.common.version import __version__ as __version__

if TYPE_CHECKING:
    from host.compiler.bits import Bits as Bits
    from host.compiler.jobs import Step as Step
    from host.compiler.jobs import drawn_operands as drawn_operands
    from host.compiler.jobs import training_jobs as training_jobs
    from host.compiler.layer import Conv as Conv
    from host.compiler.layer import Pass as Pass
    from host.compiler.networks import cifar_resnet as cifar_resnet
    from host.compiler.precision import Output as Output
    from host.compiler.precision import Precision as Precision
    from host.driver.devices import open_device as open_device
    from host.driver.execute import run_pass as run_pass
    from host.driver.integer_step import IntegerStep as IntegerStep
    from host.driver.stream import Stream as Stream
    from sim.contract import Build as Build

# Where each name is defined; its module is imported on first use, and pynq only with those that need it.
HOMES = {
    "Bits": "host.compiler.bits",
    "Build": "sim.contract",
    "Conv": "host.compiler.layer",
    "IntegerStep": "host.driver.integer_step",
    "Output": "host.compiler.precision",
    "Pass": "host.compiler.layer",
    "Precision": "host.compiler.precision",
    "Step": "host.compiler.jobs",
    "Stream": "host.driver.stream",
    "cifar_resnet": "host.compiler.networks",
    "drawn_operands": "host.compiler.jobs",
    "open_device": "host.driver.devices",
    "run_pass": "host.driver.execute",
    "training_jobs": "host.compiler.jobs",
}
__all__ = list(HOMES)
__getattr__, __dir__ = lazy(__name__, HOMES)
