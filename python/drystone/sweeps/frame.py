"""Results on disk and as a data frame."""

from __future__ import annotations

import importlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError

__all__ = ["Store", "frame_of", "read"]


def _needed(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.split(".")[0]
        extra = "polars" if name == "polars" else "sweep"
        raise InputError(f"sweeps need {name}: pip install 'drystone[{extra}]'") from None


def _uniform(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Columns of the rows; a column of values of several types is one of their JSON texts."""
    names: dict[str, None] = {}
    for row in rows:
        names |= dict.fromkeys(row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    for name, column in columns.items():
        kinds = {type(v) for v in column if v is not None}
        if kinds == {int, float}:
            columns[name] = [None if v is None else float(v) for v in column]
        elif len(kinds) > 1 or kinds & {list, dict}:
            columns[name] = [None if v is None else v if isinstance(v, str) else json.dumps(v) for v in column]
    return columns


#: Kinds of data frames.
KINDS = ("pandas", "polars", "arrow")


def check_kind(kind: str) -> str:
    if kind not in KINDS:
        raise InputError(f"frame: found {kind!r}; allowed: {', '.join(KINDS)}")
    return kind


def frame_of(rows: Sequence[dict[str, Any]], kind: str = "pandas") -> Any:
    """Rows as a frame of pandas or polars or a table of Arrow, in the order of the sweep."""
    columns = _uniform(sorted(rows, key=lambda r: r["number"]))
    if check_kind(kind) == "pandas":
        return _needed("pandas").DataFrame(columns)
    table = _needed("pyarrow").table(columns)
    return table if kind == "arrow" else _needed("polars").from_arrow(table)


class Store:
    """A folder of Parquet files; each is written at once, so that a sweep that is broken off leaves whole ones."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pyarrow, self.parquet = _needed("pyarrow"), _needed("pyarrow.parquet")
        self.waiting: list[dict[str, Any]] = []
        self.flushed = time.monotonic()
        self.next = 1 + max((int(p.stem.removeprefix("part-")) for p in self.parts()), default=-1)

    def parts(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def read(self) -> list[dict[str, Any]]:
        """All rows; of a key that occurs more than once the last."""
        rows: dict[str, dict[str, Any]] = {}
        for part in self.parts():
            for row in self.parquet.read_table(part).to_pylist():
                rows[row["key"]] = row
        return list(rows.values())

    def add(self, rows: Sequence[dict[str, Any]], every: float = 0.0) -> None:
        """Takes rows in, and writes what waits where that was last done ``every`` seconds ago."""
        self.waiting += rows
        if time.monotonic() - self.flushed >= every:
            self.flush()

    def flush(self) -> None:
        """Writes what waits."""
        self.flushed = time.monotonic()
        if not self.waiting:
            return
        table = self.pyarrow.table(_uniform(self.waiting))
        path = self.folder / f"part-{self.next:06d}.parquet"
        unfinished = path.with_suffix(".unfinished")
        self.parquet.write_table(table, unfinished)
        os.replace(unfinished, path)
        self.next, self.waiting = self.next + 1, []

    def compact(self) -> None:
        """One file in the place of many."""
        parts = self.parts()
        if len(parts) > 1:
            self.add(self.read())
            for part in parts:
                part.unlink()


def read(folder: str | os.PathLike[str], frame: str = "pandas") -> Any:
    """The results of a sweep, finished or not, from its folder, as a frame of ``pandas`` or ``polars`` or a table of ``arrow``."""
    if not Path(folder).is_dir():
        raise InputError(f"{os.fspath(folder)}: no such folder")
    return frame_of(Store(folder).read(), frame)
