"""Batches: each a function of (seed, step), whole epochs, equal shares among processes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from cpt_model.data import DataError, TrainingBatches, load_images, test_batches
from host.data.images import Chances, Floats, ImageData, Rows
from tests.cpt_model.data.small_sets import image_data


def equal(some: tuple[Tensor, Tensor], others: tuple[Tensor, Tensor]) -> bool:
    return torch.equal(some[0], others[0]) and torch.equal(some[1], others[1])


def test_a_batch_depends_on_seed_and_step_alone() -> None:
    data = image_data()
    straight, jumping = (TrainingBatches(data, 8, seed=5) for _ in range(2))
    found = [straight[step] for step in range(12)]
    for step in (11, 3, 7, 3, 0):
        assert equal(jumping[step], found[step])
    other = TrainingBatches(data, 8, seed=6)
    assert not any(equal(other[step], found[step]) for step in range(12))


def test_an_epoch_has_every_image_once_and_the_next_is_in_another_order() -> None:
    batches = TrainingBatches(image_data(43), 8, seed=0)
    assert batches.steps_per_epoch == 5
    epochs = [[row for step in range(5) for row in batches[5 * epoch + step][1].tolist()] for epoch in range(3)]
    for rows in epochs:
        assert len(set(rows)) == 40
    assert epochs[0] != epochs[1] != epochs[2]
    assert len({row for rows in epochs for row in rows}) == 43  # what one epoch leaves out, another has


def test_the_same_image_is_augmented_anew_in_each_epoch() -> None:
    batches = TrainingBatches(image_data(1), 1, seed=0)
    found = {batches[step][0].contiguous().numpy().tobytes() for step in range(8)}
    assert len(found) > 4


def test_without_augmentation_images_are_the_raw_ones() -> None:
    data = image_data()
    images, rows = TrainingBatches(data, 8, seed=1, augment=False)[2]
    assert np.array_equal(images, data.training(rows.numpy(), None))
    assert rows.dtype == torch.int64
    assert images.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("world", [2, 4])
def test_processes_share_the_global_batch(world: int) -> None:
    data = image_data()
    whole = TrainingBatches(data, 8, seed=3)
    shares = [TrainingBatches(data, 8, seed=3, rank=rank, world=world) for rank in range(world)]
    for step in (0, 4, 5):
        parts = [share[step] for share in shares]
        assert all(len(images) == 8 // world for images, _ in parts)
        assert equal((torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])), whole[step])


def test_a_limit_keeps_images_from_all_over_the_set() -> None:
    batches = TrainingBatches(image_data(40), 5, seed=0, limit=10)
    assert batches.steps_per_epoch == 2
    rows = sorted(row for step in range(2) for row in batches[step][1].tolist())
    assert rows == list(range(0, 40, 4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda data: TrainingBatches(data, 41, 0), "batch 41: small has only 40 training images"),
        (lambda data: TrainingBatches(data, 11, 0, limit=10), "only 10"),
        (lambda data: TrainingBatches(data, 0, 0), "batch 0: must be 1 or more"),
        (lambda data: TrainingBatches(data, 9, 0, world=2), "batch 9 does not divide among 2 processes"),
        (lambda data: TrainingBatches(data, 8, 0, rank=2, world=2), "process 2 of 2"),
        (lambda data: TrainingBatches(data, 8, 0, rank=-1, world=2), "process -1 of 2"),
        (lambda data: TrainingBatches(data, 8, -1), "seed -1"),
        (lambda data: TrainingBatches(data, 8, 0, limit=41), "limit 41"),
        (lambda data: TrainingBatches(data, 8, 0, limit=0), "limit 0"),
        (lambda data: TrainingBatches(data, 8, 0)[-1], "step -1: steps count from 0"),
        (lambda data: test_batches(data, 0), "batch 0"),
        (lambda data: test_batches(data, limit=18), "limit 18"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[ImageData], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(image_data())


def test_test_batches_come_once_in_order() -> None:
    data = image_data()
    found = list(test_batches(data, batch=5))
    assert [len(rows) for _, rows in found] == [5, 5, 5, 2]
    assert torch.cat([rows for _, rows in found]).tolist() == list(range(17))
    assert np.array_equal(torch.cat([images for images, _ in found]), data.testing(np.arange(17)))
    assert [len(rows) for _, rows in test_batches(data, batch=5, limit=6)] == [5, 1]


class SlowData(ImageData):
    """As slow to read as files, so that the next batch is read ahead; row 39 is damaged."""

    ahead = True

    def training(self, rows: Rows, chances: Chances | None) -> Floats:
        if 39 in rows:
            raise DataError("row 39 is damaged")
        return super().training(rows, chances)


def test_reading_ahead_changes_no_batch_and_an_error_comes_with_its_own_step() -> None:
    data = image_data()
    slow = SlowData(**{name: getattr(data, name) for name in data.__dataclass_fields__})
    plain, ahead = (TrainingBatches(some, 8, seed=4) for some in (data, slow))
    failed = 0
    for step in (0, 1, 2, 3, 4, 5, 9, 8, 6, 7):
        expected = plain[step]
        if 39 in expected[1]:
            failed += 1
            with pytest.raises(DataError, match="row 39"):
                ahead[step]
        else:
            assert equal(ahead[step], expected)
    assert failed == 2


def test_digits_are_the_split_of_seed_0() -> None:
    data = load_images("digits")
    assert isinstance(data, ImageData)
    assert (len(data.train.labels), len(data.test.labels), data.classes) == (1348, 449, 10)
    images, _ = next(iter(test_batches(data, 449)))
    assert abs(float(images.mean())) < 0.05
    assert abs(float(images.std()) - 1) < 0.05


def test_an_unknown_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'mnist' is not known; there are: cifar10, cifar100"):
        load_images("mnist")
