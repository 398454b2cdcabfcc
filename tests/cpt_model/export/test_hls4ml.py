"""hls4ml takes our QONNX file: converted, compiled by g++, its predictions are our evaluation's."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from cpt_model import Config, export_qonnx, prepare_

for package in ("qonnx", "onnxscript", "h5py", "quantizers", "tabulate"):  # `make setup` has hls4ml without these
    pytest.importorskip(package, reason=f"{package} is missing: pip install -e '.[export]' h5py quantizers tabulate")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # other people's
def test_a_small_network(tmp_path: Path) -> None:
    import hls4ml
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.util.cleanup import cleanup_model

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 5))
    prepare_(model, Config("wageubn", bits=(6, 8), policy="none", results="exact"))
    for _ in range(3):
        model(torch.randn(64, 16))
    file = export_qonnx(model.eval(), torch.randn(1, 16), tmp_path / "net.onnx")
    graph = cleanup_model(ModelWrapper(str(file)))
    how = {"granularity": "name", "backend": "Vitis", "default_precision": "fixed<24,10>"}
    config = hls4ml.utils.config.config_from_onnx_model(graph, **how)
    made = hls4ml.converters.convert_from_onnx_model(
        graph, hls_config=config, output_dir=str(tmp_path / "hls"), backend="Vitis"
    )
    made.compile()
    x = torch.randn(32, 16)
    with torch.no_grad():
        torch.testing.assert_close(torch.from_numpy(made.predict(x.numpy())), model(x), rtol=0, atol=1e-3)
