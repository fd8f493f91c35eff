"""Shapes of KHR_implicit_shapes and meshes of glTF nodes, scaled as their nodes are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .gltf_file import File
from .parts import Parts, hull, plane, transform, turn

__all__ = ["Shapes"]

Array = NDArray[np.float64]
Placed = tuple[dict[str, Any], Array]
#: Points on a round edge of a hull that stands for a round shape.
ROUND = 24


class Shapes:
    def __init__(self, file: File, parts: Parts) -> None:
        self.file, self.parts = file, parts
        self.list: list[dict[str, Any]] = file.extension("KHR_implicit_shapes").get("shapes", [])

    def of(self, geometry: dict[str, Any], left: Array, fixed: bool, where: str) -> Placed | None:
        """A shape in the frame of a node's pose; ``left`` (3, 3) is what of the node's transform is no rotation."""
        if not np.abs(left).max() > 0.0:
            self.parts.note("a collider of scale zero is off", where, "view")
            return None
        if "node" in geometry:
            return self.mesh(int(geometry["node"]), left, fixed and not geometry.get("convexHull"), where)
        number = int(geometry.get("shape", -1))
        if not 0 <= number < len(self.list):
            self.parts.note("a collider without geometry is left out", where, "contact")
            return None
        given = self.list[number]
        kind = str(given.get("type"))
        keys, scale = given.get(kind, {}), np.abs(np.diag(left))
        straight = np.allclose(left, np.diag(np.diag(left)), atol=1e-9 * np.abs(left).max())
        points = self.points(kind, keys)
        if kind == "plane" and fixed:
            return self.plane(keys, scale, where)
        if points is None:
            self.parts.note(f"a shape of the kind {kind} is left out", where, "contact")
            return None
        found = self.exact(kind, keys, scale) if straight else None
        if found is not None:
            return found
        self.parts.note(f"a {kind} of this form is a hull of points", where, "contact")
        shape = hull(points @ left.T)
        return None if shape is None else (shape, np.eye(4))

    @staticmethod
    def exact(kind: str, keys: dict[str, Any], scale: Array) -> Placed | None:
        """A shape that scenes have."""
        even = np.isclose(scale[0], scale[2], rtol=1e-6)
        if kind == "box":
            size = np.array(keys.get("size", (1, 1, 1)), dtype=float) * scale
            return {"box": {"half_extents": (size / 2).tolist()}}, np.eye(4)
        if kind == "sphere" and np.allclose(scale, scale[0], rtol=1e-6):
            return {"sphere": {"radius": float(keys.get("radius", 0.5) * scale[0])}}, np.eye(4)
        if kind not in ("cylinder", "capsule") or not even:
            return None
        bottom, top = (float(keys.get(f"radius{end}", 0.25) * scale[0]) for end in ("Bottom", "Top"))
        half = float(keys.get("height", 0.5) * scale[1] / 2)
        if bottom == top and (kind == "cylinder" or np.allclose(scale, scale[0], rtol=1e-6)):
            return {kind: {"radius": top, "half_height": half}}, np.eye(4)
        if kind == "cylinder" and min(bottom, top) == 0.0:
            turned = np.eye(4) if top == 0.0 else transform(turn((1, 0, 0), np.pi))
            return {"cone": {"radius": max(bottom, top), "half_height": half}}, turned
        return None

    @staticmethod
    def points(kind: str, keys: dict[str, Any]) -> Array | None:
        """Points whose hull is about the unscaled shape. (n, 3)"""
        angle = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
        ring = np.stack([np.cos(angle), np.zeros(ROUND), np.sin(angle)], axis=1)
        tilt = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
        ball = np.concatenate([np.cos(t) * ring + np.sin(t) * np.array([0, 1, 0]) for t in tilt])
        half = float(keys.get("height", 0.5)) / 2
        bottom, top = float(keys.get("radiusBottom", 0.25)), float(keys.get("radiusTop", 0.25))
        ends = np.array([[0, -half, 0], [0, half, 0]])
        if kind == "sphere":
            return float(keys.get("radius", 0.5)) * ball
        if kind == "cylinder":
            return np.concatenate([bottom * ring + ends[0], top * ring + ends[1]])
        if kind == "capsule":
            return np.concatenate([bottom * ball + ends[0], top * ball + ends[1]])
        if kind == "box":
            size = np.array(keys.get("size", (1, 1, 1)), dtype=float) / 2
            return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
        return None

    def plane(self, keys: dict[str, Any], scale: Array, where: str) -> Placed | None:
        """A half-space, or a sheet where it has an end."""
        if "sizeX" not in keys and "sizeZ" not in keys:
            if keys.get("doubleSided"):
                self.parts.note("a plane is solid below", where, "contact")
            return plane(where, np.array([0.0, 1.0, 0.0]), 0.0).shapes[0]
        x, z = (float(keys.get(key, 1e3)) * s / 2 for key, s in (("sizeX", scale[0]), ("sizeZ", scale[2])))
        corners = [[-x, 0, -z], [x, 0, -z], [x, 0, z], [-x, 0, z]]
        return {"mesh": {"vertices": corners, "triangles": [[0, 2, 1], [0, 3, 2]]}}, np.eye(4)

    def mesh(self, node: int, left: Array, keep: bool, where: str) -> Placed | None:
        """The mesh of a node: itself on a body that stays, its hull on one that moves."""
        if not 0 <= node < len(self.file.nodes):
            self.parts.note("a collider of a node that is not there is left out", where, "contact")
            return None
        if "skin" in self.file.nodes[node] or "weights" in self.file.nodes[node]:
            self.parts.note("a collider has its mesh without skin and morph weights", where, "contact")
        corners, faces = self.file.triangles(node)
        corners = corners @ left.T
        if np.linalg.det(left) < 0:
            faces = faces[:, ::-1]
        if keep and len(faces):
            return {"mesh": {"vertices": corners.tolist(), "triangles": faces.tolist()}}, np.eye(4)
        shape = hull(corners)
        if shape is None:
            self.parts.note("a mesh without volume is left out", where, "contact")
            return None
        from scipy.spatial import ConvexHull

        a, b, c = (corners[faces[:, k]] for k in range(3))
        volume = float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
        if abs(ConvexHull(corners).volume - volume) > 1e-3 * abs(volume):
            self.parts.note("a mesh that moves is its convex hull", where, "contact")
        return shape, np.eye(4)
