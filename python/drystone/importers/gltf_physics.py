"""glTF scenes with KHR_physics_rigid_bodies and KHR_implicit_shapes: bodies, colliders, materials, filters, triggers."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from .gltf_file import File, rotation, split
from .gltf_joints import Joints
from .gltf_shapes import Shapes
from .parts import Imported, Link, Parts

__all__ = ["EXTENSION", "read_physics"]

EXTENSION = "KHR_physics_rigid_bodies"
#: How two coefficients combine; the earlier rule counts.
RULES = ("average", "minimum", "maximum", "multiply")
#: The order of a scene's own rules; the later counts.
SCENE_RULES = ("average", "minimum", "multiply", "maximum")
#: Density of what moves and has no mass (kg/m^3).
WATER = 1000.0
#: A moment of inertia without bound, in multiples of the largest other one.
ENDLESS = 1e6


def read_physics(path: Path, file: File, fixed: list[str]) -> Imported:
    return Reader(path, file, fixed).read()


def combine(rule: str, a: float, b: float) -> float:
    if rule == "average":
        return (a + b) / 2
    return {"minimum": min(a, b), "maximum": max(a, b)}.get(rule, a * b)


class Reader:
    def __init__(self, path: Path, file: File, fixed: list[str]) -> None:
        self.file, self.fixed = file, fixed
        self.parts = Parts(path.stem, (0.0, -9.81, 0.0))
        self.shapes = Shapes(file, self.parts)
        top = file.extension(EXTENSION)
        self.surfaces: list[dict[str, Any]] = top.get("physicsMaterials", [])
        self.filters: list[dict[str, Any]] = top.get("collisionFilters", [])
        self.parts.meets = self.meets
        #: Per node its body.
        self.links: dict[int, Link] = {}
        self.used: dict[str, int] = {}

    def physics(self, node: int) -> dict[str, Any]:
        return dict(self.file.nodes[node].get("extensions", {}).get(EXTENSION, {}))

    def read(self) -> Imported:
        nodes = range(len(self.file.nodes))
        for node in nodes:
            if "motion" in self.physics(node):
                self.motion(node, self.physics(node)["motion"])
        for node in nodes:
            for key in ("collider", "trigger"):
                if key in self.physics(node):
                    self.collider(node, self.physics(node)[key], key == "trigger")
        joints = Joints(self.file, self.parts, self.owner)
        for node in nodes:
            if "joint" in self.physics(node):
                joints.add(node, self.physics(node)["joint"])
        self.parts.links = list(self.links.values())
        for link in self.links.values():
            if not link.shapes and not link.fixed:
                self.parts.note("a body without collider meets nobody", link.name, "view")
        self.mixed_materials()
        self.parts.note("pictures, animations, skins, cameras and lights are left out", about="view")
        return self.parts.imported(homogeneous=True)

    def owner(self, node: int) -> Link | None:
        """The body that a node is part of: its own, or that of the nearest node above with a motion."""
        for n in self.file.above(node):
            if n in self.links and "motion" in self.physics(n):
                return self.links[n]
        return self.links.get(node)

    def motion(self, node: int, motion: dict[str, Any]) -> None:
        """A body that moves. Its velocities and inertia are in the frame of its node."""
        pose, left = split(self.file.world(node))
        given = self.file.name(node)
        link = Link(self.parts.name_of("body", given, "name" in self.file.nodes[node]), pose)
        link.keys = keys = {}
        for key, name in (("linear_velocity", "linearVelocity"), ("angular_velocity", "angularVelocity")):
            if name in motion:
                keys[key] = (pose[:3, :3] @ np.array(motion[name], dtype=float)).tolist()
        if "gravityFactor" in motion:
            keys["gravity_scale"] = float(motion["gravityFactor"])
        if motion.get("isKinematic"):
            keys["kind"] = "scripted"
            keys.pop("gravity_scale", None)
        elif "mass" in motion and motion["mass"] == 0:
            keys["lock_translation"] = True
        elif "mass" in motion:
            keys["mass"] = float(motion["mass"])
        if "centerOfMass" in motion and keys.get("kind") is None:
            keys["center_of_mass"] = (left @ np.array(motion["centerOfMass"], dtype=float)).tolist()
        if "inertiaDiagonal" in motion and keys.get("kind") is None:
            self.inertia(link, motion)
        self.links[node] = link

    def inertia(self, link: Link, motion: dict[str, Any]) -> None:
        """Principal moments; a zero stands for one without bound."""
        moments = np.array(motion["inertiaDiagonal"], dtype=float)
        if not moments.any():
            link.keys["lock_rotation"] = True
            return
        if not moments.all():
            self.parts.note("a moment of inertia without bound is a million times the largest other", link.name)
            moments[moments == 0] = ENDLESS * moments.max()
        if "mass" not in link.keys:
            self.parts.note("an inertia without a mass is left out", link.name)
            return
        axes = rotation(motion.get("inertiaOrientation", (0, 0, 0, 1)))
        i = axes @ np.diag(moments) @ axes.T
        link.keys["inertia"] = np.diag(i).tolist()
        if np.abs([i[0, 1], i[0, 2], i[1, 2]]).max() > 0.0:
            link.keys["products_of_inertia"] = i[[0, 0, 1], [1, 2, 2]].tolist()
        link.keys.setdefault("center_of_mass", [0.0, 0.0, 0.0])

    def collider(self, node: int, collider: dict[str, Any], senses: bool) -> None:
        owner = self.owner(node)
        pose, left = split(self.file.world(node))
        where = self.file.name(node)
        geometry = collider.get("geometry")
        if geometry is None:
            # the nodes of a compound trigger are triggers themselves
            return
        if senses and owner is not None:
            self.parts.note("a trigger on a body that moves is left out", where, "control")
            return
        if owner is None:
            owner = Link(self.parts.name_of("body", where, "name" in self.file.nodes[node]), pose, fixed=True)
            owner.keys = {"sensor": True} if senses else {}
        shape = self.shapes.of(geometry, left, owner.fixed, where)
        if shape is None:
            return
        self.links.setdefault(node, owner) if owner.fixed else None
        owner.shapes.append((shape[0], np.linalg.inv(owner.pose) @ pose @ shape[1]))
        filters = frozenset({collider.get("collisionFilter")})
        if owner.filter is not None and owner.filter != filters:
            self.parts.note("all colliders of a body meet what one of them meets", owner.name, "contact")
        owner.filter = filters | (owner.filter or frozenset())
        if "physicsMaterial" in collider:
            material = self.material(int(collider["physicsMaterial"]))
            if owner.material not in (None, material):
                self.parts.note("a body has one material here: that of its first collider", owner.name, "contact")
            owner.material = owner.material or material

    # surfaces

    def material(self, number: int) -> str:
        given = self.surfaces[number] if 0 <= number < len(self.surfaces) else {}
        name = f"material{number}"
        if name not in self.used:
            self.used[name] = number
            friction, restitution = self.coefficients(number)
            still = float(given.get("staticFriction", friction))
            if still != friction:
                self.parts.note("static and dynamic friction differ: the dynamic one is taken", name, "contact")
            rules = {f"{key}_rule": self.rule(number, key) for key in ("friction", "restitution")}
            keys = {"friction": friction, "restitution": min(max(restitution, 0.0), 1.0), **rules}
            self.parts.materials[name] = {**keys, "density": WATER}
        return name

    def coefficients(self, number: int) -> tuple[float, float]:
        given = self.surfaces[number] if 0 <= number < len(self.surfaces) else {}
        friction = float(given.get("dynamicFriction", given.get("staticFriction", 0.6)))
        return friction, float(given.get("restitution", 0.0))

    def rule(self, number: int, key: str) -> str:
        given = self.surfaces[number] if 0 <= number < len(self.surfaces) else {}
        return str(given.get(f"{key}Combine", "average"))

    def mixed_materials(self) -> None:
        """Pairs whose rules differ: a scene has another order of them."""
        for one, other in combinations_with_replacement(self.used, 2):
            pair = self.used[one], self.used[other]
            keys = {}
            for at, key in enumerate(("friction", "restitution")):
                rules = {self.rule(n, key) for n in pair}
                wanted, found = min(rules, key=RULES.index), max(rules, key=SCENE_RULES.index)
                a, b = (self.coefficients(n)[at] for n in pair)
                if combine(wanted, a, b) != combine(found, a, b):
                    keys[key] = min(combine(wanted, a, b), 1.0 if key == "restitution" else np.inf)
            if keys:
                self.parts.material_pairs.append({"between": [one, other], **keys})

    def meets(self, one: Any, other: Any) -> bool:
        if one is None or other is None:
            return True
        return any(self.lets(a, b) and self.lets(b, a) for a in one for b in other)

    def lets(self, one: int | None, other: int | None) -> bool:
        """Whether the filter of the second lets the systems of the first in: any of them, as in Khronos' samples."""
        first, second = ({} if n is None or n >= len(self.filters) else self.filters[n] for n in (one, other))
        systems = set(first.get("collisionSystems", []))
        if "collideWithSystems" in second and systems:
            return bool(systems & set(second["collideWithSystems"]))
        return not systems & set(second.get("notCollideWithSystems", []))
