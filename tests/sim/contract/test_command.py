"""The command's encoding, against the table in contract.toml."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contract import Command, Flag, encode_list, flag_bits
from tests.tools import contract, small_conv

NAMES = [field.name for field in fields(Command)]


@st.composite
def any_values(draw: st.DrawFn) -> dict[str, int]:
    return {name: draw(st.integers(0, 2**width - 1)) for name, (_, _, width) in contract()["field"].items()}


def as_one_integer(command: Command) -> int:
    return int.from_bytes(command.encode(), "little")


@given(any_values())
def test_what_is_encoded_is_decoded(values: dict[str, int]) -> None:
    assert Command.decode(Command(**values).encode()) == Command(**values)


@given(any_values())
def test_each_field_lies_where_the_table_says(values: dict[str, int]) -> None:
    expected = sum(values[name] << 32 * word + lsb for name, (word, lsb, _) in contract()["field"].items())
    assert as_one_integer(Command(**values)) == expected


def test_no_bit_belongs_to_two_fields() -> None:
    taken: set[tuple[int, int]] = set()
    for word, lsb, width in contract()["field"].values():
        bits = {(word, bit) for bit in range(lsb, lsb + width)}
        assert not bits & taken
        assert max(bit for _, bit in bits) < 32
        taken |= bits


def test_a_command_takes_128_bytes() -> None:
    assert len(small_conv().encode()) == 128


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("excess", ["negative", "one too many"])
def test_a_value_too_wide_for_its_field_is_refused_by_name(name: str, excess: str) -> None:
    width = contract()["field"][name][2]
    value: Any = {name: -1 if excess == "negative" else 2**width}
    with pytest.raises(ValueError, match=rf"{name} = .* does not fit its {width} bits"):
        Command(**value).encode()


def test_exactly_the_bits_outside_of_fields_and_defined_flags_are_reserved() -> None:
    tables = contract()
    used = {32 * word + lsb + bit for word, lsb, width in tables["field"].values() for bit in range(width)}
    first_flag = 32 * tables["field"]["flags"][0] + tables["field"]["flags"][1]
    used -= {first_flag + bit for bit in range(8)} - {first_flag + bit for bit in tables["flag"].values()}
    for bit in range(1024):
        data = (1 << bit).to_bytes(128, "little")
        assert Command.reserved_bits_set(data) == (bit not in used), f"bit {bit % 32} of word {bit // 32}"


def test_a_list_is_its_commands_one_behind_the_other() -> None:
    first, second = small_conv(tag=1), small_conv(tag=2)
    assert encode_list([first, second]) == first.encode() + second.encode()


def test_flags_are_told_apart() -> None:
    for flag in Flag:
        command = small_conv(flags=flag_bits(flag))
        assert [other for other in Flag if command.flag(other)] == [flag]
