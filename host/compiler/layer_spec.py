"""A layer written as text, for command lines: `conv:n8,c16-16,32x32,k3,s1,p1,g1` or `linear:n8,c64-10`."""

from __future__ import annotations

import re

from host.compiler.layer import Conv

HELP = "conv:nBATCH,cIN-OUT,HxW,kKERNEL[,sSTRIDE][,pPADDING][,gGROUPS] or linear:nBATCH,cIN-OUT"
PAIR = r"(\d+)(?:x(\d+))?"
PATTERNS = {"n": r"n(\d+)", "c": r"c(\d+)-(\d+)", "k": f"k{PAIR}", "s": f"s{PAIR}", "p": f"p{PAIR}", "g": r"g(\d+)"}
SIZE = r"(\d+)x(\d+)"


def parse_layer(text: str) -> Conv:
    """The layer a user wrote.

    >>> parse_layer("conv:n8,c16-32,32x32,k3,s2,p1").output_shape
    (8, 32, 16, 16)
    """
    kind, _, rest = text.partition(":")
    numbers: dict[str, tuple[int, ...]] = {}
    for piece in filter(None, rest.split(",")):
        key = "size" if re.fullmatch(SIZE, piece) else piece[0]
        match = re.fullmatch(SIZE if key == "size" else PATTERNS.get(key, r"(?!)"), piece)
        if match is None:
            raise ValueError(f"layer '{text}': unknown field '{piece}'; write {HELP}")
        if key in numbers:
            raise ValueError(f"layer '{text}': duplicate field '{piece}'; write {HELP}")
        numbers[key] = tuple(int(part) for part in match.groups() if part is not None)
    missing = {"n", "c"} | ({"size", "k"} if kind == "conv" else set())
    missing -= set(numbers)
    if kind not in ("conv", "linear") or missing:
        raise ValueError(f"layer '{text}': {', '.join(sorted(missing)) or kind} is missing or unknown; write {HELP}")
    if kind == "linear":
        foreign = sorted(set(numbers) - {"n", "c"})
        if foreign:
            raise ValueError(f"layer '{text}': a linear layer has no {', '.join(foreign)}; write {HELP}")
        in_features, out_features = numbers["c"]
        return Conv.linear(numbers["n"][0], in_features, out_features)
    (batch,), (in_channels, out_channels), (height, width) = numbers["n"], numbers["c"], numbers["size"]
    return Conv(
        batch,
        in_channels,
        out_channels,
        height,
        width,
        kernel=_pair(numbers["k"]),
        stride=_pair(numbers.get("s", (1,))),
        padding=_pair(numbers.get("p", (0,))),
        groups=numbers.get("g", (1,))[0],
    )


def layer_text(layer: Conv) -> str:
    """A layer as a user writes it, in short.

    >>> layer_text(parse_layer("conv:n8,c16-32,32x32,k3x1,s2,p1x0"))
    'conv:n8,c16-32,32x32,k3x1,s2,p1x0'
    """
    axes = (("k", layer.kernel, (0, 0)), ("s", layer.stride, (1, 1)), ("p", layer.padding, (0, 0)))
    pairs = [f"{key}{_axes(pair)}" for key, pair, usual in axes if pair != usual]
    groups = [f"g{layer.groups}"] if layer.groups > 1 else []
    size = f"{layer.height}x{layer.width}"
    return "conv:" + ",".join([f"n{layer.batch}", f"c{layer.in_channels}-{layer.out_channels}", size, *pairs, *groups])


def _axes(pair: tuple[int, int]) -> str:
    return f"{pair[0]}" if pair[0] == pair[1] else f"{pair[0]}x{pair[1]}"


def _pair(numbers: tuple[int, ...]) -> tuple[int, int]:
    """One number for both axes, or one for each."""
    return numbers[0], numbers[-1]
