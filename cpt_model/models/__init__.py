"""The papers' networks.

>>> build("cifar10_resnet_8").fc.out_features
10
"""

from cpt_model.models.cifar_bottleneck import CifarBottleneckResNet
from cpt_model.models.cifar_resnet import CifarResNet
from cpt_model.models.imagenet_resnet import ImageNetResNet
from cpt_model.models.lstm_lm import LstmLM
from cpt_model.models.mobilenet_v2 import CifarMobileNetV2
from cpt_model.models.own import is_own, own_network
from cpt_model.models.registry import NETWORKS, build, entry
from cpt_model.models.transformer_lm import TransformerLM

__all__ = [
    "NETWORKS",
    "CifarBottleneckResNet",
    "CifarMobileNetV2",
    "CifarResNet",
    "ImageNetResNet",
    "LstmLM",
    "TransformerLM",
    "build",
    "entry",
    "is_own",
    "own_network",
]
