"""Other people's networks, with random weights: three steps at cycling bits, saved, resumed bit for bit, exported."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from cpt_model import (
    CPT,
    Config,
    coverage,
    export_qonnx,
    get_precision,
    load_quantisation_state,
    precision,
    prepare_,
    quantisation_state,
    scheduler,
)
from cpt_model.benchmarks.coverage import other_package
from cpt_model.quantisers.running_range import say_empty
from tests.cpt_model.qonnx_tools import executed

STEPS = 3
# Attention's products are not in layers, and few; other packages warn of their own future.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:much of the model stays float", "ignore::FutureWarning", "ignore::UserWarning"),
]


def package(name: str) -> Any:
    """Part of `make setup` from Python 3.11 on."""
    if sys.version_info < (3, 11):
        pytest.importorskip(name.partition(".")[0])
    return other_package(name)


class Logits(nn.Module):
    """A language model of Hugging Face, of which a tensor comes out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor) -> Tensor:
        logits: Tensor = self.model(tokens, use_cache=False).logits[:, -1]
        return logits


def resnet18() -> tuple[nn.Module, Tensor]:
    return package("timm").create_model("resnet18", num_classes=10), torch.randn(4, 3, 64, 64)


def vit() -> tuple[nn.Module, Tensor]:
    made = package("timm").create_model("vit_tiny_patch16_224", img_size=64, depth=2, num_classes=10)
    return made, torch.randn(4, 3, 64, 64)


def gpt2() -> tuple[nn.Module, Tensor]:
    transformers = package("transformers")
    shape = {"n_layer": 2, "n_head": 2, "n_embd": 48, "vocab_size": 10, "n_positions": 16}
    config = transformers.GPT2Config(**shape, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    return Logits(transformers.GPT2LMHeadModel(config)), torch.randint(10, (4, 16))


NETWORKS = {each.__name__: each for each in (resnet18, vit, gpt2)}
QUANTISED = {"resnet18": (16, 21), "vit": (8, 10), "gpt2": (8, 9)}


class Run:
    """A training run that can be saved and loaded."""

    def __init__(self, make: Callable[[], tuple[nn.Module, Tensor]]) -> None:
        torch.manual_seed(0)
        self.model, self.x = make()
        prepare_(self.model, Config(policy="imagenet"), inputs=self.x)
        self.optimiser = torch.optim.SGD(self.model.parameters(), 0.01, momentum=0.9)
        self.bits = scheduler(self.model, CPT(3, 8, cycles=1), backward=8, total_steps=STEPS)

    def step(self) -> None:
        self.optimiser.zero_grad()
        cross_entropy(self.model.train()(self.x), torch.arange(4)).backward()
        self.optimiser.step()
        self.bits.step()

    def saved(self) -> dict[str, Any]:
        parts = {"model": self.model, "optimiser": self.optimiser, "bits": self.bits}
        file = io.BytesIO()
        states = {name: part.state_dict() for name, part in parts.items()}  # type: ignore[attr-defined]
        torch.save(states | {"quantisation": quantisation_state(self.model)}, file)
        file.seek(0)
        loaded: dict[str, Any] = torch.load(file, weights_only=True)
        return loaded

    def load(self, saved: dict[str, Any]) -> None:
        self.model.load_state_dict(saved["model"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self.bits.load_state_dict(saved["bits"])
        load_quantisation_state(self.model, saved["quantisation"])


@pytest.mark.parametrize("name", NETWORKS)
def test_trained_saved_resumed_and_exported(name: str, tmp_path: Path) -> None:
    whole = Run(NETWORKS[name])
    assert coverage(whole.model).layers == QUANTISED[name]
    seen = []
    for step in range(STEPS):
        seen.append(get_precision(whole.model).forward)
        whole.step()
        if step == 0:
            kept = whole.saved()
    assert seen == sorted(set(seen))  # it cycles
    resumed = Run(NETWORKS[name])
    resumed.load(kept)
    for _ in range(STEPS - 1):
        resumed.step()
    ours, theirs = whole.saved()["model"], resumed.saved()["model"]
    assert all(torch.equal(each, theirs[key]) for key, each in ours.items())

    for needed in ("onnxscript", "qonnx"):
        package(needed)
    path = export_qonnx(whole.model, whole.x, tmp_path / "net.onnx", bits=8)
    with torch.no_grad(), precision(whole.model, 8):
        expected = whole.model.eval()(whole.x)
    difference = (executed(path, whole.x) - expected).norm() / expected.norm()
    assert difference < 0.05  # results are rounded here, and not there


def test_ranges_go_through_from_pretrained_of_a_class_that_prepares_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    say_empty.cache_clear()
    transformers = package("transformers")
    plain = package("transformers.models.gpt2.modeling_gpt2").GPT2LMHeadModel
    shape = {"n_layer": 1, "n_head": 2, "n_embd": 16, "vocab_size": 10, "n_positions": 8}
    config = transformers.GPT2Config(**shape, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=1, eos_token_id=1)

    class Quantised(plain):  # type: ignore[misc, valid-type]
        def __init__(self, config: Any) -> None:
            super().__init__(config)
            prepare_(self, Config(bits=(3, 8)))

    tokens = torch.randint(10, (4, 8))
    model = Quantised(config)
    for _ in range(2):
        model.train()(tokens, labels=tokens).loss.backward()
    model.save_pretrained(tmp_path)
    loaded = Quantised.from_pretrained(tmp_path).eval()
    late = prepare_(plain.from_pretrained(tmp_path), Config(bits=(3, 8))).eval()  # drops the ranges
    with torch.no_grad():  # one sequence alone, whose own range is another
        expected = model.eval()(tokens[:1]).logits
        assert torch.equal(loaded(tokens[:1]).logits, expected)
        assert "without ranges" not in caplog.text
        assert not torch.equal(late(tokens[:1]).logits, expected)
        assert "evaluated without ranges of activations" in caplog.text
        kept = package("safetensors.torch").load_file(tmp_path / "model.safetensors")
        late.load_state_dict(kept, strict=False)  # the head is the embedding, and is not in the file
        assert torch.equal(late(tokens[:1]).logits, expected)
