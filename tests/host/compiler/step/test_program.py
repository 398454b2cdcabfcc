"""The plan and lists of whole iterations."""

import pytest

from host.compiler.bits import Bits
from host.compiler.layer import LayerError, Pass
from host.compiler.plan import PlanError
from host.compiler.step.__main__ import main
from host.compiler.step.backward import backward_list, head_blocks
from host.compiler.step.forward import forward_list
from host.compiler.step.head import ERROR_BITS
from host.compiler.step.network import Network
from host.compiler.step.networks import named, plain
from host.compiler.step.places import Places
from host.compiler.step.program import WIDEST, StepProgram
from host.compiler.step.space import Space, Span
from host.compiler.step.traffic import traffic
from host.compiler.step.widths import Seen
from sim.contract import (
    BlockPlace,
    Build,
    Encoded,
    Error,
    Tensor,
    check_command,
    operands,
)
from tests.host.compiler.step.small import mixed

ZC706 = Build.named("zc706")
NETWORKS = {
    "resnet": named("cifar10_resnet_14"),
    "bottleneck": named("cifar10_resnet_11_bottleneck"),
    "mixed": mixed(),
    "plain": plain("plain", (3, 16, 16), (16, 32, 32), (1, 2, 1), 10),
}


def used(command: Encoded) -> tuple[list[Span], list[Span]]:
    """The bytes a command reads, and those it writes."""
    found = operands(command)
    read, written = ([(each.address, each.end) for each in group.values()] for group in (found.sources, found.results))
    return read, written


def sources(places: Places, forward: list[Encoded], backward: list[Encoded]) -> list[list[int]]:
    """For each read of an iteration, the moment that last wrote there; −1: none did."""

    def host(*places: Tensor | BlockPlace) -> list[Span]:
        return [(each.address, each.end) for each in places]

    moments = [
        ([], host(places.images())),
        *map(used, forward),
        (host(places.pooled()), host(places.head_error(ERROR_BITS), *head_blocks(places))),
        *map(used, backward),
    ]
    found: list[list[int]] = []
    for number, (read, _) in enumerate(moments):
        found.append([])
        for start, end in read:
            writers = (
                earlier
                for earlier in range(number - 1, -1, -1)
                if any(start < other_end and other_start < end for other_start, other_end in moments[earlier][1])
            )
            found[-1].append(next(writers, -1))
    return found


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("bits", [Bits(8, 8), Bits(3, 8)], ids=str)
def test_what_is_read_is_what_was_written_although_bytes_are_shared(name, bits):
    network = NETWORKS[name]
    apart = Places(Space(), network, 2, bits, lambda unit, which, start: start)
    wanted = sources(apart, forward_list(apart, ZC706), backward_list(apart, ZC706))
    lists = StepProgram(network, 2, ZC706).training(bits)
    shared = sources(lists.places, list(lists.forward.commands), list(lists.backward.commands))
    assert shared == wanted


def test_dead_pieces_are_reused():
    program = StepProgram(named("cifar10_resnet_20"), 8, ZC706)
    apart = Places(Space(), program.network, 8, program.widest, lambda unit, which, start: start)
    forward_list(apart, ZC706), backward_list(apart, ZC706)
    assert program.bytes < 0.6 * apart.space.end


def test_resnet_74_with_batch_128_needs_less_than_a_third_of_the_sodimm():
    program = StepProgram(named("cifar10_resnet_74"), 128, ZC706, limit=1 << 30)
    assert program.bytes < 310e6
    with pytest.raises(PlanError, match=f"needs {program.bytes:,} bytes in one piece, 200,000,000 are available: "):
        StepProgram(program.network, 128, ZC706, limit=200_000_000)


def test_weights_and_records_stay_where_they_are_for_all_bits():
    program = StepProgram(named("cifar10_resnet_8"), 4, ZC706)
    kept = [
        {name: places.space.addresses[name] for name in places.space.kept}
        for places in (
            program.training(Bits(3, 8)).places,
            program.training(Bits(8, 8)).places,
            program.evaluation(Bits(8, 8)).places,
        )
    ]
    assert kept[0] == kept[1]
    assert kept[2].items() <= kept[0].items()
    assert {"conv1 weight", "conv1 velocity", "conv1 parameters", "rates step"} <= set(kept[0])


@pytest.mark.parametrize("name", NETWORKS)
def test_no_executor_refuses_a_list(name):
    program = StepProgram(NETWORKS[name], 2, ZC706, widest=Bits(9, 16), evaluation_batch=3)
    for bits in (Bits(2, 2), Bits(5, 8), Bits(9, 16)):
        lists = program.training(bits)
        for each in (lists.forward, lists.backward, program.evaluation(bits, 1).forward):
            where = (each.offset, each.offset + each.bytes)
            found = {check_command(one.encode(), ZC706, program.bytes, where) for one in each.commands}
            assert found == {Error.OK}


def test_results_are_stored_as_narrow_as_they_were_seen():
    program, seen, bits = StepProgram(named("cifar10_resnet_8"), 4, ZC706), Seen(), Bits(8, 8)
    before = program.widths(bits, seen)
    seen.add("conv1", Pass.FORWARD, bits, 1000)
    assert program.widths(bits, seen) == (12, *before[1:])
    assert program.widths(Bits(7, 8), seen)[0] > 12
    wide, narrow = traffic(program.training(bits)), traffic(program.training(bits, seen))
    assert narrow.per_element < wide.per_element
    seen.add("conv1", Pass.FORWARD, bits, 1 << 20)
    assert program.widths(bits, seen) == before


def test_bytes_moved_fall_with_the_forward_width():
    program = StepProgram(named("cifar10_resnet_20"), 8, ZC706)
    moved = [traffic(program.training(Bits(forward, 8))).per_element for forward in range(3, 9)]
    assert moved == sorted(moved)
    assert moved[0] < 0.85 * moved[-1]


def refused(network: Network, match: str, batch: int = 2, build: str = "zc706", bits: Bits = WIDEST) -> None:
    with pytest.raises((LayerError, PlanError), match=match):
        StepProgram(network, batch, Build.named(build), bits)


def test_what_cannot_run_is_refused_by_name():
    refused(named("cifar10_resnet_8"), "forward pass of 'conv1': .*row_words: needs 480, has 256", build="tiny")
    refused(plain("large", (3, 16, 16), (16,), (1,), 10), "network 'large': the last map is 16 × 16")
    refused(named("cifar10_resnet_8"), "'conv1': 2,048,000 results a channel with batch 2000: at most", batch=2000)
    refused(named("digits_resnet_8"), "forward bits = 10: whole iterations run at 2..9", bits=Bits(10, 8))
    program = StepProgram(named("digits_resnet_8"), 2, ZC706, widest=Bits(6, 8))
    with pytest.raises(LayerError, match="8/8 bits: the plan was made for at most 6/8"):
        program.training(Bits(8, 8))
    with pytest.raises(LayerError, match=r"3 images: an evaluation list was planned for 1\.\.2"):
        program.evaluation(Bits(6, 8), 3)


def test_the_command_prints_memory_and_bytes(capsys):
    assert main(["--arch", "cifar10_resnet_8", "--batch", "8", "--pieces"]) == 0
    out = capsys.readouterr().out
    assert "conv1 velocity" in out
    assert "cifar10_resnet_8, batch 8, up to 8/8 bits: " in out
    assert main(["--arch", "resnet18"]) == 2
    assert "'resnet18' does not run as whole iterations" in capsys.readouterr().err
