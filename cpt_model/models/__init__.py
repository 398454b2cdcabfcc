"""The papers' networks."""

from cpt_model.models.cifar_resnet import CifarResNet

__all__ = ["CifarResNet"]
