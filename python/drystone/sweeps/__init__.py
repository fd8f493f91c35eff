"""Many runs of a scene over a grid of settings, on any executor."""

from .frame import read
from .run import sweep

__all__ = ["read", "sweep"]
