"""Recipes: the papers', and YAML files of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cpt_model.training.fields import Fields, SettingsError
from host.training.recipe_names import FOLDER, home_of, recipe_names, recipe_of

__all__ = ["home_of", "read_recipe", "recipe_names", "recipe_of"]


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


def _parsed(text: bytes, where: str) -> dict[str, Any]:
    import yaml

    class Strict(yaml.SafeLoader):
        """Refuses a key that is there twice, of which PyYAML would silently take the last."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            for number, key in enumerate(keys):
                if key in keys[:number]:
                    raise SettingsError(f"{where}: duplicate setting '{key}'")
            return super().construct_mapping(node, deep)

    try:
        values = yaml.load(text, Strict)
    except SettingsError:
        raise
    except (yaml.YAMLError, ValueError) as problem:  # bytes that are no text, a date that is none
        raise SettingsError(f"{where} is not YAML: {' '.join(str(problem).split())}") from problem
    except RecursionError:
        raise SettingsError(f"{where}: lines 'setting: value' were expected, not such deep nesting") from None
    if not isinstance(values, dict):
        raise SettingsError(f"{where}: expected lines 'setting: value', as in 'steps: 64000'")
    Fields.of(values, where)
    return values
