"""The STEP block that is packed in one go has the contract's members where the contract has them."""

from __future__ import annotations

import numpy as np

from host.compiler.step.fixed import scalar_of
from host.compiler.step.rates import Rates
from sim.contract import Block, BlockPlace


def test_every_member_is_in_its_place():
    rates = Rates(seed=(7 << 48) + (9 << 16), **{name: 10 + n for n, name in enumerate(list(vars(Rates.of(0.1)))[1:])})
    memory = np.full(192, 0xA5, np.uint8)
    place = BlockPlace(Block.STEP, 64)
    rates.write(place, memory)
    assert place.written(memory)
    header = place.header(memory)[0]
    assert {name: int(header[name]) for name in vars(rates)} == vars(rates)
    assert tuple(header["keep"].tolist()) == scalar_of(0.1)
    assert (memory[:64] == 0xA5).all()
    assert (memory[128:] == 0xA5).all()
    assert (memory[64 + 48 : 128] == 0).all()
