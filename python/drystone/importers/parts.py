"""What importers have in common: links, joints, notes, and how they become a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import replacing
from .._text import toml_value
from ..errors import InputError

__all__ = ["Imported", "JointPart", "Link", "Note", "Parts"]

#: Least ratio of moments of inertia: the solver inverts the tensor, and takes it for singular from half of this on.
SLIM = 2e-7

Array = NDArray[np.float64]


#: Subjects of a note that its text lists by name; the rest is counted.
LISTED = 12


@dataclass(frozen=True)
class Note:
    """Something of the description that the scene does not have, or has otherwise."""

    #: What it is, and what was done.
    what: str
    #: The elements concerned: names of bodies, other elements as ``joint NAME``, ``geom NAME`` and so on.
    subjects: tuple[str, ...] = ()
    #: What differs: ``motion`` (also without contact), ``contact`` (contacts and limits), ``control`` (commands of a program), or
    #: ``view`` (nothing that moves: pictures, sensors, names).
    about: str = "motion"

    @property
    def is_loss(self) -> bool:
        """True if bodies can move otherwise than in the description."""
        return self.about != "view"

    def __str__(self) -> str:
        if not self.subjects:
            return self.what
        more = len(self.subjects) - LISTED
        names = [*self.subjects[:LISTED], *([f"and {more} more"] if more > 0 else [])]
        return f"{self.what}: {', '.join(names)}"


@dataclass
class Link:
    """A rigid part."""

    name: str
    #: Pose in the world. (4, 4)
    pose: Array
    #: Mass (kg); zero where the description has none.
    mass: float = 0.0
    #: Centre of mass in the link's frame (m). (3,)
    center: Array = field(default_factory=lambda: np.zeros(3))
    #: Inertia about it, in the link's axes (kg m^2). (3, 3)
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    #: Shapes with their poses in the link's frame.
    shapes: list[tuple[dict[str, Any], Array]] = field(default_factory=list)
    #: Whether it meets other bodies.
    collides: bool = True
    fixed: bool = False
    material: str | None = None
    #: Class of what it collides with, an argument of `Parts.meets`.
    filter: Any = None
    #: Further keys of its body in the scene.
    keys: dict[str, Any] = field(default_factory=dict)


@dataclass
class JointPart:
    """A joint between two links, by their names; ``world`` is the fixed frame."""

    name: str
    kind: str
    bodies: tuple[str, str]
    keys: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Imported:
    """A scene from a description."""

    #: The scene's tables, as :class:`drystone.World` takes them.
    scene: dict[str, Any]
    #: What the scene does not have.
    notes: list[Note]

    def toml(self) -> str:
        """The scene as TOML, with the notes at its head."""
        # an empty list has no tables of its own
        empty = [] if self.scene["bodies"] else ["bodies = []", ""]
        lines = [f"# {line}" for note in self.notes for line in str(note).splitlines()]
        if lines:
            lines = ["# Not as in the description:", *lines, ""]
        lines += empty
        for key in ("scene", "simulation"):
            if key in self.scene:
                lines += [f"[{key}]", *(f"{k} = {toml_value(v)}" for k, v in self.scene[key].items()), ""]
        for name, material in self.scene.get("materials", {}).items():
            lines += [f"[materials.{toml_value(name)}]", *(f"{k} = {toml_value(v)}" for k, v in material.items()), ""]
        for key in ("material_pairs", "bodies", "ignore_pairs", "joints", "forces"):
            for entry in self.scene.get(key, []):
                lines += [f"[[{key}]]", *(f"{k} = {toml_value(v)}" for k, v in entry.items()), ""]
        return "\n".join(lines)

    def save(self, path: str | Path) -> None:
        """Writes the scene as TOML."""
        with replacing(path) as part:
            part.write_text(self.toml(), encoding="utf-8")


def quaternion(rotation: Array) -> list[float]:
    """``[x, y, z, w]`` of a rotation matrix (3, 3), through its largest component."""
    r = rotation
    squares = np.array(
        [r[0, 0] - r[1, 1] - r[2, 2], r[1, 1] - r[0, 0] - r[2, 2], r[2, 2] - r[0, 0] - r[1, 1], np.trace(r)]
    )
    k = int(np.argmax(squares))
    if k == 3:
        q = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + squares[3]])
    else:
        i, j, m = k, (k + 1) % 3, (k + 2) % 3
        q = np.empty(4)
        q[i], q[3] = 1 + squares[k], r[m, j] - r[j, m]
        q[j], q[m] = r[j, i] + r[i, j], r[m, i] + r[i, m]
    q /= np.linalg.norm(q)
    return (-q if q[3] < 0 else q).tolist()


def transform(rotation: Array | None = None, translation: Any = (0.0, 0.0, 0.0)) -> Array:
    """A pose (4, 4)."""
    pose = np.eye(4)
    if rotation is not None:
        pose[:3, :3] = rotation
    pose[:3, 3] = translation
    return pose


def unit(axis: Any) -> Array:
    """An axis of length one (3,)."""
    given = np.asarray(axis, dtype=float)
    length = float(np.linalg.norm(given))
    if given.shape != (3,) or not np.isfinite(length) or length == 0.0:
        raise InputError(f"axis: found {given.tolist()}; allowed: three numbers that are not all zero")
    return given / length


def turn(axis: Any, angle: float) -> Array:
    """The rotation (3, 3) about an axis by an angle (rad): Rodrigues' formula."""
    x, y, z = unit(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


#: Turns the y axis, along which a scene's round shapes lie, onto z.
Y_TO_Z = transform(turn((1, 0, 0), np.pi / 2))


def hull(points: Array) -> dict[str, Any] | None:
    """The convex hull of points (n, 3) as a shape; ``None`` where they span no volume."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = ConvexHull(points).vertices
    except (QhullError, ValueError):
        return None
    return {"convex": {"points": np.asarray(points)[corners].tolist()}}


def plane(name: str, normal: Array, offset: float, material: str | None = None) -> Link:
    """A fixed half-space below the plane ``normal . x = offset`` (m)."""
    shape = {"plane": {"normal": np.asarray(normal, dtype=float).tolist(), "offset": float(offset)}}
    return Link(name, np.eye(4), shapes=[(shape, np.eye(4))], fixed=True, material=material)


class Parts:
    """Links and joints on their way to a scene."""

    def __init__(self, name: str, gravity: Any) -> None:
        self.name, self.gravity = name, [float(g) for g in gravity]
        self.time_step: float | None = None
        self.links: list[Link] = []
        self.joints: list[JointPart] = []
        self.materials: dict[str, dict[str, Any]] = {}
        self.material_pairs: list[dict[str, Any]] = []
        self.forces: list[dict[str, Any]] = []
        self.planes: list[Link] = []
        #: Pairs that do not meet, by names.
        self.ignored: list[tuple[str, str]] = []
        #: Whether two classes of links collide (symmetric); `None` for links without a class is as good as any key.
        self.meets: Callable[[Any, Any], bool] = lambda one, other: True
        self._notes: dict[tuple[str, str], dict[str, None]] = {}
        self._names: dict[str, set[str]] = {"body": {"world"}, "joint": set()}

    def note(self, what: str, subject: str = "", about: str = "motion") -> None:
        """Notes something; what is said of several subjects is said once."""
        subjects = self._notes.setdefault((what, about), {})
        if subject:
            subjects[subject] = None

    def name_of(self, kind: str, wanted: str, given: bool = True) -> str:
        """A name that no other ``body`` or ``joint`` of the scene has: the wanted one, or with a number after it.

        A name that the description gave and that is taken is noted.
        """
        taken, name, number = self._names[kind], wanted or kind, 1
        while name in taken:
            number += 1
            name = f"{wanted or kind}-{number}"
        taken.add(name)
        if given and wanted and name != wanted:
            self.note(f"a name that is taken: the {kind} is {name} here", wanted, "view")
        return name

    def _body(self, link: Link, silent: int) -> dict[str, Any]:
        body: dict[str, Any] = {"name": link.name}
        if link.fixed:
            body["kind"] = "fixed"
        if not link.shapes:
            # a stand-in of about its size; it meets nobody
            radius = max(1e-3, float(np.sqrt(2.5 * np.trace(link.inertia) / 3 / link.mass))) if link.mass > 0 else 0.01
            link.shapes = [({"sphere": {"radius": radius}}, transform(translation=link.center))]
            link.collides = False
            if not link.fixed:
                self.note("no geometry: a ball that meets nobody stands for it", link.name, "view")
        (first, at), *others = link.shapes
        if not others and np.array_equal(at, np.eye(4)):
            body["shape"] = first
        else:
            parts = [
                {"shape": shape, "position": at[:3, 3].tolist(), "orientation": quaternion(at[:3, :3])}
                for shape, at in link.shapes
            ]
            body["shape"] = {"compound": {"parts": parts}}
        body["position"] = link.pose[:3, 3].tolist()
        body["orientation"] = quaternion(link.pose[:3, :3])
        if not link.fixed and link.mass > 0:
            i = link.inertia
            body["mass"] = link.mass
            body["center_of_mass"] = link.center.tolist()
            body["inertia"] = np.diag(i).tolist()
            if np.any([i[0, 1], i[0, 2], i[1, 2]]):
                body["products_of_inertia"] = i[[0, 0, 1], [1, 2, 2]].tolist()
        body |= link.keys
        if link.material is not None:
            body["material"] = link.material
        if not link.collides:
            # bodies on different layers do not meet: one for each
            body["layer"] = -1 - silent
        return body

    def fused(self, parent: Link, child: Link) -> bool:
        """Makes a welded link part of the one before it; false where a body cannot be both.

        A body has one material and one class of what it meets. Fewer bodies cost less, and a light link on a heavy one needs no joint.
        """
        solid = child.collides and bool(child.shapes)
        both = solid and parent.collides and bool(parent.shapes)
        if both and (parent.material, parent.filter) != (child.material, child.filter):
            return False
        if not parent.fixed and parent.keys != child.keys:
            return False
        place = np.linalg.inv(parent.pose) @ child.pose
        if not parent.shapes or (solid and not both):
            # what is seen alone gives way to what collides
            parent.shapes, parent.collides = [], child.collides
            parent.material, parent.filter = child.material, child.filter
        if solid or not parent.shapes:
            parent.shapes += [(shape, place @ at) for shape, at in child.shapes]
        if not parent.fixed:
            mass = parent.mass + child.mass
            center = place[:3, :3] @ child.center + place[:3, 3]
            arm = center - parent.center
            reduced = parent.mass * child.mass / mass if mass > 0 else 0.0
            turned = place[:3, :3] @ child.inertia @ place[:3, :3].T
            parent.inertia = parent.inertia + turned + reduced * (arm @ arm * np.eye(3) - np.outer(arm, arm))
            parent.center = parent.center + (child.mass / mass if mass > 0 else 0.0) * arm
            parent.mass = mass
        self.note("a welded link is part of the body before it", child.name, "view")
        return True

    def mended(self, link: Link) -> None:
        """Gives a link that moves a mass and an inertia that a body can have."""
        if not 0.0 < link.mass < np.inf:
            link.mass, link.inertia = 1e-3, np.eye(3) * 1e-6
            self.note("moves without a mass: given 1 g", link.name)
        link.inertia = (link.inertia + link.inertia.T) / 2
        moments = np.linalg.eigvalsh(link.inertia) if np.isfinite(link.inertia).all() else np.zeros(3)
        if moments[0] > 0.0 and moments[2] > (1 + 1e-6) * (moments[0] + moments[1]):
            self.note(
                "an inertia that no solid has (one moment above the sum of the others) is kept", link.name, "view"
            )
        if 0.0 < moments[0] < SLIM * moments[2]:
            values, axes = np.linalg.eigh(link.inertia)
            link.inertia = axes @ np.diag(np.maximum(values, SLIM * moments[2])) @ axes.T
            self.note(f"moments of inertia are at least {SLIM:g} of the largest", link.name)
        if moments[0] <= 0.0:
            link.inertia = np.eye(3) * 0.4 * link.mass * 0.01**2
            self.note("an inertia that no body has: given that of a ball of 1 cm", link.name)

    def grouped(self, links: list[Link], bodies: list[dict[str, Any]]) -> None:
        """Writes who meets whom as groups and masks of bodies, or else as pairs.

        Each class of links has a group; its mask is all but the groups of the classes that it does not meet. The first group is
        left to bodies that come later: they meet all.
        """
        classes = list(dict.fromkeys(link.filter for link in links))
        shy = [k for k in classes if not all(self.meets(k, other) for other in classes)]
        if len(shy) < 32:
            bit = {k: 1 << (n + 1) for n, k in enumerate(shy)}
            for link, body in zip(links, bodies):
                if link.collides and link.filter in bit:
                    unmet = sum(bit[k] for k in shy if not self.meets(link.filter, k))
                    body["membership"], body["mask"] = bit[link.filter], 0xFFFFFFFF - unmet
            return
        for one, other in combinations(links, 2):
            if one.collides and other.collides and not self.meets(one.filter, other.filter):
                self.ignored.append((one.name, other.name))

    def keep_apart(self, tree: Iterable[tuple[Link, Link, bool]], only: set[frozenset[str]] | None = None) -> list[str]:
        """Ignores contact within a rigid group of links, and between groups that a joint connects.

        ``tree`` has parent, child, and whether the child is welded to the parent. What a joint itself keeps apart is left to it. With ``only``
        just these pairs are ignored. Returns the pairs in words.
        """
        group: dict[str, list[Link]] = {}
        edges = list(tree)
        for parent, child, welded in edges:
            for link in (parent, child):
                group.setdefault(link.name, [link])
            if welded:
                merged = group[parent.name] + group[child.name]
                for link in merged:
                    group[link.name] = merged
        pairs: dict[frozenset[str], tuple[Link, Link]] = {}
        for parent, child, welded in edges:
            near, far = group[parent.name], group[child.name]
            for one, other in combinations(near, 2) if welded else ((a, b) for a in near for b in far):
                pairs.setdefault(frozenset((one.name, other.name)), (one, other))
        joined = {frozenset(j.bodies) for j in self.joints if not j.keys.get("collide")}
        ignored = []
        for key, (one, other) in pairs.items():
            solid = one.collides and other.collides and not (one.fixed and other.fixed)
            wanted = (only is None or key in only) and key not in joined
            if solid and wanted and self.meets(one.filter, other.filter):
                ignored.append((one.name, other.name))
        self.ignored += ignored
        return [f"{one} and {other}" for one, other in ignored]

    def imported(self, homogeneous: bool = False) -> Imported:
        """The scene; ``homogeneous`` bodies have their mass from their shapes."""
        for link in self.links:
            if not link.fixed and not homogeneous:
                self.mended(link)
        links = [*self.links, *self.planes]
        bodies = [self._body(link, k) for k, link in enumerate(links)]
        self.grouped(links, bodies)
        fixed = {"world"} | {link.name for link in links if link.fixed}
        joints = []
        for joint in self.joints:
            if set(joint.bodies) <= fixed:
                continue
            keys = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in joint.keys.items()}
            joints.append({"name": joint.name, "kind": joint.kind, "bodies": list(joint.bodies), **keys})
        scene: dict[str, Any] = {"scene": {"name": self.name, "gravity": self.gravity}}
        if self.materials:
            scene["materials"] = self.materials
        if self.material_pairs:
            scene["material_pairs"] = self.material_pairs
        scene |= {"bodies": bodies, "joints": joints}
        if self.ignored:
            scene["ignore_pairs"] = [{"between": list(pair)} for pair in dict.fromkeys(self.ignored)]
        if self.forces:
            scene["forces"] = self.forces
        scene["simulation"] = {"paradigm": "real-time"}
        if self.time_step:
            scene["simulation"]["time_step"] = self.time_step
        return Imported(scene, [Note(what, tuple(subjects), about) for (what, about), subjects in self._notes.items()])


def limits(lower: float, upper: float, now: float) -> dict[str, Any]:
    """A joint's limits, from where it is: a scene's coordinates are zero at the start."""
    found = {}
    if np.isfinite(lower):
        found["lower"] = float(lower - now)
    if np.isfinite(upper):
        found["upper"] = float(upper - now)
    return {"limits": found} if found else {}
