"""An ImageNet-like folder of small JPEGs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from cpt_model.data import DataError, TrainingBatches, load_images, test_batches
from cpt_model.data.image_folder import ImageFolderData, random_part
from tests.cpt_model.data.small_sets import write_jpeg

COLOURS = {"n01": (255, 0, 0), "n02": (0, 255, 0), "n03": (0, 0, 255)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, colour in COLOURS.items():
        for number in range(4):
            write_jpeg(tmp_path / "train" / name / f"{number}.JPEG", 60 + 10 * number, 50, colour)
        write_jpeg(tmp_path / "val" / name / "a.JPEG", 40, 80, colour)
    (tmp_path / "train" / "n01" / "notes.txt").write_text("not an image")
    return tmp_path


def test_classes_are_the_folders_in_order(folder: Path) -> None:
    data = load_images("imagenet", folder)
    assert data.classes == 3
    assert data.train_labels.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert data.test_labels.tolist() == [0, 1, 2]


def test_testing_takes_the_middle(folder: Path) -> None:
    images, labels = next(iter(test_batches(load_images("imagenet", folder), 3)))
    assert images.shape == (3, 3, 224, 224)
    assert images.is_contiguous(memory_format=torch.channels_last)
    for image, label in zip(images, labels.tolist(), strict=True):
        bright, dark = image[:, :, :100].mean((1, 2)), image[:, :, 124:].mean((1, 2))
        assert int((bright - dark).argmax()) == label
        assert float((bright - dark).max()) > 3  # 255 of 255 in units of the deviation is more than 4
        # The middle of 256: the edge between colour and black is in the middle of the cut as well.
        row = image[label, 112]
        assert abs(int((row > row.mean()).sum()) - 112) <= 2


def test_testing_keeps_the_proportions(folder: Path) -> None:
    tall = Image.new("RGB", (40, 80))
    tall.paste((255, 255, 255), (0, 0, 40, 18))  # above the middle: the cut begins at row 22
    tall.save(folder / "val" / "n01" / "a.JPEG")
    images = load_images("imagenet", folder).testing(np.array([0]))
    assert float(images.max() - images.min()) < 1


def test_training_mirrors_by_chance(folder: Path) -> None:
    data = load_images("imagenet", folder)
    chances = np.full((2, data.draws), 0.3)
    chances[1, -1] = 0.7
    mirrored, straight = data.training(np.array([0, 0]), chances)
    assert np.array_equal(mirrored[..., ::-1], straight)
    assert not np.array_equal(mirrored, straight)


def test_files_are_in_the_order_of_their_names(folder: Path) -> None:
    for number in range(30, 10, -1):
        (folder / "train" / "n01" / f"{number}.jpg").touch()
    paths = ImageFolderData(folder).train.paths
    assert len(paths) == 32
    assert paths == sorted(paths)


def test_a_batch_depends_on_seed_and_step_alone_whatever_the_workers(folder: Path) -> None:
    one, four = (load_images("imagenet", folder, workers=workers) for workers in (1, 4))
    straight, jumping = TrainingBatches(one, 4, seed=2), TrainingBatches(four, 4, seed=2)
    found = [straight[step] for step in range(4)]
    for step in (3, 0, 1, 2):
        images, labels = jumping[step]
        assert torch.equal(images, found[step][0])
        assert torch.equal(labels, found[step][1])
    share = TrainingBatches(one, 4, seed=2, rank=1, world=2)[3]
    assert torch.equal(share[0], found[3][0][2:])


def test_a_random_part_keeps_to_its_areas_and_shapes() -> None:
    areas, places = [], []
    for chance in np.random.default_rng(0).random((500, ImageFolderData.draws)):
        left, top, right, bottom = random_part(500, 400, chance)
        assert 0 <= left < right <= 500
        assert 0 <= top < bottom <= 400
        areas.append((right - left) * (bottom - top) / 200_000)
        places.append(left)
        assert 0.74 < (right - left) / (bottom - top) < 1.35
    assert 0.079 < min(areas) < 0.1
    assert 0.9 < max(areas) <= 1
    assert min(places) < 10
    assert max(places) > 250


@pytest.mark.parametrize(("size", "box"), [((1000, 10), (493, 0, 506, 10)), ((10, 1000), (0, 493, 10, 506))])
def test_a_part_that_never_fits_is_the_middle(size: tuple[int, int], box: tuple[int, int, int, int]) -> None:
    assert random_part(*size, np.full(ImageFolderData.draws, 0.999)) == box


def test_what_is_missing_or_damaged_is_named(folder: Path) -> None:
    (folder / "train" / "n02" / "2.JPEG").write_bytes((folder / "train" / "n02" / "2.JPEG").read_bytes()[:300])
    with pytest.raises(DataError, match=r"n02.2.JPEG: cannot be decoded"):
        load_images("imagenet", folder).training(np.arange(12), None)
    with pytest.raises(ValueError, match="0 workers"):
        load_images("imagenet", folder, workers=0)
    write_jpeg(folder / "train" / "n04" / "0.JPEG", 30, 30, (1, 1, 1))
    with pytest.raises(DataError, match="class 'n04' is in only one of train/ and val/"):
        load_images("imagenet", folder)
    (folder / "val" / "n04").mkdir()
    with pytest.raises(DataError, match=r"val.n04: no image"):
        load_images("imagenet", folder)
    with pytest.raises(DataError, match=r"train: no such folder; expected train/CLASS"):
        load_images("imagenet", folder / "val" / "n04")
    (folder / "flat" / "train").mkdir(parents=True)
    with pytest.raises(DataError, match="no class folders"):
        load_images("imagenet", folder / "flat")
