"""Networks from a file of the user's: what is in the way is named in a line, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from cpt_model.cost import count_network
from cpt_model.models import build, entry
from cpt_model.models.own import OwnNetworkError, own_network
from scripts.cli import main
from tests.tools import refusal

GOOD = """
from torch import nn
class Net(nn.Sequential):
    def __init__(self, num_classes=10):
        super().__init__(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, num_classes))
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "my.py"
    file.write_text(GOOD)
    return file


def test_a_class_is_made_with_its_classes_and_counted(mine: Path) -> None:
    name = f"{mine}:Net:1x8x8"
    assert build(name, 7)(torch.zeros(3, 1, 8, 8)).shape == (3, 7)
    assert entry(name).input_shape == (1, 8, 8)
    assert count_network(name).macs == 6 * 6 * 8 * 9 + 288 * 10
    assert own_network(name).name == name


def test_the_class_may_say_the_shape(mine: Path) -> None:
    mine.write_text(GOOD.replace("class Net(nn.Sequential):", "class Net(nn.Sequential):\n    input_shape = (1, 8, 8)"))
    assert own_network(f"{mine}:Net").image == (1, 8, 8)


def test_a_changed_file_is_read_again(mine: Path) -> None:
    assert own_network(f"{mine}:Net").kind.__name__ == "Net"
    mine.write_text(GOOD.replace("Net", "Other"))
    assert own_network(f"{mine}:Other").kind.__name__ == "Other"


@pytest.mark.parametrize(
    ("change", "name", "said"),
    [
        (("", ""), "nothing.py:Net", "no such file"),
        (("", ""), "my.py", "is FILE.py:CLASS, as my.py:Net"),
        (("", ""), "my.py:Nat", "my.py has no class 'Nat'; there is: Net"),
        (("", ""), "my.py:nn", "my.py:nn is of type module, not a class of torch.nn.Module"),
        (("", ""), "my.py:Net:1x8", "'1x8' is no shape of an image; write CxHxW"),
        (("class Net", "clas Net"), "my.py:Net", "my.py cannot be imported: SyntaxError: invalid syntax (line 3)"),
        (("from torch", "import no_such_thing\nfrom torch"), "my.py:Net", "imports 'no_such_thing', which is not inst"),
        (
            ("class Net", "1 / 0\nclass Net"),
            "my.py:Net",
            "cannot be imported: ZeroDivisionError: division by zero (line 3)",
        ),
        (("num_classes=10", "width"), "my.py:Net", "cannot be made by Net(): TypeError"),
        (("", ""), "my.py:Net:3x8x8", "does not take images of 3x8x8"),
        (("num_classes=10", "num_classes=10, n=4"), "my.py:Net:1x9x9", "does not take images of 1x9x9"),
        (("288, num_classes", "288, 5"), "my.py:Net:1x8x8", "makes (2, 5) of two images of 1x8x8"),
    ],
)
def test_what_is_in_the_way_is_named(
    mine: Path, change: tuple[str, str], name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)
    mine.write_text(GOOD.replace(*change))
    with pytest.raises(OwnNetworkError) as refused:
        own_network(name).make()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_commands_take_it(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"{mine}:Net"
    assert main(["cost", "--arch", f"{name}:1x8x8"]) == 0
    assert "does not run as whole iterations" in capsys.readouterr().out
    flags = ["--dataset", "digits", "--steps", "3", "--batch", "8", "--no-tensorboard", "--fw-bits", "8"]
    assert main(["train", "--arch", name, *flags, "--save_folder", str(tmp_path)]) == 0
    (folder,) = tmp_path.glob("my.py_Net_1x8x8_8_8_seed0")
    assert main(["report", str(folder), "--out", str(tmp_path / "page.html")]) == 0
    assert "my.py:Net" in (tmp_path / "page.html").read_text()
    refused = refusal(capsys, "train", "--arch", f"{name}:1x9x8", *flags, "--out", str(tmp_path / "x"))
    assert "does not take images of 1x9x8" in refused or "digits has images of 1x8x8: say so" in refused


def test_try_takes_it_through_everything(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--dataset", "digits", "--steps", "3", "--devices", "hls", "--out", str(tmp_path / "out")]
    assert main(["try", f"{mine}:Net", *flags]) == 0
    shown = capsys.readouterr().out
    assert "No whole integer steps" in shown
    assert "bit operations" in shown
    assert [line.split()[0] for line in shown.splitlines() if " equal " in line] == ["8/8", "3/8"]
    assert (tmp_path / "out" / "report.html").exists()
    assert "FILE.py:CLASS" in refusal(capsys, "try", "resnet18")
