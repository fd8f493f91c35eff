"""Surfaces of the bodies and where they were: what every format needs."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

if TYPE_CHECKING:
    from ..world import World

__all__ = ["Motion", "Surface"]

COMPONENTS = {5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@dataclass
class Surface:
    """Triangles of a body, in its frame."""

    #: Corners (m). (k, 3)
    points: NDArray[np.float32]
    #: Counterclockwise from outside. (t, 3)
    triangles: NDArray[np.uint32]


@dataclass
class Motion:
    """What was recorded; one frame, as it stands, where nothing was."""

    names: list[str]
    surfaces: list[Surface]
    #: (f,)
    time: NDArray[np.float64]
    #: (f, n, 3)
    positions: NDArray[np.float64]
    #: ``[x, y, z, w]``. (f, n, 4)
    orientations: NDArray[np.float64]
    #: Columns of figures, a row a frame.
    figures: dict[str, NDArray[np.float64]]

    @classmethod
    def of(cls, world: World) -> Motion:
        names, surfaces = world.names, _surfaces(json.loads(world.gltf()))
        try:
            f = world.frames
        except InputError:
            kinetic, potential = world.energy
            figures = {"kinetic": np.array([kinetic]), "potential": np.array([potential])}
            return cls(
                names, surfaces, np.array([world.time]), world.positions[None], world.orientations[None], figures
            )
        figures = {
            "kinetic": f.kinetic,
            "potential": f.potential,
            "contacts": f.contacts,
            "penetration": f.penetration,
            "joint_error": f.joint_error,
        }
        return cls(names, surfaces, f.time, f.positions, f.orientations, figures)


def _surfaces(document: dict[str, Any]) -> list[Surface]:
    """The surfaces of a glTF document that the package itself wrote: a node with a mesh for each body; a camera and a light have none."""
    head, _, data = document["buffers"][0]["uri"].partition(",")
    if not head.endswith("base64"):
        raise InputError("glTF: a buffer without its data")
    buffer = base64.b64decode(data)

    def column(index: int) -> NDArray[Any]:
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        width, kind = WIDTHS[accessor["type"]], COMPONENTS[accessor["componentType"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return np.frombuffer(buffer, kind, accessor["count"] * width, start).reshape(-1, width)

    surfaces = []
    for node in document["nodes"]:
        if "mesh" not in node:
            continue
        (primitive,) = document["meshes"][node["mesh"]]["primitives"]
        corners, indices = column(primitive["attributes"]["POSITION"]), column(primitive["indices"])
        surfaces.append(Surface(corners, indices.reshape(-1, 3)))
    return surfaces
