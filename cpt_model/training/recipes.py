"""The papers' recipes, as YAML files of settings; and the one a network is trained by if none is named."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from cpt_model.training.fields import Fields, SettingsError

FOLDER = files("cpt_model.training") / "recipes"
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


def read_recipe(name: str) -> dict[str, Any]:
    """Settings of a recipe by name, or of a YAML file; checked one by one, not yet together with flags.

    >>> read_recipe("cpt-cifar10")["lr_milestones"]
    [0.5, 0.75]
    """
    if name in recipe_names():
        text, where = (FOLDER / f"{name}.yaml").read_bytes(), name
    else:
        path = Path(name)
        if not path.is_file():
            raise SettingsError(f"no recipe '{name}' and no such file; there are: {', '.join(recipe_names())}")
        text, where = path.read_bytes(), name
    return _parsed(text, where)


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


def _parsed(text: bytes, where: str) -> dict[str, Any]:
    import yaml

    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as problem:  # bytes that are no text, a date that is none
        raise SettingsError(f"{where} is not YAML: {' '.join(str(problem).split())}") from problem
    except RecursionError:
        raise SettingsError(f"{where}: lines 'setting: value' were expected, not such deep nesting") from None
    if not isinstance(values, dict):
        raise SettingsError(f"{where}: expected lines 'setting: value', as in 'steps: 64000'")
    Fields.of(values, where)
    return values
