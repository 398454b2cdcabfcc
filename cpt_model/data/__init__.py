"""Real data, as tensors."""

from cpt_model.data.batches import Batch, Batches, TrainingBatches, test_batches
from cpt_model.data.catalogue import IMAGE_SETS, load_images
from cpt_model.data.digits import Split, digits
from cpt_model.data.text import load_text
from cpt_model.data.text_batches import TextBatches, text_test_batches
from cpt_model.data.text_data import TextData
from host.data.images import DataError, ImageData, Images, ImageSource
from host.data.store import data_folder

__all__ = [
    "IMAGE_SETS",
    "Batch",
    "Batches",
    "DataError",
    "ImageData",
    "ImageSource",
    "Images",
    "Split",
    "TextBatches",
    "TextData",
    "TrainingBatches",
    "data_folder",
    "digits",
    "load_images",
    "load_text",
    "test_batches",
    "text_test_batches",
]
