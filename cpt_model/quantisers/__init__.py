"""The three quantisers of the CPT paper's Table 2, by name.

>>> quantiser("sbm").per_channel_weights
True
"""

from cpt_model.quantisers.base import Quantiser
from cpt_model.quantisers.dorefa import DoReFa
from cpt_model.quantisers.sbm import SBM
from cpt_model.quantisers.wageubn import WAGEUBN

QUANTISERS: dict[str, type[Quantiser]] = {each.name: each for each in (SBM, DoReFa, WAGEUBN)}


def quantiser(name: str) -> Quantiser:
    if name not in QUANTISERS:
        raise ValueError(f"unknown quantiser '{name}'; there are: {', '.join(QUANTISERS)}")
    return QUANTISERS[name]()


__all__ = ["QUANTISERS", "SBM", "WAGEUBN", "DoReFa", "Quantiser", "quantiser"]
