"""Loss landscapes: a quadratic whose grid is known, directions, grids that stop and go on, models left alone."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, get_precision, prepare_, quantisation_state, set_precision
from cpt_model.methods.landscape import Landscape, LandscapeError, direction, landscape
from cpt_model.model_precision import layer_states

Batches = list[tuple[Tensor, Tensor]]


def network(seed: int = 0, width: int = 6) -> nn.Module:
    torch.manual_seed(seed)
    model = nn.Sequential(
        nn.Conv2d(2, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.Flatten(), nn.Linear(width * 16, 3)
    )
    prepare_(model)
    model(torch.randn(8, 2, 4, 4))
    return model


def images() -> Batches:
    generator = torch.Generator().manual_seed(1)
    return [(torch.randn(n, 2, 4, 4, generator=generator), torch.arange(n) % 3) for n in (5, 8)]


def draw(path: Path, models: dict[str, nn.Module] | None = None, **changes: Any) -> Landscape:
    settings: dict[str, Any] = {"points": 3, "progress": False, "data": images(), "loss": nn.functional.cross_entropy}
    return landscape(models or {"one": network()}, path=path, **settings | changes)


def test_filters_of_a_direction_are_as_long_as_the_models() -> None:
    model = network()
    step = direction(model, torch.Generator().manual_seed(0))
    assert list(step) == ["0.weight", "4.weight"]
    for name, tensor in step.items():
        weight = model.get_parameter(name).detach().double()
        torch.testing.assert_close(tensor.flatten(1).norm(dim=1), weight.flatten(1).norm(dim=1))


def test_compared_models_share_a_direction_up_to_the_length_of_each_filter() -> None:
    one = direction(network(seed=0), torch.Generator().manual_seed(4))["0.weight"].flatten(1)
    other = direction(network(seed=1), torch.Generator().manual_seed(4))["0.weight"].flatten(1)
    assert not torch.allclose(one, other)
    torch.testing.assert_close(nn.functional.normalize(one), nn.functional.normalize(other))


def test_a_linear_model_has_the_quadratic_its_directions_say(tmp_path: Path) -> None:
    """At 0 bits the loss mean((x·w − y)²) of θ + aδ + bη is known in closed form."""
    torch.manual_seed(0)
    model = nn.Linear(4, 3)
    prepare_(model)
    x, y = torch.randn(20, 4), torch.randn(20, 3)
    found = draw(tmp_path / "grid.npz", {"linear": model}, data=[(x, y)], loss=nn.functional.mse_loss, bits=Bits(0, 0))
    generator = torch.Generator().manual_seed(0)
    delta, eta = (direction(model, generator)["weight"].numpy() for _ in range(2))
    weight, bias = model.weight.detach().numpy().astype(float), model.bias.detach().numpy().astype(float)
    for row, b in enumerate((-1.0, 0.0, 1.0)):
        for column, a in enumerate((-1.0, 0.0, 1.0)):
            residual = x.numpy() @ (weight + a * delta + b * eta).T + bias - y.numpy()
            assert found.losses["linear"][row, column] == pytest.approx(np.mean(residual**2), rel=1e-5)


def test_batches_count_by_their_samples_and_bits_are_those_stated(tmp_path: Path) -> None:
    model, data = network().train(), images()
    evaluated = copy.deepcopy(model).eval()
    centres = {}
    for bits in (8, 2):
        centres[bits] = draw(tmp_path / f"{bits}.npz", {"one": model}, bits=bits).losses["one"][1, 1]
        set_precision(evaluated, Bits(bits, 8))
        with torch.no_grad():
            each = torch.cat([nn.functional.cross_entropy(evaluated(x), y, reduction="none") for x, y in data])
        assert centres[bits] == pytest.approx(float(each.mean()), rel=1e-5)
    assert centres[8] != centres[2]


def test_models_are_left_as_they_were_also_when_the_loss_fails(tmp_path: Path) -> None:
    model = network().train()
    set_precision(model, Bits(5, 6))
    before, ranges = copy.deepcopy(model.state_dict()), copy.deepcopy(quantisation_state(model))
    calls = 0

    def failing(output: Tensor, target: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        if calls > 9:
            raise KeyboardInterrupt
        return nn.functional.cross_entropy(output, target)

    with pytest.raises(KeyboardInterrupt):
        draw(tmp_path / "broken.npz", {"one": model}, loss=failing)
    draw(tmp_path / "whole.npz", {"one": model})
    for name, value in model.state_dict().items():
        assert value.numpy().tobytes() == before[name].numpy().tobytes()
    assert quantisation_state(model) == ranges
    assert get_precision(model) == Bits(5, 6)
    assert all(module.training for module in model.modules())


@pytest.mark.parametrize("stop", [0, 7, 30, 39])
def test_a_grid_that_was_stopped_goes_on_and_ends_as_if_never_stopped(tmp_path: Path, stop: int) -> None:
    models = {"one": network(0), "two": network(1)}
    whole = draw(tmp_path / "whole.npz", models)
    calls = 0

    def counting(output: Tensor, target: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        if calls == stop + 1:
            raise KeyboardInterrupt
        return nn.functional.cross_entropy(output, target)

    path = tmp_path / "parts.npz"
    with pytest.raises(KeyboardInterrupt):
        draw(path, models, loss=counting)
    if path.exists():
        with pytest.raises(LandscapeError, match=r"only \d of its 6 rows"):
            Landscape.load(path)
    first, calls = calls, stop + 1
    resumed = draw(path, models, loss=counting)
    for name in models:
        assert np.array_equal(resumed.losses[name], whole.losses[name])
    # Two batches at 18 points and at each centre; a row of 3 points that was begun is done again.
    assert first + calls - (stop + 1) <= 40 + 6 + 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["parts.npz", "whole.npz"]


def test_a_finished_grid_is_not_computed_again(tmp_path: Path) -> None:
    models = {"one": network()}
    found = draw(tmp_path / "grid.npz", models)

    def never(output: Tensor, target: Tensor) -> Tensor:
        raise AssertionError("a row was computed again")

    again = draw(tmp_path / "grid.npz", models, loss=never)
    loaded = Landscape.load(tmp_path / "grid.npz")
    for one in (again, loaded):
        assert np.array_equal(one.losses["one"], found.losses["one"])
        assert one.axis.tolist() == [-1.0, 0.0, 1.0]
        assert one.settings == found.settings


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"bits": 4}, "bits"),
        ({"span": 0.5}, "span"),
        ({"points": 5}, "points"),
        ({"seed": 1}, "seed"),
        ({"data": images()[:1]}, "data"),
        ({"models": {"one": network(seed=3)}}, "models"),
    ],
)
def test_a_file_of_other_settings_is_refused(tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    draw(tmp_path / "grid.npz")
    kept = (tmp_path / "grid.npz").read_bytes()
    with pytest.raises(LandscapeError, match=f"begun with other {named}: choose another"):
        draw(tmp_path / "grid.npz", **changes)
    assert (tmp_path / "grid.npz").read_bytes() == kept


def test_other_ranges_of_activations_make_another_model(tmp_path: Path) -> None:
    model = network()
    draw(tmp_path / "grid.npz", {"one": model})
    layer_states(model)["0"].ranges["input"].observe(-1.0, 1.0)
    with pytest.raises(LandscapeError, match="begun with other models"):
        draw(tmp_path / "grid.npz", {"one": model})


def test_another_quantiser_makes_another_model(tmp_path: Path) -> None:
    """The fixed grid of DoReFa's activations needs no ranges: nothing else would differ."""
    for index, name in enumerate(("sbm", "dorefa")):
        torch.manual_seed(0)
        model = prepare_(nn.Sequential(nn.Flatten(), nn.Linear(32, 3)), Config(name, policy="none"))
        data = [(torch.rand(5, 2, 4, 4, generator=torch.Generator().manual_seed(0)), torch.arange(5) % 3)]
        if index:
            with pytest.raises(LandscapeError, match="begun with other models"):
                draw(tmp_path / "grid.npz", {"one": model}, data=data)
        else:
            draw(tmp_path / "grid.npz", {"one": model}, data=data)


def test_a_write_that_fails_leaves_the_rows_before_it_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "grid.npz", b""
    savez = np.savez

    def full(file: Any, **arrays: Any) -> None:
        nonlocal kept
        if arrays["rows"] == 2:
            kept = path.read_bytes()
            file.write(b"half")
            raise OSError("No space left on device")
        savez(file, **arrays)

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        draw(path)
    assert path.read_bytes() == kept != b""
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"not a grid", b"PK\x03\x04 torn"])
def test_a_file_that_is_no_landscape_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "grid.npz").write_bytes(content)
    with pytest.raises(LandscapeError, match="is not the file of a landscape"):
        draw(tmp_path / "grid.npz")
    assert (tmp_path / "grid.npz").read_bytes() == content


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": []}, "no samples"),
        ({"points": 4}, "odd number"),
        ({"points": 1}, "odd number from 3"),
        ({"span": 0.0}, "span = 0.0"),
        ({"span": math.nan}, "span = nan"),
        ({"bits": 17}, r"0\.\.16"),
        ({"bits": -1}, r"0\.\.16"),
        ({"path": Path("nowhere") / "grid.npz"}, "folder that exists"),
        ({"path": Path("grid.txt")}, "is not a .npz file"),
        ({"models": {"one": network(), "two": network(width=5)}}, "differ in shape"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LandscapeError, match=message):
        draw(**{"path": tmp_path / "grid.npz"} | changes)
    assert not list(tmp_path.iterdir())


def test_a_centre_that_is_not_a_number_is_named(tmp_path: Path) -> None:
    with pytest.raises(LandscapeError, match="the loss of model 'one' is nan"):
        draw(tmp_path / "grid.npz", loss=lambda output, target: output.sum() * math.nan)


class Exponential(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.exp()


def test_activations_that_overflow_far_out_are_an_infinite_loss(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(1, 1), Exponential(), nn.Linear(1, 1))
    nn.init.constant_(model[0].weight, 60.0)  # type: ignore[arg-type]
    prepare_(model, Config(policy="none"))
    data = [(torch.ones(4, 1), torch.zeros(4, 1))]
    found = draw(tmp_path / "grid.npz", {"one": model}, data=data, loss=nn.functional.l1_loss, bits=Bits(8, 8))
    assert math.isfinite(found.losses["one"][1, 1])
    assert np.isinf(found.losses["one"]).any()


def test_the_plot_is_a_picture_also_where_losses_overflow(tmp_path: Path) -> None:
    found = draw(tmp_path / "grid.npz", {"one": network(0), "two": network(1)})
    found.losses["two"][0, 0] = math.inf
    found.plot(tmp_path / "grid.png")
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")
