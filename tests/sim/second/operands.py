"""What each command reads, writes and changes, from the sections of the document."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.sim.second.document import FLAGS, LAYOUTS, fields, numbers
from tests.sim.second.region import BlockSpan, Span, block, planes, whole_block, words


class Fields:
    """A command's fields and flags by name."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.opcode = data[0]
        self.layout = LAYOUTS[self.opcode]
        self.words = [int.from_bytes(data[4 * i : 4 * i + 4], "little") for i in range(32)]

    def __getattr__(self, name: str) -> int:
        word, low, width = fields(self.layout)[name]
        return self.words[word] >> low & (1 << width) - 1

    def has(self, flag: str) -> bool:
        return bool(self.flags >> numbers(FLAGS[self.layout])[flag] & 1)

    @property
    def count(self) -> int:
        return self.images * self.height * self.width


@dataclass
class Used:
    reads: dict[str, Span] = field(default_factory=dict)
    writes: dict[str, Span] = field(default_factory=dict)
    changes: dict[str, Span] = field(default_factory=dict)
    optional: dict[str, Span] = field(default_factory=dict)  # read if written

    def all(self) -> list[Span]:
        """What is written comes last; SCALE reads `out` and writes it."""
        read = {**self.reads, **self.optional}
        written = {**self.changes, **self.writes}
        return [*(place for name, place in read.items() if name not in written), *written.values()]


def used_by_map(c: Fields) -> Used:
    shape = (c.images, 16 * c.blocks, c.height, c.width)
    used = Used()
    for name in ("x0", "x1", "x2", "out0", "out1"):
        bits = getattr(c, f"{name}_bits")
        if bits:
            small = name == "x0" and c.has("BROADCAST")
            place = planes(getattr(c, f"{name}_addr"), (*shape[:2], 1, 1) if small else shape, bits)
            (used.writes if name.startswith("out") else used.reads)[name] = place
    if c.has("MASK_X0") or c.has("MASK_OUT"):
        used.reads["mask"] = planes(c.mask_addr, shape, 1)
    if c.has("MASK_WRITE"):
        used.writes["mask"] = planes(c.mask_addr, shape, 1)
    if c.out0_bits:
        used.reads["coefficients"] = block("COEFFICIENTS", c.coefficients_addr, shape[1])
    if c.has("STOCHASTIC"):
        used.reads["step"] = block("STEP", c.step_addr)
    if c.has("TALLY"):
        used.writes["tally"] = block("TALLY", c.tally_addr, shape[1])
    return used


KINDS = {"tally": "TALLY", "tally1": "TALLY", "norm": "NORM", "norm1": "NORM", "parameters": "PARAMETERS"}
KINDS |= {"units": "UNITS", "units1": "UNITS", "in": "TENSOR", "in1": "TENSOR", "out": "TENSOR"}
KINDS |= {"coefficients": "COEFFICIENTS", "step": "STEP"}


def used_by_scalar(c: Fields) -> Used:
    def named(*names: str) -> dict[str, Span]:
        places: dict[str, Span] = {}
        for name in names:
            places[name] = block(KINDS[name], getattr(c, f"{name}_addr"), whole_block(c.channels))
        return places

    stream, branch = c.has("STREAM"), c.has("BRANCH")
    if c.opcode == 4:
        if c.has("EVALUATE"):
            return Used(named("tally", "units", "in", "parameters"), named("norm"))
        return Used(named("tally", "units", "in", "step"), named("norm"), named("parameters"))
    used = Used(writes=named("coefficients", "out"))
    if c.opcode == 5:
        used.reads = named("norm", *(("tally1", "in1") * stream), *(("norm1",) * branch))
        used.optional = named(*(("tally", "out") * c.has("NODE")))
        return used
    used.reads = named("tally", "in", *(("units",) * (not c.has("POWER"))))
    if c.opcode == 6:
        used.reads |= named(*(("tally1", "in1") * (stream or branch)), *(("units1",) * branch))
    else:
        used.reads |= named("tally1", "norm", "step")
        used.changes = named("parameters")
    return used


def bundle(c: Fields) -> tuple[int, int]:
    """Input and output channels of a full bundle, padding included."""
    groups = 1
    while c.group_in and groups * c.group_in < c.in_channels:
        if groups * c.group_in % 16 == 0 and groups * c.group_out % 16 == 0:
            break
        groups += 1
    sides = (groups * c.group_in, groups * c.group_out) if c.group_in else (c.in_channels, c.out_channels)
    return whole_block(sides[0]), whole_block(sides[1])


def used_by_weights(c: Fields) -> Used:
    ins, outs = whole_block(c.in_channels), whole_block(c.out_channels)
    bundle_in, bundle_out = bundle(c)
    kernel = (c.kernel_h, c.kernel_w)
    w = words(c.w_addr, (ins, bundle_out, *kernel))
    max_out, max_in = block("MAXIMA", c.max_out_addr, outs), block("MAXIMA", c.max_in_addr, ins)
    if c.opcode == 8:
        reads: dict[str, Span] = {"acc": words(c.acc_addr, w.shape, 4 * c.acc_format)}
        reads |= {"x": block("TENSOR", c.x_addr), "e": block("TENSOR", c.e_addr), "step": block("STEP", c.step_addr)}
        v = words(c.v_addr, w.shape)
        return Used(reads, {"max_out": max_out, "max_in": max_in}, {"w": w, "v": v})
    used = Used({"w": w, "max_out": max_out}, {"codes": planes(c.codes_addr, (outs, bundle_in, *kernel), c.bits)})
    used.writes["units"] = block("UNITS", c.units_addr, outs)
    if c.has("BOTH"):
        used.reads["max_in"] = max_in
        used.writes["codes_in"] = planes(c.codes_in_addr, (ins, bundle_out, *kernel), c.bits)
        used.writes["units_in"] = block("UNITS", c.units_in_addr, ins)
    return used


def used_by(c: Fields) -> Used:
    return (used_by_map if c.opcode == 3 else used_by_scalar if c.opcode <= 7 else used_by_weights)(c)


def the_block(used: Used, name: str) -> BlockSpan:
    found = {**used.reads, **used.optional, **used.changes, **used.writes}[name]
    assert isinstance(found, BlockSpan)
    return found
