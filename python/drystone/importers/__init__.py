"""Robot descriptions and models as scenes: URDF, MJCF, glTF, USD.

What a format says and a scene cannot is listed in the notes of what comes back, never dropped in silence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from .parts import Imported, Note

__all__ = ["Imported", "Note", "load"]

FORMATS = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".glb": "gltf", ".gltf": "gltf"}
FORMATS |= {".usd": "usd", ".usda": "usd", ".usdc": "usd", ".usdz": "usd"}


def load(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    configuration: Mapping[str, Any] | None = None,
    fixed_base: bool = False,
    fixed: Sequence[str] = (),
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    self_collision: bool = False,
) -> Imported:
    """Reads a description and gives a scene, with notes on what it leaves out.

    ``format`` is ``urdf``, ``mjcf``, ``gltf`` or ``usd``, told from the name (and the text of an ``.xml``) unless given.
    ``configuration`` maps joints to their coordinates (rad, m) at the start, where not given a model's own start, or zero
    (the nearest end where limits leave zero out). With
    ``fixed_base`` the first link of a robot does not move; ``fixed`` names nodes of a glTF scene that do not, as patterns like
    ``floor*``. ``packages`` maps names in ``package://NAME/…`` to folders; a folder of that name above the file is found without.
    ``self_collision`` lets the links of a URDF robot meet each other, but those that a joint or a weld connects; off as in Bullet.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    kind = format or FORMATS.get(path.suffix.lower())
    if kind == "mjcf" and format is None and "<robot" in path.read_text(encoding="utf-8", errors="replace")[:4000]:
        kind = "urdf"
    try:
        if kind == "urdf":
            from .urdf import read_urdf

            return read_urdf(path, dict(configuration or {}), fixed_base, dict(packages or {}), self_collision)
        if kind == "mjcf":
            from .mjcf import read_mjcf

            return read_mjcf(path, dict(configuration or {}), fixed_base)
        if kind == "gltf":
            from .gltf import read_gltf

            return read_gltf(path, list(fixed))
        if kind == "usd":
            from .usd import read_usd

            return read_usd(path, fixed_base)
    except ImportError as error:
        raise InputError(f"importing {kind} needs {error.name}: pip install 'drystone[import]'") from None
    raise InputError(f"{path}: found format {kind!r}; allowed: urdf, mjcf, gltf, usd")
