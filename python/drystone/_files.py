"""Files that appear when they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of a file to be written beside another one, which it replaces if no error leaves the block. Whatever ends the program before leaves the other one as it was.

    What is no file, such as a terminal, is written to directly.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        yield path
        return
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
