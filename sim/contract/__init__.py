"""The contract in Python: constants, builds, commands, tensors, layout, checks. CONTRACT.md is the text.

Everything but the random numbers (`sim.contract.noise`) is imported from here.
"""

from sim.contract.blocks import BlockPlace
from sim.contract.build import Build
from sim.contract.checks import (
    REQUANTISED,
    check_command,
    check_fields,
    check_list,
    fits_on_chip,
    on_chip_needs,
    terms,
    tiles_apart,
)
from sim.contract.command import (
    CLASSES,
    Command,
    Encoded,
    MapCommand,
    ScalarCommand,
    WeightCommand,
    encode_list,
    flag_bits,
)
from sim.contract.constants import *
from sim.contract.counters import NOTHING, Counters
from sim.contract.cycles import array_cycles
from sim.contract.executor import Executor
from sim.contract.features import ALL_FEATURES, features_of, has_vector_unit
from sim.contract.layout import (
    WORD_TYPES,
    blocks_of,
    code_range,
    pack_planes,
    pack_words,
    plane_bytes,
    unpack_planes,
    unpack_words,
    word_bytes,
)
from sim.contract.operands import Operands, Place, operands, tally_of
from sim.contract.outcome import Outcome
from sim.contract.tensors import (
    PLANE_WORD,
    SUM_WORD,
    WIDEST_BEAT,
    Memory,
    Tensor,
    operand_a,
    operand_b,
    output,
    row_sums,
)
from sim.contract.vector_checks import check_blocks
