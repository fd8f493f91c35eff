"""Recorded motions as files that other programs read: MCAP, USD, glTF, Parquet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .._files import replacing
from ..errors import InputError

if TYPE_CHECKING:
    from ..world import World

__all__ = ["FORMATS", "save"]

#: By the end of a file's name.
FORMATS = (".mcap", ".usda", ".usdc", ".usd", ".parquet", ".gltf", ".html")


def save(world: World, path: str | os.PathLike[str]) -> None:
    """Writes what a world has recorded, or how it stands, in the format that the name's end tells; see :meth:`World.save`."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: found {path.suffix.lower()!r}; allowed: {', '.join(FORMATS)}")
    with replacing(path) as part:
        _write(world, part)


def _write(world: World, path: Path) -> None:
    kind = path.suffix.lower()
    if kind == ".gltf":
        path.write_text(world.gltf(), encoding="utf-8")
        return
    if kind == ".html":
        path.write_text(world.replay(), encoding="utf-8")
        return
    try:
        if kind == ".mcap":
            from .mcap import write_mcap

            write_mcap(world, path)
            return
        if kind == ".parquet":
            from .parquet import write_parquet

            write_parquet(world, path)
            return
        from .usd import write_usd

        write_usd(world, path)
    except ImportError as error:
        raise InputError(f"writing {kind} needs {error.name}: pip install 'drystone[export]'") from None
