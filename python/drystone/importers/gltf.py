"""glTF scenes. Without an extension for physics every node with a mesh, as trimesh reads it, is a body of that name."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from ..errors import InputError
from .gltf_file import File, split
from .gltf_physics import EXTENSION, read_physics
from .parts import Imported, Link, Parts, hull

__all__ = ["read_gltf"]


def read_gltf(path: Path, fixed: list[str]) -> Imported:
    try:
        return _read(path, fixed)
    except InputError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, np.linalg.LinAlgError) as error:
        # the file is JSON of another form than its schema has
        raise InputError(f"{path}: cannot be read: {type(error).__name__}: {error}") from None


def _read(path: Path, fixed: list[str]) -> Imported:
    file = File(path)
    if file.has_extension(EXTENSION):
        return read_physics(path, file, fixed)
    try:
        loaded: Any = trimesh.load(path, force="scene")
    except Exception as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    parts = Parts(path.stem, (0.0, -9.81, 0.0))
    for node in sorted(loaded.graph.nodes_geometry):
        matrix, geometry = loaded.graph[node]
        mesh = loaded.geometry[geometry]
        # what of the transform is no rotation goes into the corners
        pose, left = split(matrix)
        corners = np.asarray(mesh.vertices) @ left.T
        link = Link(parts.name_of("body", str(node)), pose, fixed=any(fnmatch(str(node), pattern) for pattern in fixed))
        if link.fixed:
            faces = np.asarray(mesh.faces)
            if np.linalg.det(left) < 0:
                faces = faces[:, ::-1]
            link.shapes.append(({"mesh": {"vertices": corners.tolist(), "triangles": faces.tolist()}}, np.eye(4)))
        else:
            shape = hull(corners)
            if shape is None:
                parts.note("a mesh without volume is left out", str(node))
                continue
            parts.note("bodies that move are the convex hulls of their meshes, of the density of water", str(node))
            link.shapes.append((shape, np.eye(4)))
        parts.links.append(link)
    if not parts.links:
        raise InputError(f"{path}: found no node with a mesh")
    parts.note("materials, animations, skins, cameras and lights are left out", about="view")
    return parts.imported(homogeneous=True)
