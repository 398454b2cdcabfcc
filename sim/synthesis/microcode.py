"""An assembler for the scalar engine: formulas in Python become instructions, values get places in its memories.

Numbers of operations, kinds and conditions are those of vivado/rtl/scalar_code_pkg.sv.

>>> program = Program("example")
>>> half = program.one.up(program.whole(-1))
>>> [line.op for line in program.lines]
['Set', 'Set', 'Lift', 'Set', 'Lift']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sim.common.places import RTL
from sim.contract.constants import BLOCK_HEADER, BLOCK_RECORD, RECORD_BYTES, SCALAR_FIELDS, Block

LANES = 16
SINGLES = 448  # the first work word that is no vector's
WORDS = 512
INPUTS = 256  # input words of a half
FIRST_PLACE = 6  # word of the command with the first address
FIELD_KINDS = {
    "sum": "Sum",
    "second": "Second",
    "least": "CodeLow",
    "most": "CodeHigh",
    "momentum": "ULow",
    "parameter_decay": "UHigh",
    "parameter_rate": "ULow",
}


@lru_cache
def numbers(prefix: str) -> dict[str, int]:
    """The members of the enum whose names begin with `prefix`, without it."""
    source = re.sub(r"//.*", "", (RTL / "scalar_code_pkg.sv").read_text(encoding="utf-8"))
    for body in re.findall(r"typedef enum logic \[\d:0\] \{(.*?)\}", source, re.DOTALL):
        found: dict[str, int] = {}
        for member in re.findall(r"(\w+)(?:\s*=\s*\d+'d(\d+))?", body):
            number = int(member[1]) if member[1] else max(found.values(), default=-1) + 1
            found[member[0]] = number
        if all(name.startswith(prefix) for name in found):
            return {name.removeprefix(prefix): number for name, number in found.items()}
    raise ValueError(f"scalar_code_pkg.sv has no enum of {prefix}...")


@dataclass(eq=False)
class Register:
    """Words of the work memory: one, or whole vectors; the address is known when the program is complete."""

    words: int
    kept: bool = False  # for the whole program, not only from its first to its last use
    address: int = -1


@dataclass(frozen=True)
class Value:
    """What an instruction reads: a word, or a vector of them, and what of it counts."""

    program: Program
    home: Register | int  # or an address of the input memory
    vector: bool
    offset: int = 0
    kind: str = "Scalar"
    sign: str = "Plus"

    def __neg__(self) -> Value:
        return replace(self, sign={"Plus": "Minus", "Minus": "Plus"}[self.sign])

    def __abs__(self) -> Value:
        return replace(self, sign="Size")

    def __mul__(self, other: Value) -> Value:
        return self.program.op("Mul", self, other)

    def __truediv__(self, other: Value) -> Value:
        return self.program.op("Div", self, other)

    def __add__(self, other: Value) -> Value:
        return self.program.op("Add", self, other)

    def __sub__(self, other: Value) -> Value:
        return self + -other

    def up(self, power: Value) -> Value:
        """a · 2^p; of an integer S(a, p)."""
        return self.program.op("Lift", self, power)

    def whole(self) -> Value:
        """The same word as an integer."""
        return replace(self, kind="Low")

    def let(self, result: Value) -> None:
        """What the last instruction made becomes this value."""
        line = self.program.lines[-1]
        assert line.d is result.home, "not the last result"
        line.d, line.offset, line.lanes = self.home, self.offset, LANES if self.vector else 1


@dataclass
class Line:
    op: str
    condition: tuple[str, bool]
    lanes: int = 1
    d: Register | int = 0
    offset: int = 0
    sources: tuple[Value, ...] = ()
    immediate: int = 0

    def registers(self) -> Iterator[Register]:
        for home in (self.d, *(source.home for source in self.sources)):
            if isinstance(home, Register):
                yield home

    def encode(self) -> int:
        condition, negate = self.condition
        d = self.offset + (self.d.address if isinstance(self.d, Register) else self.d)
        bits = numbers("Op")[self.op] << 1 | negate
        bits = bits << 3 | numbers("If")[condition]
        bits = bits << 3 | self.lanes.bit_length() - 1
        bits = bits << 9 | d
        if not self.sources:
            return bits << 34 | self.immediate
        for source in (*self.sources, self.sources[-1])[:2]:
            bits = bits << 17 | _source(source)
        return bits


def _source(value: Value) -> int:
    loaded = not isinstance(value.home, Register)
    address = value.home if not isinstance(value.home, Register) else value.home.address
    bits = (loaded << 1 | value.vector) << 9 | address + value.offset
    return (bits << 4 | numbers("Kind")[value.kind]) << 2 | numbers("Sign")[value.sign]


@dataclass
class Program:
    """Instructions of one command, in their order."""

    name: str
    lines: list[Line] = field(default_factory=list)
    condition: tuple[str, bool] = ("Always", False)
    loops: list[tuple[int, int]] = field(default_factory=list)
    inputs: int = 0  # words of the half that is being filled
    headers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.zero = self.whole(0)
        self.unity = self.whole(1)
        self.one = self.unity.up(self.zero)

    # Instructions.

    def op(self, op: str, *sources: Value) -> Value:
        vector = any(source.vector for source in sources)
        d = Register(LANES if vector else 1)
        self.lines.append(Line(op, self.condition, LANES if vector else 1, d, 0, sources))
        return Value(self, d, vector)

    def control(self, op: str, d: Register | int = 0, immediate: int = 0) -> None:
        self.lines.append(Line(op, self.condition, 1, d, 0, (), immediate))

    @contextmanager
    def when(self, flag: str, negate: bool = False) -> Iterator[None]:
        assert self.condition == ("Always", False), "conditions do not nest"
        self.condition = (flag, negate)
        yield
        self.condition = ("Always", False)

    def unless(self, flag: str) -> AbstractContextManager[None]:
        return self.when(flag, True)

    # Values.

    def vectors(self, count: int = 1) -> list[Value]:
        """One behind the other, as words of a record are stored."""
        home = Register(count * LANES, kept=True)
        return [Value(self, home, True, LANES * number) for number in range(count)]

    def word(self) -> Value:
        return Value(self, Register(1, kept=True), False)

    def pack(self, low: Value, high: Value) -> Value:
        """Two integers in a word."""
        return self.op("Pack", low.whole(), high.whole())

    def whole(self, number: int) -> Value:
        """An integer constant."""
        d = Register(1, kept=True)
        self.control("Set", d, number & 0xFFFFFFFF)
        return Value(self, d, False, kind="Low")

    def field(self, name: str) -> Value:
        d = Register(1, kept=True)
        self.control("Field", d, numbers("Field")[name])
        return Value(self, d, False, kind="Low")

    def get(self, stored: Value) -> Value:
        """A scalar as memory holds it, or S of an integer."""
        return stored.up(self.zero)

    def max(self, a: Value, b: Value) -> Value:
        return self.op("Max", a, b)

    def cleared(self) -> Value:
        """A vector of zeros, in which each lane then keeps its greatest."""
        (found,) = self.vectors()
        found.let(self.op("Lift", self.zero, self.zero))
        return found

    def greatest(self, by_lane: Value, into: Value) -> None:
        """Of all lanes: halves are compared with each other."""
        lanes = LANES // 2
        while lanes:
            half = replace(by_lane, offset=by_lane.offset + lanes)
            (by_lane if lanes > 1 else into).let(self.op("Max", by_lane, half))
            self.lines[-1].lanes = lanes
            lanes //= 2

    # Blocks.

    def load_headers(self, *names: str) -> None:
        """Headers of blocks, into the half that the next `turn` makes the input."""
        for name in names:
            self.headers[name] = self.inputs
            self.control("Load", self.inputs, _transfer(name, header=True, words=8))
            self.inputs += 8

    def header(self, name: str, block: Block, member: str) -> Value:
        byte, _ = BLOCK_HEADER[block.name.lower()][member]
        return Value(self, self.headers[name] + byte // 8, False, kind=_kind(block, member, byte))

    def expect(self, op: str, *names: str) -> None:
        """Check, or History: whether blocks are written."""
        for name in names:
            kind = kind_of(name)
            self.control(op, self.headers[name], _first_words(kind))
            if op == "Check" and kind is Block.TALLY:
                self.control("Count", self.headers[name] + 1)

    def load(self, name: str, *members: str) -> list[Value]:
        """Members of the next 16 records of a block."""
        block = kind_of(name)
        record = BLOCK_RECORD[block.name.lower()]
        bytes_ = [record[member][0] for member in members]
        skip, last = min(bytes_) // 8, max(bytes_) // 8
        to = self._load(name, skip, last - skip + 1)
        return [
            Value(self, to + LANES * (byte // 8 - skip), True, kind=_kind(block, member, byte))
            for member, byte in zip(members, bytes_, strict=True)
        ]

    def load_kept(self, name: str, count: int) -> list[Value]:
        """Scalars that an earlier pass has stored in the block's records."""
        to = self._load(name, 0, count)
        return [Value(self, to + LANES * number, True) for number in range(count)]

    def _load(self, name: str, skip: int, words: int) -> int:
        to, self.inputs = self.inputs, self.inputs + LANES * words
        assert self.inputs <= INPUTS, f"{self.name} loads too much at a time"
        self.control("Load", to, _transfer(name, kind_of(name), skip=skip, words=words))
        return to

    def first(self, everything: bool = False) -> int:
        """The loads that follow are of block 0 and, in `blocks`, of the next ones; for `blocks`.

        Results count for the real channels, or for everything.
        """
        self.control("First", int(everything))
        self.inputs = 0
        return len(self.lines)

    @contextmanager
    def blocks(self, first: int) -> Iterator[None]:
        """A loop over blocks of 16 channels: what was loaded is taken, and the next one's is loaded."""
        loads = [line for line in self.lines[first:] if line.op == "Load"]
        start = len(self.lines)
        self.control("Turn")
        self.lines += [replace(load) for load in loads]
        yield
        self.lines.append(Line("Loop", self.condition, 1, start))
        self.loops.append((start, len(self.lines) - 1))

    def store(self, name: str, values: list[Value], part: str = "") -> None:
        """Vectors as the first words of the block's records; with `part`, only these, from that member on."""
        block = kind_of(name)
        skip = BLOCK_RECORD[block.name.lower()][part][0] // 8 if part else 0
        transfer = _transfer(name, block, skip=skip, words=len(values), part=bool(part))
        self.lines.append(Line("Store", self.condition, 1, values[0].home, values[0].offset, (), transfer))

    def header_words(self, name: str, count: int = 0) -> list[Value]:
        """Room for a header: its first word, which is set, and others."""
        home = Register(count + 1, kept=True)
        self.control("Set", home, _first_words(kind_of(name)))
        return [Value(self, home, False, number) for number in range(count + 1)]

    def clear(self, *values: Value) -> None:
        for value in values:
            self.lines.append(Line("Set", self.condition, 1, value.home, value.offset))

    def store_header(self, name: str, words: list[Value]) -> None:
        self.control("Store", words[0].home, _transfer(name, header=True, words=len(words)))


def kind_of(name: str) -> Block:
    """What lies at an address field."""
    kinds = {"in": "TENSOR", "in1": "TENSOR", "out": "TENSOR"}
    return Block[kinds.get(name, name.rstrip("1").upper())]


def _kind(block: Block, member: str, byte: int) -> str:
    """How a member is read; words have two halves."""
    if member in FIELD_KINDS:
        return FIELD_KINDS[member]
    types = BLOCK_RECORD.get(block.name.lower(), {}) | BLOCK_HEADER.get(block.name.lower(), {})
    return "Scalar" if types[member][1] == "scalar" else "High" if byte % 8 else "Low"


def _first_words(kind: Block) -> int:
    """The immediate of a header's first word: the kind, and P unless there are no records."""
    return (kind not in (Block.TENSOR, Block.STEP)) << 32 | int(kind)


def _transfer(
    name: str, block: Block | None = None, header: bool = False, skip: int = 0, words: int = 0, part: bool = False
) -> int:
    place = SCALAR_FIELDS[f"{name}_addr"][0] - FIRST_PLACE
    log = RECORD_BYTES[block.name.lower()].bit_length() - 1 if block else 0
    bits = (place << 1 | header) << 1 | part
    return ((bits << 3 | log) << 3 | skip) << 4 | words


def assemble(programs: list[Program]) -> tuple[list[int], dict[str, int]]:
    """The words of all programs, and where each begins."""
    words: list[int] = []
    entries: dict[str, int] = {}
    for program in programs:
        _place(program)
        entries[program.name] = len(words)
        for line in program.lines:
            if line.op == "Loop":
                line = replace(line, d=int(line.d) + entries[program.name])  # type: ignore[arg-type]
            words.append(line.encode())
    return words, entries


def _place(program: Program) -> None:
    """Addresses: words one behind the other; vectors from their first to their last use, in loops until their end."""
    spans: dict[Register, list[int]] = {}
    for number, line in enumerate(program.lines):
        for register in line.registers():
            spans.setdefault(register, [number, number])[1] = number
    for start, end in program.loops:
        for span in spans.values():
            if span[0] < start <= span[1] <= end:
                span[1] = end
    single, free = SINGLES, set(range(SINGLES // LANES))
    for register in spans:
        if register.words < LANES:
            register.address, single = single, single + register.words
    for register in spans:
        if register.words >= LANES and register.kept:
            count = register.words // LANES
            first = next(n for n in sorted(free) if free.issuperset(range(n, n + count)))
            register.address = LANES * first
            free -= set(range(first, first + count))
    assert single <= WORDS, f"{program.name} has too many single words"
    live: list[tuple[int, int]] = []  # last use and vector
    for register, (begin, end) in sorted(spans.items(), key=lambda item: item[1][0]):
        if register.words < LANES or register.kept:
            continue
        free |= {vector for last, vector in live if last <= begin}
        live = [(last, vector) for last, vector in live if last > begin]
        vector = min(free)
        free.remove(vector)
        live.append((end, vector))
        register.address = LANES * vector
