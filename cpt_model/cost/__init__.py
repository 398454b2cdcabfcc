"""What training costs: counts of a network, bit operations and hours of a precision schedule, the papers' tables.

>>> network = count_network("cifar10_resnet_20")
>>> static, cyclic = Run.named("8/8"), Run.named("3-8/8")
>>> print(f"{gbitops(network, static, AS_PAPERS):.3e} {gbitops(network, cyclic, AS_PAPERS):.3e}")
6.482e+07 4.105e+07
>>> print(f"{saving_pct(network, cyclic, static, AS_PAPERS):.2f} %, what stays float counted as such: "
...       f"{saving_pct(network, cyclic, static):.2f} %")
36.67 %, what stays float counted as such: 31.68 %
>>> print(f"{paper_board().hours(network, cyclic):.1f} h")
8.6 h
"""

from cpt_model.cost.bit_operations import (
    AS_PAPERS,
    FLOAT_LAYERS,
    bit_operations,
    bit_products,
    gbitops,
    saving_pct,
    step_cost,
)
from cpt_model.cost.linear_board import LinearBoard, paper_board
from cpt_model.cost.run import Run
from cpt_model.cost.trace import count, count_network
from cpt_model.tracing.counts import LayerCount, ModelCount

__all__ = [
    "AS_PAPERS",
    "FLOAT_LAYERS",
    "LayerCount",
    "LinearBoard",
    "ModelCount",
    "Run",
    "bit_operations",
    "bit_products",
    "count",
    "count_network",
    "gbitops",
    "paper_board",
    "saving_pct",
    "step_cost",
]
