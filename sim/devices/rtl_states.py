"""Coverage of the RTL's state machines: the states their sources declare, and those that a process has reached.

A machine is a module with a register `state_q` of an enumeration `state_e`; the harness looks at all of them in every
cycle, over all cores of the process.
"""

from __future__ import annotations

import ctypes
import re
from itertools import count

from sim.contract import Build
from sim.devices.rtl_library import with_vector_unit
from sim.devices.rtl_pins import library_of
from sim.devices.rtl_sources import RTL, rtl_sources

ENUMERATION = re.compile(r"typedef\s+enum\s+logic[^{]*\{(?P<states>[^}]*)\}\s*state_e\s*;")
# Modules of the vector unit begin so; machines of theirs are in a core only that has one.
VECTOR_UNIT = ("map_", "scalar_", "vector_", "weight_")
COMMENT = re.compile(r"//[^\n]*")


def declared_states() -> dict[str, list[str]]:
    """The states of each machine, by module, in the order of their numbers.

    >>> declared_states()["core"]
    ['Idle', 'Start', 'Run', 'Failed']
    """
    machines = {}
    for path in rtl_sources():
        if path.stem.startswith(VECTOR_UNIT) and not with_vector_unit():
            continue
        found = ENUMERATION.search(COMMENT.sub("", path.read_text(encoding="utf-8")))
        if found is not None:
            machines[path.stem] = [state.strip() for state in found["states"].split(",")]
    return machines


def module_at(path: str) -> str:
    """The module of an instance, found in the sources of those above it; generate blocks have no file.

    >>> module_at("cpt_kernel.u_core.u_sequencer.u_conv")
    'conv_reads'
    >>> module_at("cpt_kernel.gen_vector.u_vector.u_scalar")
    'scalar_engine'
    """
    module, *instances = (part for part in path.split(".") if not part.startswith("gen_"))
    for instance in instances:
        source = COMMENT.sub("", (RTL / f"{module}.sv").read_text(encoding="utf-8"))
        found = re.search(rf"(\w+)\s+(?:#\((?:[^()]|\([^()]*\))*\)\s*)?{instance}\s*\(", source)
        if found is None:
            raise ValueError(f"{module}.sv: no instance {instance}, which {path} names")
        module = found[1]
    return module


def reached_states(build: Build) -> dict[str, set[str]]:
    """The states that this process's cores of a build have been in, by module, since `forget_states`."""
    library, declared = library_of(build), declared_states()
    path, mask = ctypes.c_char_p(), ctypes.c_uint64()
    reached: dict[str, set[str]] = {}
    for number in count():
        if not library.cpt_rtl_machine(number, ctypes.byref(path), ctypes.byref(mask)):
            break
        module = module_at((path.value or b"").decode().removeprefix("TOP."))
        states = declared.get(module, [])
        if mask.value >> len(states):
            raise RuntimeError(f"{module}: state_q was outside the {len(states)} states of its state_e")
        reached.setdefault(module, set()).update(state for place, state in enumerate(states) if mask.value >> place & 1)
    return reached


def forget_states(build: Build) -> None:
    library_of(build).cpt_rtl_forget_states()


def never_reached(build: Build) -> list[str]:
    """`module.State` of every state that was not reached; a machine that is not watched lacks all of them."""
    reached = reached_states(build)
    return [
        f"{module}.{state}"
        for module, states in declared_states().items()
        for state in states
        if state not in reached.get(module, set())
    ]
