"""Section 11 of the document for the commands of the vector unit."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.second.document import FLAGS, fields, numbers
from tests.sim.second.operands import Fields, used_by
from tests.sim.second.region import BlockSpan, Region, Span

FLAGS_OF = {4: {"EVALUATE"}, 5: {"RELU", "NODE", "STREAM", "BRANCH"}, 6: {"STREAM", "BRANCH", "POWER"}, 7: {"POWER"}}
NAMES = {3: "MAP", 4: "NORM", 5: "SCALE", 6: "JOIN", 7: "ERROR", 8: "UPDATE", 9: "WEIGHTS"}


def verdicts(c: Fields, mem_bytes: int, commands: Span) -> Iterator[tuple[str, bool]]:
    """Each check that needs no data, in order: its error, and whether it fails."""
    yield "RESERVED", reserved(c)
    yield "WIDTH", not widths_hold(c)
    yield "FORMAT", wrong_format(c)
    yield "SHAPE", not shape_holds(c)
    yield "OVERFLOW", c.opcode <= 7 and c.count > 1048576
    used = used_by(c)
    yield "ALIGNMENT", any(place.address % 64 for place in used.all())
    yield "RANGE", any(place.end > mem_bytes for place in used.all())
    places = used.all()
    first_written = len(places) - len(used.changes) - len(used.writes)
    yield (
        "OVERLAP",
        any(
            place.overlaps(commands) or any(place.overlaps(other) for j, other in enumerate(places) if j != i)
            for i, place in enumerate(places)
            if i >= first_written
        ),
    )


def judge(c: Fields, mem_bytes: int, commands: Span) -> str:
    return next((error for error, fails in verdicts(c, mem_bytes, commands) if fails), "OK")


def reserved(c: Fields) -> bool:
    covered = [0] * 32
    for word, low, width in fields(c.layout).values():
        covered[word] |= (1 << width) - 1 << low
    defined = sum(1 << bit for bit in numbers(FLAGS[c.layout]).values())
    return any(word & ~mask for word, mask in zip(c.words, covered, strict=True)) or bool(c.flags & ~defined)


def widths_hold(c: Fields) -> bool:
    if c.opcode == 3:
        widths = (c.x1_bits, c.x2_bits, c.out0_bits, c.out1_bits)
        return 1 <= c.x0_bits <= 16 and all(width <= 16 for width in widths)
    if c.opcode == 5:
        wide = not c.has("NODE") or 2 <= c.wide_bits <= 16
        return (1 if c.has("RELU") else 2) <= c.bits <= 16 and wide
    if c.opcode == 6:
        return 2 <= c.wide_bits <= 16
    if c.opcode == 7:
        return 2 <= c.bits <= 16
    return c.opcode != 9 or (1 if c.has("HALF") else 2) <= c.bits <= 16


def wrong_format(c: Fields) -> bool:
    if c.opcode == 3:
        silent = c.out0_bits == 0
        needs_result = any(map(c.has, ("OUT_SIGNED", "STOCHASTIC", "MASK_OUT", "MASK_WRITE")))
        return (
            sum(map(c.has, ("MASK_X0", "MASK_OUT", "MASK_WRITE"))) > 1
            or (silent and not c.has("TALLY"))
            or (silent and (c.x1_bits > 0 or c.out1_bits > 0 or needs_result))
            or (c.x2_bits > 0 and not c.has("TALLY"))
            or (c.has("X1_SIGNED") and c.x1_bits == 0)
            or (c.has("OUT_SIGNED") and 1 in (c.out0_bits, c.out1_bits))
        )
    if c.opcode == 8:
        return c.bits != 0 or c.flags != 0 or c.acc_format not in (1, 2)
    if c.opcode == 9:
        return c.acc_format != 0
    foreign = [name for name in numbers("scalar flag") if name not in FLAGS_OF[c.opcode] and c.has(name)]
    bits, wide, second = c.bits != 0, c.wide_bits != 0, c.has("STREAM") or c.has("BRANCH")
    own = {4: bits or wide, 5: not c.has("NODE") and (wide or second), 6: bits, 7: wide}[c.opcode]
    return own or bool(foreign) or (c.has("STREAM") and c.has("BRANCH")) or max(c.shift, c.shift1) > 47


def shape_holds(c: Fields) -> bool:
    if c.opcode >= 8:
        channels = 1 <= c.in_channels <= 65520 and 1 <= c.out_channels <= 65520
        kernel = 1 <= c.kernel_h <= 15 and 1 <= c.kernel_w <= 15
        if c.group_in and c.group_out:
            ins, outs = divmod(c.in_channels, c.group_in), divmod(c.out_channels, c.group_out)
            return channels and kernel and ins == outs and ins[1] == 0
        return channels and kernel and c.group_in == c.group_out
    extents = c.images >= 1 and 1 <= c.height <= 4095 and 1 <= c.width <= 4095
    return extents and (1 <= c.blocks <= 4095 if c.opcode == 3 else 1 <= c.channels <= 65520)


def blocks_fit(c: Fields, region: Region) -> bool:
    """COEFFICIENTS."""
    used = used_by(c)
    for place in (*used.reads.values(), *used.changes.values()):
        if not isinstance(place, BlockSpan):
            continue
        if not region.written(place):
            return False
        if place.kind == "TALLY" and c.opcode <= 7 and region.get(place, "count") != c.count:
            return False
        if place.kind == "COEFFICIENTS":
            k, j, s = (region.get(place, name) for name in ("k", "j", "scale_shift"))
            if not (0 <= k <= 30 and -47 <= j <= 47 and 0 <= s <= 47):
                return False
    return True
