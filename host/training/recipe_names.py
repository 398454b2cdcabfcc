"""The papers' recipes by name; and the one a network is trained by if none is named."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from host import training

FOLDER = files(training.__name__) / "recipes"
# What an architecture's name begins with, the data set it is for, and the recipe of the two.
HOME = (
    ("cifar100_mobilenet", "cifar100", "cpt-cifar100-mobilenet"),
    ("cifar10_mobilenet", "cifar10", "cpt-cifar10-mobilenet"),
    ("cifar100_", "cifar100", "cpt-cifar100"),
    ("cifar10_", "cifar10", "cpt-cifar10"),
    ("digits_", "digits", "digits"),
    ("fashion_", "fashion-mnist", "fashion-mnist"),
    ("resnet", "imagenet", "cpt-imagenet"),
    ("transformer_lm_small", "wikitext-2", "small-transformer"),
    ("transformer_lm", "wikitext-103", "cpt-wikitext-103"),
    ("lstm_lm", "ptb", "cpt-ptb"),
)


def recipe_names() -> list[str]:
    """What `--recipe NAME` takes."""
    return sorted(path.name.removesuffix(".yaml") for path in FOLDER.iterdir() if path.name.endswith(".yaml"))


def home_of(arch: str) -> tuple[str, str]:
    """Data set and recipe that go with a network's name.

    >>> home_of("cifar100_resnet_74"), home_of("resnet34")
    (('cifar100', 'cpt-cifar100'), ('imagenet', 'cpt-imagenet'))
    """
    for beginning, dataset, recipe in HOME:
        if arch.startswith(beginning):
            return dataset, recipe
    return "cifar10", "cpt-cifar10"


def recipe_of(dataset: str) -> str:
    """The recipe of a data set if no network is named.

    >>> recipe_of("cifar100"), recipe_of("text")
    ('cpt-cifar100', 'small-transformer')
    """
    recipes = {known: recipe for _, known, recipe in HOME}  # the last of a set's networks is its plain one
    return (recipes | {"text": "small-transformer"}).get(dataset, "cpt-cifar10")


def read_plain(name: str) -> dict[str, Any]:
    """A recipe's settings without a YAML parser: lines of a name, a colon, and a number, a list of them or a word.

    >>> read_plain("digits")["fw_bits"]
    [3, 8]
    """
    if name not in recipe_names():
        raise ValueError(f"no recipe '{name}'; there are: {', '.join(recipe_names())}")
    lines = [line.partition("#")[0] for line in (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()]
    joined = "\n".join(line for line in lines if line.strip())
    joined = re.sub(r",?\s*\]", "]", joined.replace("\n ", " "))  # a list may take several lines
    pairs = (line.partition(":") for line in joined.splitlines())
    return {text.strip(): _value(value.strip()) for text, _, value in pairs}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
