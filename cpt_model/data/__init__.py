"""Real data, as tensors."""

from cpt_model.data.digits import Split, digits

__all__ = ["Split", "digits"]
