"""A prepared model as a QONNX file, for FINN, hls4ml and whatever else reads ONNX with quantisers.

Weights are whole numbers, each operand of a quantised product has a `Quant` node; all else is plain ONNX. Products are
float32 ones of quantised values: as in evaluation with exact results, but for float rounding, and for halves between
two codes of WAGEUBN, which go to the even code here and to the even distance from the least code there. Rounded results
have no node.
"""

from __future__ import annotations

import copy
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from cpt_model.export.stand_in import CODES, ExportedProducts
from cpt_model.model_precision import layer_states, precision, prepared_layers
from host.compiler.bits import Bits
from sim.common.files import write_atomically

OPSET = 18
NEEDED = ("onnx", "onnxscript")
FEWEST_BITS = 2  # QONNX has another node for one bit


def export_qonnx(
    model: nn.Module,
    inputs: Tensor | tuple[Tensor, ...],
    path: str | Path,
    bits: Bits | tuple[int, int] | int | None = None,
) -> Path:
    """Writes the model as it is evaluated; the model itself is not changed.

    Args:
        model: a prepared model that has been trained, or whose ranges `update_statistics` has measured.
        inputs: an example of what it is called with; the file is for these shapes.
        path: of the file, which is written whole or not at all.
        bits: precision; by default that in force.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(f"export to QONNX needs the package '{missing[0]}': pip install 'cpt-kit[export]'")
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    layer_states(model)  # refuses a model that is not prepared
    exported = copy.deepcopy(model).eval()
    with nullcontext() if bits is None else precision(exported, bits):
        _check(exported)
        content = _traced(exported, given)
    write_atomically(Path(path), content)
    return Path(path)


def _check(model: nn.Module) -> None:
    for name, state in layer_states(model).items():
        if 0 < state.bits.forward < FEWEST_BITS:
            raise ValueError(f"layer '{name}' has {state.bits.forward} bit: from {FEWEST_BITS} on they can be exported")
        empty = [what for what, seen in state.ranges.items() if seen.is_empty]
        if empty and state.bits.forward:
            raise ValueError(
                f"layer '{name}' has no range of '{empty[0]}' yet: train the model, or measure with update_statistics"
            )


def _traced(model: nn.Module, inputs: tuple[Tensor, ...]) -> bytes:
    """The file's bytes."""
    products = []
    for module in prepared_layers(model).values():
        state: Any = module.cpt
        state.stand_in = ExportedProducts(module, state)
        products.append(state.stand_in)
    with torch.no_grad():
        model(*inputs)
        for each in products:
            each.traced = True
        program = torch.onnx.export(model, inputs, dynamo=True, optimize=False, opset_version=OPSET, verbose=False)
    assert program is not None
    _simplify(program.model)
    file = program.model_proto
    sets = sorted(file.opset_import, key=lambda each: str(each.domain))  # ONNX's own first: qonnx reads the first
    del file.opset_import[:]
    file.opset_import.extend(sets)
    return bytes(file.SerializeToString())


def _simplify(graph: Any) -> None:
    """Without sequences and other detours, which few tools read; whole numbers are not folded into float values."""
    from onnxscript.optimizer import optimize_ir

    def should_fold(node: Any) -> bool | None:
        of_codes = node.op_type == "Cast" and str(node.inputs[0].name).endswith(CODES)
        return False if of_codes else None

    optimize_ir(graph, should_fold=should_fold)
