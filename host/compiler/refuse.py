"""Refuses, in the layer's terms, what the accelerator would answer with an error code."""

from __future__ import annotations

from host.compiler.groups import Bundle
from host.compiler.layer import LayerError
from host.compiler.plan import PlanError
from sim.contract import MAX_OUT_BITS, Build, Command, Error, Flag, Format, Opcode, check_fields, on_chip_needs, terms


def refuse_what_cannot_run(command: Command, bundle: Bundle, build: Build) -> None:
    """Raises LayerError or PlanError with the reason; every check of the contract but addresses is made."""
    if command.opcode == Opcode.CONV and command.flag(Flag.ROW_SUMS) and bundle.groups > 1:
        raise LayerError(
            f"row sums need groups of whole blocks of 16 channels, here {bundle.group_in} to {bundle.group_out}: "
            "sim.reference.affine.group_row_sums computes them on the host"
        )
    error = check_fields(command.encode(), build)
    if error == Error.WIDTH:
        raise LayerError(f"requantised results of {command.out_bits} bits: the width must be in 1..{MAX_OUT_BITS}")
    if error == Error.OVERFLOW:
        raise LayerError(
            f"{terms(command):,} products of {command.a_bits} by {command.b_bits} bits (or their row sums) can "
            f"exceed the accumulator of {Format(command.out_format).name}: use fewer bits or a smaller batch"
        )
    if error == Error.CAPACITY:
        short = [
            f"{memory}: needs {need:,}, has {have:,}, {need - have:,} too few"
            for memory, (need, have) in on_chip_needs(command, build).items()
            if need > have
        ]
        raise PlanError(f"the pass does not fit the memories of {build.name} ({'; '.join(short)})")
    if error == Error.UNSUPPORTED:
        raise LayerError("a weight gradient is stored as words, not as PLANES: ask for INT16, INT32 or INT64")
    if error == Error.FORMAT:
        raise LayerError("width, shift and seed belong to requantised results (INT16, PLANES): exact ones have none")
    if error:
        raise LayerError(f"the accelerator would refuse this pass with error {error.name}: {command}")
