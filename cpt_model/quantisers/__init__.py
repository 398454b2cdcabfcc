"""The three quantisers of the CPT paper's Table 2, and the first as the authors' code has it, by name.

>>> quantiser("sbm").per_channel_weights
True
"""

from cpt_model.quantisers.base import Quantiser
from cpt_model.quantisers.dorefa import DoReFa
from cpt_model.quantisers.sbm import SBM, AuthorsSBM
from cpt_model.quantisers.wageubn import WAGEUBN

QUANTISERS: dict[str, type[Quantiser]] = {each.name: each for each in (SBM, AuthorsSBM, DoReFa, WAGEUBN)}


def quantiser(name: str) -> Quantiser:
    if name not in QUANTISERS:
        raise ValueError(f"unknown quantiser '{name}'; there are: {', '.join(QUANTISERS)}")
    return QUANTISERS[name]()


__all__ = ["QUANTISERS", "SBM", "WAGEUBN", "AuthorsSBM", "DoReFa", "Quantiser", "quantiser"]
