"""How far the CPT authors' weights in the input error (by output channel) are from ours (by input channel).

Of ResNets as they are initialised: the difference of the two sets of weights, root mean square over that of theirs; and
the two gradients of the first layer, behind all input-error passes, as a cosine.
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from cpt_model import Bits, Config, prepare_
from cpt_model.arithmetic.weights import other_side
from cpt_model.benchmarks.timing import threads
from cpt_model.models import CifarResNet
from cpt_model.quantisers import SBM, AuthorsSBM

DEPTHS = (8, 74)
WIDTHS = (3, 6, 8)
BATCH = 16


def weights_difference(weights: list[Tensor], bits: int) -> float:
    quantise = SBM().weight
    theirs = torch.cat([quantise(each, bits).values().flatten() for each in weights])
    ours = torch.cat([other_side(quantise(other_side(each, 1), bits).values(), 1).flatten() for each in weights])
    return float((ours - theirs).norm() / theirs.norm())


def stem_cosine(model: CifarResNet, bits: int) -> float:
    """Of the gradients of a batch of noise; both draw the same noise for their errors."""
    images, labels = torch.randn(BATCH, 3, 32, 32), torch.arange(BATCH) % 10
    gradients = []
    for quantiser in (SBM.name, AuthorsSBM.name):
        trained = prepare_(copy.deepcopy(model), Config(quantiser, bits=Bits(bits, 8), results="exact"))
        nn.functional.cross_entropy(trained(images), labels).backward()
        assert trained.conv1.weight.grad is not None
        gradients.append(trained.conv1.weight.grad.flatten())
    return float(torch.cosine_similarity(gradients[0], gradients[1], dim=0))


def measure(repeat: int) -> dict[str, float]:
    """A repetition is a seed; the means of all."""
    results: dict[str, float] = {}
    with threads(2), torch.random.fork_rng(devices=[]):
        for depth in DEPTHS:
            models = []
            for seed in range(repeat):
                torch.manual_seed(seed)
                models.append(CifarResNet(depth))
            weights = [[each.detach() for each in model.parameters() if each.ndim == 4] for model in models]
            for bits in WIDTHS:
                differences = [100 * weights_difference(each, bits) for each in weights]
                cosines = [stem_cosine(model, bits) for model in models]
                results[f"ResNet-{depth}, {bits} bits, difference of weights (%)"] = sum(differences) / repeat
                results[f"ResNet-{depth}, {bits} bits, cosine of stem gradients"] = sum(cosines) / repeat
    return results
