"""What a glTF file holds: nodes with their transforms, meshes with their triangles."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

__all__ = ["File", "rotation", "split"]

Array = NDArray[np.float64]
#: Component types of accessors, by their numbers.
TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def split(matrix: Array) -> tuple[Array, Array]:
    """The pose (4, 4) of a transform (4, 4), and what is left of it: scale, mirror and shear in the frame of that pose. (3, 3)"""
    left, _, right = np.linalg.svd(matrix[:3, :3])
    rotation = left @ right
    if np.linalg.det(rotation) < 0:
        rotation = left @ np.diag([1, 1, -1]) @ right
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, matrix[:3, 3]
    return pose, rotation.T @ matrix[:3, :3]


def rotation(q: Any) -> Array:
    """Of a quaternion ``[x, y, z, w]``. (3, 3)"""
    given = np.array(q, dtype=float)
    x, y, z, w = given / (np.linalg.norm(given) or 1.0)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class File:
    """A .gltf or .glb file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            data = path.read_bytes()
            self.binary = b""
            if data[:4] == b"glTF":
                data, self.binary = _chunks(data)
            self.json: dict[str, Any] = json.loads(data.decode("utf-8"))
            self.nodes: list[dict[str, Any]] = self.json.get("nodes", [])
            self.parent: dict[int, int] = {c: n for n, node in enumerate(self.nodes) for c in node.get("children", [])}
        except (ValueError, struct.error, AttributeError, TypeError) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        self._buffers: dict[int, bytes] = {}

    def extension(self, name: str) -> dict[str, Any]:
        return dict((self.json.get("extensions") or {}).get(name, {}))

    def has_extension(self, name: str) -> bool:
        """True if the file or one of its nodes has it."""
        objects = [self.json, *self.nodes]
        return any(isinstance(o, dict) and name in (o.get("extensions") or {}) for o in objects)

    def name(self, node: int) -> str:
        return str(self.nodes[node].get("name") or f"node{node}")

    def local(self, node: int) -> Array:
        """The transform of a node in its parent. (4, 4)"""
        matrix = self._local(self.nodes[node])
        if not np.isfinite(matrix).all():
            raise InputError(f"{self.path}: node {node}: found a transform that is not finite")
        return matrix

    @staticmethod
    def _local(given: dict[str, Any]) -> Array:
        if "matrix" in given:
            return np.array(given["matrix"], dtype=float).reshape(4, 4).T
        matrix = np.eye(4)
        scale = np.array(given.get("scale", (1, 1, 1)), dtype=float)
        with np.errstate(invalid="ignore"):
            matrix[:3, :3] = rotation(given.get("rotation", (0, 0, 0, 1))) * scale
        matrix[:3, 3] = given.get("translation", (0, 0, 0))
        return matrix

    def above(self, node: int) -> list[int]:
        """The node and its ancestors, from below."""
        found = [node]
        while found[-1] in self.parent and len(found) <= len(self.nodes):
            found.append(self.parent[found[-1]])
        return found

    def world(self, node: int) -> Array:
        """The transform of a node in the scene. (4, 4)"""
        matrix = np.eye(4)
        for n in self.above(node):
            matrix = self.local(n) @ matrix
        return matrix

    def triangles(self, node: int) -> tuple[Array, Array]:
        """Corners (n, 3), in the node's frame, and triangles (m, 3) of a node's mesh and of those below it."""
        corners, faces = np.zeros((0, 3)), np.zeros((0, 3), dtype=int)
        todo, seen = [(node, np.eye(4))], set()
        while todo:
            n, place = todo.pop()
            if n in seen:
                raise InputError(f"{self.path}: node {n} is below itself or twice below another")
            seen.add(n)
            todo += [(c, place @ self.local(c)) for c in self.nodes[n].get("children", [])]
            if "mesh" not in self.nodes[n]:
                continue
            for piece in self.json["meshes"][self.nodes[n]["mesh"]]["primitives"]:
                if piece.get("mode", 4) != 4 or "POSITION" not in piece.get("attributes", {}):
                    continue
                points = self.accessor(piece["attributes"]["POSITION"]) @ place[:3, :3].T + place[:3, 3]
                listed = self.accessor(piece["indices"]).ravel() if "indices" in piece else np.arange(len(points))
                order = listed.astype(int)[: len(listed) // 3 * 3].reshape(-1, 3)
                if np.linalg.det(place[:3, :3]) < 0:
                    order = order[:, ::-1]
                faces = np.concatenate([faces, order + len(corners)])
                corners = np.concatenate([corners, points])
        return corners, faces

    def accessor(self, number: int) -> Array:
        """The numbers of an accessor. (n, width)"""
        try:
            given = self.json["accessors"][number]
            kind, width = np.dtype(TYPES[given["componentType"]]), WIDTHS[given["type"]]
            count = int(given["count"])
            if "sparse" in given or "bufferView" not in given:
                raise InputError(f"{self.path}: accessor {number}: found a sparse one; allowed: numbers in a buffer")
            view = self.json["bufferViews"][given["bufferView"]]
            first = view.get("byteOffset", 0) + given.get("byteOffset", 0)
            step = view.get("byteStride") or kind.itemsize * width
            raw = np.frombuffer(self.buffer(view["buffer"]), dtype=np.uint8)
            row = kind.itemsize * width
            if count < 1 or first < 0 or step < row or raw.size < first + step * (count - 1) + row:
                raise ValueError("beyond the end of its buffer")
            rows = np.lib.stride_tricks.as_strided(raw[first:], (count, row), (step, 1))
            return np.ascontiguousarray(rows).view(kind).astype(float)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise InputError(f"{self.path}: accessor {number}: cannot be read: {error}") from None

    def buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self.json["buffers"][number].get("uri")
            if uri is None:
                self._buffers[number] = self.binary
            elif uri.startswith("data:"):
                self._buffers[number] = base64.b64decode(uri.partition(",")[2])
            else:
                file = self.path.parent / unquote(uri)
                if not file.is_file():
                    raise InputError(f"{self.path}: buffer {uri} is not there")
                self._buffers[number] = file.read_bytes()
        return self._buffers[number]


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """The two chunks of a .glb file."""
    found, at = {}, 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, at)
        found[kind] = data[at + 8 : at + 8 + length]
        at += 8 + length
    return found.get(0x4E4F534A, b""), found.get(0x004E4942, b"")
