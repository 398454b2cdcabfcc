"""Real data, as tensors."""

from cpt_model.data.batches import Batch, Batches, TrainingBatches, test_batches
from cpt_model.data.catalogue import load_images
from cpt_model.data.digits import Split, digits
from cpt_model.data.images import DataError, ImageData, Images, ImageSource

__all__ = [
    "Batch",
    "Batches",
    "DataError",
    "ImageData",
    "ImageSource",
    "Images",
    "Split",
    "TrainingBatches",
    "digits",
    "load_images",
    "test_batches",
]
