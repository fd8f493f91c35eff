"""MCAP with Foxglove's messages as JSON: where bodies are, what they look like, and figures over time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from mcap.writer import Writer

from .motion import Motion

if TYPE_CHECKING:
    from ..world import World

__all__ = ["write_mcap"]

#: The frame that bodies are placed in.
ROOT = "world"


def _schema(title: str, properties: dict[str, str]) -> bytes:
    body = {name: {"type": kind} for name, kind in properties.items()}
    return json.dumps({"title": title, "type": "object", "properties": body}).encode()


def _stamp(time: float) -> dict[str, int]:
    nanoseconds = round(time * 1e9)
    return {"sec": nanoseconds // 10**9, "nsec": nanoseconds % 10**9}


def _named(names: str, values: Any) -> dict[str, float]:
    return dict(zip(names, (float(v) for v in values)))


def _entity(name: str, points: Any, triangles: Any, time: float) -> dict[str, Any]:
    empty: dict[str, Any] = {
        k: [] for k in ("metadata", "arrows", "cubes", "spheres", "cylinders", "lines", "texts", "models")
    }
    shape = {
        "pose": {"position": _named("xyz", (0, 0, 0)), "orientation": _named("xyzw", (0, 0, 0, 1))},
        "points": [_named("xyz", p) for p in points],
        "indices": np.asarray(triangles).ravel().tolist(),
        "color": {"r": 0.72, "g": 0.5, "b": 0.34, "a": 1.0},
        "colors": [],
    }
    place = {"timestamp": _stamp(time), "frame_id": name, "id": name, "lifetime": _stamp(0.0), "frame_locked": True}
    return {**place, **empty, "triangles": [shape]}


def write_mcap(world: World, path: Path) -> None:
    motion = Motion.of(world)
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="", library="drystone")

        def channel(topic: str, title: str, properties: dict[str, str]) -> int:
            schema = writer.register_schema(name=title, encoding="jsonschema", data=_schema(title, properties))
            return writer.register_channel(topic=topic, message_encoding="json", schema_id=schema)

        transforms = channel("/tf", "foxglove.FrameTransforms", {"transforms": "array"})
        scene = channel("/scene", "foxglove.SceneUpdate", {"deletions": "array", "entities": "array"})
        figures = channel("/figures", "drystone.Figures", {name: "number" for name in motion.figures})

        def message(to: int, time: float, content: dict[str, Any], number: int) -> None:
            at = round(time * 1e9)
            writer.add_message(
                channel_id=to, log_time=at, publish_time=at, data=json.dumps(content).encode(), sequence=number
            )

        start = float(motion.time[0])
        entities = [_entity(n, s.points, s.triangles, start) for n, s in zip(motion.names, motion.surfaces)]
        message(scene, start, {"deletions": [], "entities": entities}, 0)
        for i, time in enumerate(motion.time.tolist()):
            placed = [
                {
                    "timestamp": _stamp(time),
                    "parent_frame_id": ROOT,
                    "child_frame_id": name,
                    "translation": _named("xyz", motion.positions[i, b]),
                    "rotation": _named("xyzw", motion.orientations[i, b]),
                }
                for b, name in enumerate(motion.names)
            ]
            message(transforms, time, {"transforms": placed}, i)
            message(figures, time, {k: float(v[i]) for k, v in motion.figures.items() if np.isfinite(v[i])}, i)
        writer.finish()
