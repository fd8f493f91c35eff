"""Geoms of an MJCF model: shapes, friction, and which bodies meet."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from .parts import Y_TO_Z, Link, hull, plane

if TYPE_CHECKING:
    from .mjcf import Model

__all__ = ["Surface"]

#: Friction of a geom: condim, priority, coefficients (sliding; spinning and rolling in m).
Friction = tuple[int, int, tuple[float, float, float]]


class Surface:
    """Turns geoms into shapes, materials and collision classes of links."""

    def __init__(self, model: Model) -> None:
        self.model, self.m, self.parts = model, model.m, model.parts
        self.frictions: dict[str, Friction] = {}
        #: Numbers of the contact pairs in which a geom is.
        self.paired: dict[int, set[int]] = {}
        for pair in range(self.m.npair):
            for g in (self.m.pair_geom1[pair], self.m.pair_geom2[pair]):
                self.paired.setdefault(int(g), set()).add(pair)
        self.parts.meets = _meet
        self.off = model.disabled("CONTACT") or model.disabled("CONSTRAINT")
        #: Names of the bodies that geoms of the world are.
        self.of_world: set[str] = set()

    def finish(self) -> None:
        """Friction of pairs of materials, and notes on what contacts lose."""
        for one, other in combinations_with_replacement(self.frictions, 2):
            wanted = _combined(self.frictions[one], self.frictions[other])
            by_rule = tuple(max(a, b) for a, b in zip(_acting(self.frictions[one]), _acting(self.frictions[other])))
            if wanted != by_rule:
                keys = dict(zip(("friction", "spinning_friction", "rolling_friction"), wanted))
                self.parts.material_pairs.append({"between": [one, other], **keys, "restitution": 0.0})
        links = [link for link in (*self.parts.links, *self.parts.planes) if link.collides and link.filter]
        present = {bits for link in links for bits in link.filter[0]}
        for link in links:
            met = [{other for other in present if _bits_meet(bits, other)} for bits in link.filter[0]]
            if any(one != met[0] for one in met):
                self.parts.note("all geoms of a body meet what one of them meets", link.name, "contact")
        for pair in range(0 if self.off else self.m.npair):
            self.parts.note(
                "the contact pair has the friction of its bodies", self.model.place("PAIR", pair), "contact"
            )
        defaults = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
        for g in range(0 if self.off else self.m.ngeom):
            if not self.collides(g):
                continue
            where = self.model.place("GEOM", g)
            for what in ("solref", "solimp"):
                if np.any(getattr(self.m, f"geom_{what}")[g] != getattr(defaults, f"geom_{what}")[0]):
                    self.parts.note("softness of contacts (solref, solimp) is left out", where, "contact")
            if self.m.geom_margin[g] or self.m.geom_gap[g]:
                self.parts.note("margin and gap of a geom are left out", where, "contact")

    def world(self) -> None:
        """The world's own geometry: planes, and bodies that are fixed."""
        for g in range(self.m.ngeom):
            if self.m.geom_bodyid[g] != 0 or not self.collides(g):
                continue
            pose = self.model.frame("geom", g)
            name = self.parts.name_of("body", self.model.name("GEOM", g), self.model.is_named("GEOM", g))
            if self.m.geom_type[g] == mujoco.mjtGeom.mjGEOM_PLANE:
                normal = pose[:3, 2]
                link = plane(name, normal, float(normal @ pose[:3, 3]), self.material(g))
                self.parts.planes.append(link)
            else:
                link = Link(name, pose, fixed=True, material=self.material(g))
                if (shape := self.shape(g, True)) is None:
                    continue
                link.shapes.append(shape)
                self.parts.links.append(link)
            link.filter = self.filter([g])
            link.collides = not self.off
            self.of_world.add(name)

    def filter(self, geoms: list[int]) -> Any:
        """The class of a body: contype and conaffinity of its geoms, and its contact pairs."""
        bits = frozenset((int(self.m.geom_contype[g]), int(self.m.geom_conaffinity[g])) for g in geoms)
        pairs = frozenset(p for g in geoms for p in self.paired.get(g, ()))
        return bits, pairs

    def collides(self, g: int) -> bool:
        return bool(self.m.geom_contype[g] or self.m.geom_conaffinity[g] or g in self.paired)

    def material(self, g: int) -> str:
        one, two, three = (float(f) for f in self.m.geom_friction[g])
        friction = (int(self.m.geom_condim[g]), int(self.m.geom_priority[g]), (one, two, three))
        for name, known in self.frictions.items():
            if known == friction:
                return name
        sliding, spinning, rolling = _acting(friction)
        name = f"mu-{sliding:g}".replace(".", "_")
        while name in self.frictions:
            name += "-"
        # MuJoCo takes the larger of two coefficients
        keys: dict[str, Any] = {"friction": sliding, "restitution": 0.0, "friction_rule": "maximum"}
        if spinning:
            keys["spinning_friction"] = spinning
        if rolling:
            keys["rolling_friction"] = rolling
        self.frictions[name], self.parts.materials[name] = friction, keys
        return name

    def add(self, body: int, link: Link, place: Any) -> None:
        """The geometry of a body at its place in a link."""
        first = int(self.m.body_geomadr[body])
        of_it = list(range(first, first + int(self.m.body_geomnum[body])))
        solid = [g for g in of_it if self.collides(g)]
        if not solid and link.shapes:
            return
        for g in solid or of_it:
            if (shape := self.shape(g, link.fixed)) is not None:
                link.shapes.append((shape[0], place @ self.model.frame("geom", g) @ shape[1]))
        if solid and not link.filter:
            link.material, link.filter = self.material(solid[0]), self.filter(solid)
            if len({self.material(g) for g in solid}) > 1:
                self.parts.note("a body has one friction here: that of its first geom", link.name, "contact")
        elif solid:
            link.filter = tuple(a | b for a, b in zip(link.filter, self.filter(solid)))
        if (of_it and not solid) or self.off:
            link.collides = False
        elif len(solid) < len(of_it):
            self.parts.note("geoms that meet nothing are left out", link.name, "view")

    def shape(self, g: int, fixed: bool) -> tuple[dict[str, Any], Any] | None:
        """A shape and its place in the geom's frame."""
        m, kinds, where = self.m, mujoco.mjtGeom, self.model.place("GEOM", g)
        # a number of NumPy's is in no tuple of these names
        kind, size = kinds(int(m.geom_type[g])), [float(s) for s in m.geom_size[g]]
        if kind == kinds.mjGEOM_SPHERE:
            return {"sphere": {"radius": size[0]}}, np.eye(4)
        if kind == kinds.mjGEOM_BOX:
            return {"box": {"half_extents": size}}, np.eye(4)
        if kind in (kinds.mjGEOM_CAPSULE, kinds.mjGEOM_CYLINDER):
            name = "capsule" if kind == kinds.mjGEOM_CAPSULE else "cylinder"
            return {name: {"radius": size[0], "half_height": size[1]}}, Y_TO_Z
        if kind == kinds.mjGEOM_ELLIPSOID:
            self.note(g, "ellipsoids are hulls of 162 points", where)
            shape = hull(_sphere_points() * size)
            return None if shape is None else (shape, np.eye(4))
        if kind in (kinds.mjGEOM_MESH, kinds.mjGEOM_SDF):
            mesh = m.geom_dataid[g]
            first, count = m.mesh_vertadr[mesh], m.mesh_vertnum[mesh]
            shape = hull(np.asarray(m.mesh_vert[first : first + count], dtype=float))
            if kind == kinds.mjGEOM_SDF:
                self.note(g, "signed distance fields are the hulls of their meshes", where)
            if shape is not None:
                # MuJoCo's meshes are their hulls too
                return shape, np.eye(4)
            self.note(g, "a mesh without volume is left out", where)
            return None
        if kind == kinds.mjGEOM_HFIELD:
            return self.height_field(g, fixed)
        self.note(g, "geoms of a kind that bodies cannot have here are left out", where)
        return None

    def note(self, g: int, what: str, where: str) -> None:
        self.parts.note(what, where, "contact" if self.collides(g) and not self.off else "view")

    def height_field(self, g: int, fixed: bool) -> tuple[dict[str, Any], Any] | None:
        """Ground from heights: those along x are rows here, and y of the model is -z of the shape.

        With steps that differ along x and y it is a mesh.
        """
        m, field = self.m, int(self.m.geom_dataid[g])
        rows, columns = int(m.hfield_nrow[field]), int(m.hfield_ncol[field])
        reach_x, reach_y, top, base = (float(v) for v in m.hfield_size[field])
        step = 2 * reach_x / (columns - 1)
        first = int(m.hfield_adr[field])
        heights = top * np.asarray(m.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
        if abs(step - 2 * reach_y / (rows - 1)) <= 1e-9 * step:
            self.note(g, "cells of a height field are cut along the other diagonal", self.model.place("GEOM", g))
            return {"height-field": {"heights": heights[::-1].tolist(), "step": step, "depth": base}}, Y_TO_Z
        if not fixed:
            self.note(g, "a height field that moves is left out", self.model.place("GEOM", g))
            return None
        x, y = np.meshgrid(np.linspace(-reach_x, reach_x, columns), np.linspace(-reach_y, reach_y, rows))
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        # MuJoCo cuts cells from the corner with the least x and y to the one with the largest
        lower = np.stack([corner, corner + 1, corner + columns + 1], axis=1)
        upper = np.stack([corner, corner + columns + 1, corner + columns], axis=1)
        vertices = np.stack([x.ravel(), y.ravel(), heights.ravel()], axis=1)
        triangles = np.concatenate([lower, upper])
        return {"mesh": {"vertices": vertices.tolist(), "triangles": triangles.tolist()}}, np.eye(4)


def _acting(friction: Friction) -> tuple[float, float, float]:
    """The coefficients that a number of contact dimensions leaves."""
    condim, _, (sliding, spinning, rolling) = friction
    return sliding if condim > 1 else 0.0, spinning if condim > 3 else 0.0, rolling if condim > 4 else 0.0


def _combined(one: Friction, other: Friction) -> tuple[float, float, float]:
    """The coefficients of a contact: those of the higher priority, or else the larger ones with the larger condim."""
    if one[1] != other[1]:
        return _acting(max(one, other, key=lambda f: f[1]))
    sliding, spinning, rolling = (max(a, b) for a, b in zip(one[2], other[2]))
    return _acting((max(one[0], other[0]), 0, (sliding, spinning, rolling)))


def _bits_meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether geoms meet by their contype and conaffinity."""
    return bool(one[0] & other[1] or other[0] & one[1])


def _meet(one: Any, other: Any) -> bool:
    """Whether bodies of two classes meet: by bits of any of their geoms, or in a contact pair."""
    if not one or not other:
        return True
    return any(_bits_meet(a, b) for a in one[0] for b in other[0]) or bool(one[1] & other[1])


def _sphere_points() -> Any:
    """162 points of the unit sphere: an icosahedron's, refined twice."""
    golden = (1 + 5**0.5) / 2
    points = np.array([[s, t * golden, 0] for s in (-1, 1) for t in (-1, 1)], dtype=float)
    points = np.concatenate([points, points[:, [2, 0, 1]], points[:, [1, 2, 0]]])
    points /= np.linalg.norm(points[0])
    edge = min(np.linalg.norm(points[0] - p) for p in points[1:])
    for _ in range(2):
        pairs = [(a, b) for i, a in enumerate(points) for b in points[:i] if np.linalg.norm(a - b) < 1.25 * edge]
        middles = np.array([(a + b) / np.linalg.norm(a + b) for a, b in pairs])
        points, edge = np.concatenate([points, middles]), edge / 2
    return points
