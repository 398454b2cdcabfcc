"""QONNX files, run by qonnx's own executor against our evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from cpt_model import Config, export_qonnx, get_precision, prepare_, set_precision
from tests.cpt_model.qonnx_tools import executed

pytest.importorskip("qonnx", reason="pip install -e '.[export]'")
pytest.importorskip("onnxscript", reason="pip install -e '.[export]'")
# Other people's.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning:torch.*")


def net() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()),
        *(nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=2, bias=False), nn.BatchNorm2d(8), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(128, 6), nn.ReLU(), nn.Linear(6, 4)),
    )


class Attends(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.recurrent, self.attention = nn.LSTM(5, 8), nn.MultiheadAttention(8, 2)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        x, _ = self.recurrent(x)
        x, _ = self.attention(x, x, x)
        return self.head(x)


def trained(model: nn.Module, x: Tensor, config: Config) -> nn.Module:
    """Whose ranges have seen three batches."""
    prepare_(model, config)
    for _ in range(3):
        model(x + 0.1 * torch.randn_like(x))
    return model.eval()


@pytest.mark.parametrize("bits", [2, 4, 8, 12])
@pytest.mark.parametrize("quantiser", ["sbm", "dorefa", "wageubn"])
def test_the_executor_agrees_with_our_evaluation(quantiser: str, bits: int, tmp_path: Path) -> None:
    torch.manual_seed(bits)
    x = torch.randn(4, 3, 8, 8)
    model = trained(net(), x, Config(quantiser, bits=(bits, 8), results="exact", policy="none"))
    theirs = executed(export_qonnx(model, x, tmp_path / "net.onnx"), x)
    with torch.no_grad():
        ours = model(x)
    # A value on the edge between two codes may fall to the other side: then a result is off by a step.
    close = (ours - theirs).abs() <= 1e-4 * ours.abs().max()
    assert close.float().mean() >= 0.9
    assert ((ours - theirs).norm() / ours.norm()).item() < 0.02


def test_weights_are_whole_numbers_and_quantisers_nodes(tmp_path: Path) -> None:
    import onnx
    from onnx import numpy_helper

    x = torch.randn(4, 3, 8, 8)
    model = trained(net(), x, Config(bits=(4, 8), policy="none", layer_bits={"0": (12, 8)}))
    graph = onnx.load(export_qonnx(model, x, tmp_path / "net.onnx")).graph
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    codes = {name: each for name, each in arrays.items() if name.endswith("codes")}
    assert {str(each.dtype) for each in codes.values()} == {"int8", "int16"}
    assert sorted(each.shape for each in codes.values()) == [(6, 4), (8, 3, 3, 3), (8, 4, 3, 3), (128, 6)]
    assert all(each.min() >= -8 and each.max() <= 7 for name, each in codes.items() if not name.startswith("0."))
    floats = [each for each in arrays.values() if each.dtype.kind == "f"]
    assert max(each.size for each in floats) <= 8  # scales, offsets, biases, batch normalisation
    quantisers = [node for node in graph.node if node.op_type == "Quant"]
    assert len(quantisers) == 8
    assert {node.domain for node in quantisers} == {"qonnx.custom_op.general"}


def test_recurrent_layers_and_attention(tmp_path: Path) -> None:
    torch.manual_seed(0)
    x = torch.randn(6, 2, 5)
    model = trained(Attends(), x, Config(bits=(8, 8), results="exact"))
    theirs = executed(export_qonnx(model, x, tmp_path / "net.onnx"), x)
    with torch.no_grad():
        torch.testing.assert_close(theirs, model(x), rtol=0, atol=0.02)


def test_the_model_itself_is_not_changed_and_bits_may_be_given(tmp_path: Path) -> None:
    x = torch.randn(4, 3, 8, 8)
    model = trained(net(), x, Config(bits=(8, 8), results="exact"))
    before = {name: each.clone() for name, each in model.state_dict().items()}
    four = executed(export_qonnx(model, x, tmp_path / "four.onnx", bits=4), x)
    assert get_precision(model).forward == 8
    after = model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(each, after[name]) for name, each in before.items())
    set_precision(model, 4)
    with torch.no_grad():
        torch.testing.assert_close(four, model(x), rtol=0, atol=0.05)


def test_what_cannot_be_exported_is_refused_and_nothing_written(tmp_path: Path) -> None:
    x = torch.randn(4, 3, 8, 8)
    with pytest.raises(ValueError, match="no quantised layer"):
        export_qonnx(net(), x, tmp_path / "net.onnx")
    with pytest.raises(ValueError, match="layer '0' has no range of 'input' yet: train the model, or measure with upd"):
        export_qonnx(prepare_(net()), x, tmp_path / "net.onnx")
    with pytest.raises(ValueError, match="layer '0' has 1 bit: from 2 on"):
        export_qonnx(trained(net(), x, Config()), x, tmp_path / "net.onnx", bits=1)
    assert not list(tmp_path.iterdir())
