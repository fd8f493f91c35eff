"""What the package gives as dicts, lists, texts and numbers: for ``json.dumps``, YAML, databases."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._native import NativeSnapshot, StepReport
from .errors import InputError
from .handles import Body, Joint
from .world import World

__all__ = ["to_plain"]


def to_plain(value: Any) -> Any:
    """A value of this package, or a list or table of such, as ``json.dumps`` takes it.

    A :class:`~drystone.World`, :class:`~drystone.Body`, :class:`~drystone.Joint` or :class:`~drystone.StepReport` gives its ``to_dict``,
    a snapshot the tables of its ``to_json``, events, contacts, hits, frames and solutions dicts of their fields, an array nested lists.
    Anything else raises :class:`~drystone.InputError`.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (World, Body, Joint, StepReport)):
        return value.to_dict()
    if isinstance(value, NativeSnapshot):
        return json.loads(value.to_json())
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: to_plain(v) for name, v in value._asdict().items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    raise InputError(
        f"to_plain: found {type(value).__name__}; allowed: values of drystone, arrays, lists, tables, numbers, texts"
    )
