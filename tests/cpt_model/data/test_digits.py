"""Digits: splits that do not overlap and repeat."""

from __future__ import annotations

import torch

from cpt_model.data import digits


def test_splits_are_disjoint_complete_and_balanced() -> None:
    train, test = digits(seed=3)
    assert len(train.images) + len(test.images) == 1797
    together = torch.cat([train.labels, test.labels]).bincount()
    assert together.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    known = {image.numpy().tobytes() for image in train.images}
    assert not any(image.numpy().tobytes() in known for image in test.images)


def test_the_seed_decides() -> None:
    assert torch.equal(digits(1)[0].images, digits(1)[0].images)
    assert not torch.equal(digits(1)[0].images, digits(2)[0].images)
