"""Values from outside, checked by strict pydantic models; what is wrong is one line: where, what, what is allowed.

A board's image has pydantic 1 at best, so nothing that runs there may need this module.
"""

from __future__ import annotations

from reprlib import repr as short
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from typing_extensions import Self

MOST = 10**9  # of anything that is counted: more is a slip of the hand, and overflows somewhere
HUGE = 1e6  # of rates, factors and norms, likewise

Whole = Annotated[int, Field(ge=0, le=MOST)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Above = Annotated[float, Field(gt=0, le=HUGE)]
From0 = Annotated[float, Field(ge=0, le=HUGE)]
Name = Annotated[str, Field(min_length=1)]
# Files have lists; Python's own values are kept as tuples, which cannot change.
Listed = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)

# What pydantic's kinds of errors are in words; the names in braces are those of its context.
WORDS = {
    "int_type": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_type": "is not a number",
    "float_parsing": "is not a number",
    "int_parsing": "is not a whole number",
    "finite_number": "is not a number",
    "bool_type": "is neither true nor false",
    "string_type": "is not a text",
    "string_too_short": "is empty",
    "tuple_type": "is not a list",
    "dict_type": "is not an object of names and values",
    "greater_than": "is not above {gt:,.12g}",
    "greater_than_equal": "is not {ge:,.12g} or more",
    "less_than": "is not below {lt:,.12g}",
    "less_than_equal": "is not {le:,.12g} or less",
    "literal_error": "is not {expected}",
    "too_short": "has {actual_length} values, not {min_length}",
    "too_long": "has {actual_length} values, not {max_length}",
    "string_pattern_mismatch": "does not look like {pattern}",
}


class Checked(BaseModel):
    """A value whose fields have been checked, and which does not change; what is refused raises `error`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)
    error: ClassVar[type[ValueError]] = ValueError

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as problem:
            raise self._refusal(problem) from None

    @classmethod
    def of(cls, values: object, where: object) -> Self:
        """From what a file holds; a refusal begins with the file's name."""
        try:
            if not isinstance(values, dict):
                raise cls.error(f"expected an object with {', '.join(cls.model_fields)}, not {short(values)}")
            return cls(**{str(name): value for name, value in values.items()})
        except ValueError as problem:
            raise cls.error(f"{where}: {problem}") from problem

    def changed(self, **changes: Any) -> Self:
        """The same with other values, which are checked like all."""
        return type(self)(**(dict(self) | changes))

    @classmethod
    def _refusal(cls, problem: ValidationError) -> ValueError:
        """The first error alone: the others often follow from it."""
        found = problem.errors(include_url=False)[0]
        place = ".".join(map(str, found["loc"]))
        context = found.get("ctx", {})
        if found["type"] == "extra_forbidden":
            return cls.error(f"'{place}' is unknown; there are: {', '.join(cls.model_fields)}")
        if found["type"] == "missing":
            return cls.error(f"'{place}' is missing")
        if found["type"] == "value_error":  # of a check of ours, which has its own words
            said = context["error"]
            return cls.error(f"{place}: {said}") if place else said
        words = WORDS.get(found["type"], f"is refused: {found['msg']}").format(**context)
        if found["type"] == "float_type" and isinstance(found["input"], str):
            words += " (in YAML, 1e-4 is a text: write 1.0e-4)"
        return cls.error(f"{place} = {short(found['input'])} {words}")


def within(limits: tuple[float, float]) -> Any:
    """A number that lies in them, both ends included."""
    return Field(ge=limits[0], le=limits[1])


def one_of(*names: str) -> AfterValidator:
    """A text that is one of these names."""

    def check(value: str) -> str:
        if value not in names:
            raise ValueError(f"no '{value}'; there are: {', '.join(names)}")
        return value

    return AfterValidator(check)
