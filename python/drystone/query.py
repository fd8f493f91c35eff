"""Questions about placed shapes, without a world."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._text import dumps, real

__all__ = ["query"]


def query(
    pairs: Sequence[Mapping[str, Any]], narrow_phase: str | Sequence[str] = "all", envelope: float = 1e-4
) -> list[dict[str, Any]]:
    """Asks narrow phases about pairs of placed shapes.

    ``pairs`` is a list of ``{"a": {"shape": {…}, "position": [x, y, z], "orientation": [x, y, z, w]}, "b": {…}}`` with shapes
    as in scenes. Pairs within ``envelope`` (m) count as touching; contacts farther apart are left out. The answer has a dict
    for each pair and narrow phase: ``relation`` (separated, touching, penetrating), signed ``distance`` (m), unit ``normal``
    from A to B, ``witness_a`` and ``witness_b`` (m), ``contacts``, ``iterations``, ``microseconds``; or ``unsupported``.
    """
    names = [narrow_phase] if isinstance(narrow_phase, str) else list(narrow_phase)
    return json.loads(_native.query(dumps({"pairs": list(pairs)}), names, real(envelope, "envelope")))
