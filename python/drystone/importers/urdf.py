"""URDF, read by yourdfpy; meshes by trimesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import yourdfpy

from ..errors import InputError
from .parts import Y_TO_Z, Imported, JointPart, Link, Parts, hull, limits, transform, turn, unit

__all__ = ["read_urdf"]

FREE = ("revolute", "continuous", "prismatic")


def read_urdf(path: Path, configuration: dict[str, Any], fixed_base: bool, packages: dict[str, Any]) -> Imported:
    try:
        # yourdfpy takes what it can of a text that is no XML
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if root.tag != "robot":
        raise InputError(f"{path}: found <{root.tag}>; allowed: <robot>")
    for kind in ("link", "joint"):
        names = [str(one.get("name")) for one in root.findall(kind)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(f"{path}: found {kind} {', '.join(twice)} more than once; allowed: names of their own")
    try:
        robot = yourdfpy.URDF.load(str(path), build_scene_graph=False, load_meshes=False)
    except Exception as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return Reader(path, robot.robot, configuration, fixed_base, packages).read()


def _pose(origin: Any) -> Any:
    return np.eye(4) if origin is None else np.asarray(origin, dtype=float)


def _number(value: Any) -> float:
    try:
        return 0.0 if value is None else float(value)
    except ValueError:
        return 0.0


class Reader:
    def __init__(
        self, path: Path, robot: Any, configuration: dict[str, Any], fixed_base: bool, packages: dict[str, Any]
    ):
        self.path, self.robot, self.packages, self.fixed_base = path, robot, packages, fixed_base
        self.parts = Parts(robot.name or path.stem, (0.0, 0.0, -9.81))
        self.links = {link.name: link for link in robot.links}
        self.joints = {joint.name: joint for joint in robot.joints}
        if unknown := sorted(set(configuration) - set(self.joints)):
            raise InputError(f"configuration: found {unknown}; allowed: joints of {self.parts.name}")
        self.configuration = configuration
        #: The body that a link is, or is part of; none: the world.
        self.body: dict[str, Link | None] = {}

    def coordinate(self, joint: Any, depth: int = 0) -> float:
        """Where a joint is; one that mimics another where that one tells it to be."""
        if joint.name in self.configuration:
            return float(self.configuration[joint.name])
        mimic = joint.mimic
        if mimic is None or depth > len(self.joints):
            return 0.0
        other = self.joints.get(mimic.joint)
        if other is None:
            self.parts.note("mimics a joint that does not exist: starts at the offset", joint.name)
        place = 0.0 if other is None else self.coordinate(other, depth + 1)
        return (1.0 if mimic.multiplier is None else mimic.multiplier) * place + (mimic.offset or 0.0)

    def read(self) -> Imported:
        children = {joint.child for joint in self.robot.joints}
        roots = [name for name in self.links if name not in children]
        if not roots:
            raise InputError(f"{self.path}: found no first link; allowed: links and joints in a tree")
        below: dict[str, list[Any]] = {}
        for joint in self.robot.joints:
            below.setdefault(joint.parent, []).append(joint)
        todo = [(root, np.eye(4), None) for root in roots]
        while todo:
            name, pose, joint = todo.pop(0)
            if name not in self.links or name in self.body:
                raise InputError(f"{self.path}: link {name!r} is missing or has two parents")
            self.add(self.links[name], pose, joint)
            for next_joint in below.get(name, []):
                todo.append((next_joint.child, pose @ self.motion(next_joint), next_joint))
        return self.parts.imported()

    def motion(self, joint: Any) -> Any:
        """The child's frame in the parent's."""
        origin, q = _pose(joint.origin), self.coordinate(joint)
        if joint.type not in FREE:
            return origin
        axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else np.asarray(joint.axis, dtype=float)
        try:
            axis = unit(axis)
        except InputError as error:
            raise InputError(f"{self.path}: joint {joint.name!r}: {error}") from None
        if joint.type in ("revolute", "continuous"):
            return origin @ transform(turn(axis, q))
        return origin @ transform(translation=axis * q)

    def add(self, link: Any, pose: Any, joint: Any) -> None:
        inertial = link.inertial
        mass = 0.0 if inertial is None or inertial.mass is None else float(inertial.mass)
        fused = joint is not None and joint.type == "fixed" and mass == 0.0
        parent = self.body[joint.parent] if joint is not None else None
        if fused and parent is None and not (link.collisions or link.visuals):
            self.body[link.name] = None
            return
        if fused and parent is not None:
            self.parts.note("a link without mass on a fixed joint: part of the body before it", link.name)
            place = np.linalg.inv(parent.pose) @ pose
            if parent.collides or not link.collisions:
                self.shapes(link, parent, place)
            self.body[link.name] = parent
            return
        root = joint is None
        if root and mass == 0.0 and not (link.collisions or link.visuals):
            # a frame of the world
            self.body[link.name] = None
            return
        body = Link(link.name, pose, fixed=(root and (mass == 0.0 or self.fixed_base)) or (fused and parent is None))
        if mass > 0.0:
            origin = _pose(inertial.origin)
            tensor = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, dtype=float)
            body.mass, body.center = mass, origin[:3, 3]
            body.inertia = origin[:3, :3] @ tensor @ origin[:3, :3].T
        self.shapes(link, body, np.eye(4))
        self.parts.links.append(body)
        self.body[link.name] = body
        if joint is not None and not body.fixed:
            self.joint(joint, pose, parent, body)

    def shapes(self, link: Any, body: Link, place: Any) -> None:
        """Collision geometry, or else what is seen, which then meets nobody."""
        seen = not link.collisions
        if seen and link.visuals and body.shapes:
            return
        for piece in link.visuals if seen else link.collisions:
            shape = self.shape(piece.geometry, link.name)
            if shape is not None:
                body.shapes.append((shape[0], place @ _pose(piece.origin) @ shape[1]))
        if seen and link.visuals:
            body.collides = False
            self.parts.note("no collision geometry: has its visual one and meets nobody", link.name)
        elif link.visuals:
            self.parts.note("visual geometry beside collision geometry is left out", link.name)

    def shape(self, geometry: Any, of: str) -> tuple[dict[str, Any], Any] | None:
        if geometry is None:
            return None
        if geometry.box is not None:
            return {"box": {"half_extents": (np.asarray(geometry.box.size, dtype=float) / 2).tolist()}}, np.eye(4)
        if geometry.sphere is not None:
            return {"sphere": {"radius": float(geometry.sphere.radius)}}, np.eye(4)
        if geometry.cylinder is not None:
            keys = {"radius": float(geometry.cylinder.radius), "half_height": float(geometry.cylinder.length) / 2}
            return {"cylinder": keys}, Y_TO_Z
        if geometry.mesh is not None:
            return self.mesh(geometry.mesh, of)
        self.parts.note("geometry of a kind that is not known is left out", of)
        return None

    def mesh(self, mesh: Any, of: str) -> tuple[dict[str, Any], Any] | None:
        import trimesh

        file = self.file(mesh.filename)
        if file is None:
            self.parts.note(f"mesh {mesh.filename} is not there", of)
            return None
        try:
            loaded: Any = trimesh.load(file, force="mesh")
            points = np.asarray(loaded.vertices)
        except Exception as error:
            self.parts.note(f"mesh {mesh.filename} cannot be read ({type(error).__name__})", of)
            return None
        shape = hull(points * (1.0 if mesh.scale is None else np.asarray(mesh.scale, dtype=float)))
        if shape is None:
            self.parts.note(f"mesh {mesh.filename} spans no volume", of)
            return None
        self.parts.note("meshes are their convex hulls", of)
        return shape, np.eye(4)

    def file(self, name: str) -> Path | None:
        """Where a mesh is: beside the description, or in the package it names."""
        if name.startswith("package://"):
            package, _, rest = name.removeprefix("package://").partition("/")
            if package in self.packages:
                found = Path(self.packages[package]) / rest
                return found if found.is_file() else None
            tried = (folder / package / rest for folder in self.path.resolve().parents)
            return next((file for file in tried if file.is_file()), None)
        file = self.path.parent / name.removeprefix("file://")
        return file if file.is_file() else None

    def joint(self, joint: Any, pose: Any, parent: Link | None, body: Link) -> None:
        bodies = (parent.name if parent is not None else "world", body.name)
        if joint.type == "floating":
            return
        axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else np.asarray(joint.axis, dtype=float)
        # the joint's frame turns with the child, its axis does not change by that
        keys: dict[str, Any] = {"anchor": pose[:3, 3], "axis": pose[:3, :3] @ axis}
        kind = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "planar": "planar"}.get(joint.type)
        if joint.type == "fixed":
            kind, keys = "fixed", {"anchor": pose[:3, 3]}
        if kind is None:
            self.parts.note(f"joint of the kind {joint.type} is left out", joint.name)
            return
        now = self.coordinate(joint)
        if joint.type in ("revolute", "prismatic") and joint.limit is None:
            self.parts.note("has no limits, though joints of its kind must: turns or slides without end", joint.name)
        if joint.type in ("revolute", "prismatic") and joint.limit is not None:
            lower, upper = _number(joint.limit.lower), _number(joint.limit.upper)
            if lower > upper:
                self.parts.note("limits that are crossed are left out", joint.name)
            else:
                keys |= limits(lower, upper, now)
        if (
            joint.limit is not None
            and joint.type in FREE
            and (_number(joint.limit.effort) or _number(joint.limit.velocity))
        ):
            self.parts.note("bounds on effort and velocity are left out: a joint's motor has its own", joint.name)
        if joint.dynamics is not None and joint.type in FREE:
            # yourdfpy leaves these as texts
            friction, damping = _number(joint.dynamics.friction), _number(joint.dynamics.damping)
            if friction > 0.0:
                keys["friction"] = friction
            if damping > 0.0:
                keys["spring"] = {"stiffness": 0.0, "damping": damping}
            if friction < 0.0 or damping < 0.0:
                self.parts.note("negative friction or damping is left out", joint.name)
        if joint.mimic is not None:
            self.parts.note("mimics another joint at the start only: nothing couples them", joint.name)
        for what in ("calibration", "safety_controller"):
            if getattr(joint, what, None) is not None:
                self.parts.note(f"{what.replace('_', ' ')} is left out", joint.name)
        self.parts.joints.append(JointPart(joint.name, kind, bodies, keys))
