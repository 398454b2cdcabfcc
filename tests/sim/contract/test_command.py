"""The encoding of every kind of command, against the tables in contract.toml."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contract import (
    CLASSES,
    Command,
    Encoded,
    Flag,
    MapCommand,
    Opcode,
    ScalarCommand,
    WeightCommand,
    encode_list,
    flag_bits,
)
from tests.tools import contract, small_conv

# The tables of fields and flags of each kind.
KINDS: dict[type[Encoded], tuple[str, str]] = {
    Command: ("field", "flag"),
    MapCommand: ("map_field", "map_flag"),
    ScalarCommand: ("scalar_field", "scalar_flag"),
    WeightCommand: ("weight_field", "weight_flag"),
}
EACH = pytest.mark.parametrize("kind", KINDS)


def table(kind: type[Encoded]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = contract()[KINDS[kind][0]]
    return found


@st.composite
def any_command(draw: st.DrawFn) -> tuple[Encoded, dict[str, int]]:
    kind = draw(st.sampled_from(list(KINDS)))
    values = {name: draw(st.integers(0, 2**width - 1)) for name, (_, _, width) in table(kind).items()}
    return kind(**values), values


@given(any_command())
def test_what_is_encoded_is_decoded(case: tuple[Encoded, dict[str, int]]) -> None:
    command, _ = case
    assert type(command).decode(command.encode()) == command


@given(any_command())
def test_each_field_lies_where_the_table_says(case: tuple[Encoded, dict[str, int]]) -> None:
    command, values = case
    expected = sum(values[name] << 32 * word + lsb for name, (word, lsb, _) in table(type(command)).items())
    assert int.from_bytes(command.encode(), "little") == expected


@EACH
def test_no_bit_belongs_to_two_fields(kind: type[Encoded]) -> None:
    taken: set[tuple[int, int]] = set()
    for word, lsb, width in table(kind).values():
        bits = {(word, bit) for bit in range(lsb, lsb + width)}
        assert not bits & taken
        assert max(bit for _, bit in bits) < 32
        taken |= bits


def test_every_opcode_has_a_kind() -> None:
    assert set(CLASSES) == set(Opcode)
    assert set(CLASSES.values()) == set(KINDS)


def test_a_command_takes_128_bytes() -> None:
    assert len(small_conv().encode()) == 128


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in kind.TABLE])
@pytest.mark.parametrize("excess", ["negative", "one too many"])
def test_a_value_too_wide_for_its_field_is_refused_by_name(kind: type[Encoded], name: str, excess: str) -> None:
    width = table(kind)[name][2]
    value: Any = {name: -1 if excess == "negative" else 2**width}
    with pytest.raises(ValueError, match=rf"{name} = .* does not fit its {width} bits"):
        kind(**value).encode()


@EACH
def test_exactly_the_bits_outside_of_fields_and_defined_flags_are_reserved(kind: type[Encoded]) -> None:
    used = {32 * word + lsb + bit for word, lsb, width in table(kind).values() for bit in range(width)}
    word, lsb, width = table(kind)["flags"]
    flags = contract()[KINDS[kind][1]]
    used -= {32 * word + lsb + bit for bit in set(range(width)) - set(flags.values())}
    for bit in range(1024):
        data = (1 << bit).to_bytes(128, "little")
        assert kind.reserved_bits_set(data) == (bit not in used), f"bit {bit % 32} of word {bit // 32}"


def test_a_list_is_its_commands_one_behind_the_other() -> None:
    first, second = small_conv(tag=1), small_conv(tag=2)
    assert encode_list([first, second]) == first.encode() + second.encode()


def test_flags_are_told_apart() -> None:
    for flag in Flag:
        command = small_conv(flags=flag_bits(flag))
        assert [other for other in Flag if command.flag(other)] == [flag]
