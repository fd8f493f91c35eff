"""Recorded motions as tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from ..errors import InputError

if TYPE_CHECKING:
    from ..world import World

__all__ = ["write_parquet"]

AXES = ("x", "y", "z")
FIGURES = ("kinetic", "potential", "contacts", "penetration", "joint_error")


def write_parquet(world: World, path: Path) -> None:
    """A row for each body of each frame, the frame's figures beside it; what the world is and how it is set in the metadata."""
    names = world.names
    parts: dict[str, NDArray[np.float64]]
    figures: dict[str, NDArray[np.float64]] = {}
    try:
        frames = world.frames
    except InputError:  # nothing was recorded: the present state is one frame
        time = np.array([world.time])
        parts = {
            "position": world.positions[None],
            "orientation": world.orientations[None],
            "linear_velocity": world.linear_velocities[None],
            "angular_velocity": world.angular_velocities[None],
        }
    else:
        time = frames.time
        parts = {
            "position": frames.positions,
            "orientation": frames.orientations,
            "linear_velocity": frames.linear_velocities,
            "angular_velocity": frames.angular_velocities,
        }
        figures = {name: getattr(frames, name) for name in FIGURES}
    columns = {"time": pa.array(np.repeat(time, len(names))), "body": pa.array(names * len(time), pa.string())}
    for name, values in parts.items():
        for k, axis in enumerate((*AXES, "w")[: values.shape[2]]):
            columns[f"{name}_{axis}"] = pa.array(np.ascontiguousarray(values[:, :, k]).ravel())
    for name, values in figures.items():
        columns[name] = pa.array(np.repeat(values, len(names)))
    table = pa.table(columns)
    told = {"drystone": json.dumps(world.info)}
    parquet.write_table(table.replace_schema_metadata(told), path)
