"""URDF with the elements that Bullet adds to it; meshes by trimesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..errors import InputError
from .parts import Y_TO_Z, Imported, JointPart, Link, Parts, hull, limits, plane, transform, turn, unit

__all__ = ["read_urdf"]

FREE = ("revolute", "continuous", "prismatic")
KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "planar": "planar", "fixed": "fixed"}
KINDS["spherical"] = "ball"
#: Elements of <contact> that a material has.
CONTACT = {"lateral_friction": "friction", "restitution": "restitution"}
CONTACT |= {"rolling_friction": "rolling_friction", "spinning_friction": "spinning_friction"}
Element = ElementTree.Element


def read_urdf(
    path: Path, configuration: dict[str, Any], fixed_base: bool, packages: dict[str, Any], self_collision: bool
) -> Imported:
    try:
        # some begin with empty lines, which XML forbids before its declaration
        root = ElementTree.fromstring(path.read_bytes().lstrip())
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if root.tag.split("}")[-1] != "robot":
        raise InputError(f"{path}: found <{root.tag}>; allowed: <robot>")
    for element in root.iter():
        # one namespace or another, and none in most files
        element.tag = element.tag.split("}")[-1] if isinstance(element.tag, str) else ""
    for kind in ("link", "joint"):
        names = [str(one.get("name")) for one in root.findall(kind)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(f"{path}: found {kind} {', '.join(twice)} more than once; allowed: names of their own")
    return Reader(path, root, configuration, fixed_base, packages, self_collision).read()


class Joint:
    """A joint as its element says it."""

    def __init__(self, reader: Reader, element: Element) -> None:
        self.element, self.name, self.type = element, str(element.get("name")), str(element.get("type"))
        ends = [element.find(end) for end in ("parent", "child")]
        self.parent, self.child = (None if e is None else e.get("link") for e in ends)
        if self.parent is None or self.child is None:
            raise InputError(f"{reader.path}: joint {self.name!r} has no parent or no child; allowed: one link each")
        self.origin = reader.pose(element)
        self.axis = reader.numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0))
        self.limit, self.mimic = element.find("limit"), element.find("mimic")
        self.dynamics = element.find("dynamics")
        if self.dynamics is None:
            self.dynamics = element.find("joint_properties")


class Reader:
    def __init__(
        self,
        path: Path,
        root: Element,
        configuration: dict[str, Any],
        fixed_base: bool,
        packages: dict[str, Any],
        self_collision: bool,
    ):
        self.path, self.root, self.packages = path, root, packages
        self.fixed_base, self.self_collision = fixed_base, self_collision
        self.parts = Parts(root.get("name") or path.stem, (0.0, 0.0, -9.81))
        if not self_collision:
            self.parts.meets = lambda one, other: one is None or other is None
        self.links = {str(link.get("name")): link for link in root.findall("link")}
        # transmissions have elements of that name too, with other contents
        self.joints = {str(j.get("name")): Joint(self, j) for j in root.findall("joint")}
        if unknown := sorted(set(configuration) - set(self.joints)):
            raise InputError(f"configuration: found {unknown}; allowed: joints of {self.parts.name}")
        self.configuration = configuration
        #: The body that a link is, or is part of; none: the world.
        self.body: dict[str, Link | None] = {}
        self.tree: list[tuple[Link, Link, bool]] = []

    # numbers

    def numbers(self, element: Element | None, key: str, default: Any) -> Any:
        """The numbers of an attribute, or a default where it is left out or is none."""
        text = None if element is None else element.get(key)
        if text is None:
            return np.array(default, dtype=float)
        try:
            found = np.array([float(word) for word in text.split()])
        except ValueError:
            found = np.zeros(0)
        if len(found) < len(default) or not np.isfinite(found).all():
            self.parts.note(f"{len(default)} numbers are wanted: the default is taken", f'{key}="{text}"')
            return np.array(default, dtype=float)
        if len(found) > len(default):
            self.parts.note(f"{len(default)} numbers are wanted: the first are taken", f'{key}="{text}"')
        return found[: len(default)]

    def number(self, element: Element | None, key: str, default: float = 0.0) -> float:
        return float(self.numbers(element, key, (default,))[0])

    def pose(self, element: Element) -> Any:
        """The pose of the <origin> in an element."""
        origin = element.find("origin")
        roll, pitch, yaw = self.numbers(origin, "rpy", (0.0, 0.0, 0.0))
        rotation = turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)
        return transform(rotation, self.numbers(origin, "xyz", (0.0, 0.0, 0.0)))

    # the tree

    def coordinate(self, joint: Joint, depth: int = 0) -> float:
        """Where a joint is; one that mimics another where that one tells it to be."""
        if joint.name in self.configuration:
            return float(self.configuration[joint.name])
        if joint.mimic is None or depth > len(self.joints):
            return self.rest(joint)
        other = self.joints.get(str(joint.mimic.get("joint")))
        if other is None:
            self.parts.note("mimics a joint that does not exist: starts at the offset", f"joint {joint.name}")
        place = 0.0 if other is None else self.coordinate(other, depth + 1)
        return self.number(joint.mimic, "multiplier", 1.0) * place + self.number(joint.mimic, "offset")

    def rest(self, joint: Joint) -> float:
        """Zero, or the nearest coordinate within the limits."""
        if joint.limit is None or joint.type not in ("revolute", "prismatic"):
            return 0.0
        lower, upper = self.number(joint.limit, "lower"), self.number(joint.limit, "upper")
        place = min(max(0.0, lower), upper) if lower <= upper else 0.0
        if place != 0.0:
            self.parts.note("starts at the end of its limits, which leave zero out", f"joint {joint.name}")
        return place

    def read(self) -> Imported:
        children = {joint.child for joint in self.joints.values()}
        roots = [name for name in self.links if name not in children]
        if self.links and not roots:
            raise InputError(f"{self.path}: found no first link; allowed: links and joints in a tree")
        below: dict[str, list[Joint]] = {}
        for joint in self.joints.values():
            below.setdefault(str(joint.parent), []).append(joint)
        todo: list[tuple[str, Any, Joint | None]] = [(root, np.eye(4), None) for root in roots]
        while todo:
            name, pose, first = todo.pop(0)
            if name not in self.links or name in self.body:
                raise InputError(f"{self.path}: link {name!r} is missing or has two parents")
            self.add(name, self.links[name], pose, first)
            for joint in below.get(name, []):
                todo.append((str(joint.child), pose @ self.motion(joint), joint))
        for element in self.root:
            self.beside(element)
        if self.self_collision:
            self.parts.keep_apart(self.tree)
        return self.parts.imported()

    def beside(self, element: Element) -> None:
        """What stands beside links and joints."""
        if element.tag in ("deformable", "reduced_deformable"):
            self.parts.note("deformable bodies are left out", str(element.get("name")))
        elif element.tag == "gazebo":
            touches = any(element.find(key) is not None for key in ("mu1", "mu2", "kp", "kd", "selfCollide"))
            where = str(element.get("reference") or "")
            self.parts.note("extensions for Gazebo are left out", where, "contact" if touches else "view")
        elif element.tag in ("transmission", "ros2_control"):
            self.parts.note("transmissions are left out", str(element.get("name")), "control")
        elif element.tag in ("sensor", "force_element"):
            about = "view" if element.tag == "sensor" else "motion"
            self.parts.note(f"a {element.tag} is left out", str(element.get("name") or ""), about)

    def motion(self, joint: Joint) -> Any:
        """The child's frame in the parent's."""
        q = self.coordinate(joint)
        if joint.type not in FREE:
            return joint.origin
        try:
            joint.axis = unit(joint.axis)
        except InputError as error:
            raise InputError(f"{self.path}: joint {joint.name!r}: {error}") from None
        if joint.type in ("revolute", "continuous"):
            return joint.origin @ transform(turn(joint.axis, q))
        return joint.origin @ transform(translation=joint.axis * q)

    def add(self, name: str, link: Element, pose: Any, joint: Joint | None) -> None:
        inertial = link.find("inertial")
        mass = 0.0 if inertial is None else self.number(inertial.find("mass"), "value")
        has_shape = link.find("collision") is not None or link.find("visual") is not None
        welded = joint is not None and joint.type == "fixed"
        parent = self.body[str(joint.parent)] if joint is not None else None
        if parent is None and (welded or joint is None) and mass == 0.0 and not has_shape:
            # a frame of the world
            self.body[name] = None
            return
        first = joint is None and (mass == 0.0 or self.fixed_base)
        held = first or (welded and (parent is None or parent.fixed))
        body = Link(self.parts.name_of("body", name), pose, fixed=held, filter="robot")
        if mass > 0.0 and inertial is not None:
            origin, tensor = self.pose(inertial), inertial.find("inertia")
            xx, xy, xz, yy, yz, zz = (self.number(tensor, f"i{k}") for k in ("xx", "xy", "xz", "yy", "yz", "zz"))
            body.mass, body.center = mass, origin[:3, 3]
            body.inertia = origin[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ origin[:3, :3].T
        for key in ("gravity", "kinematic", "surface", "bullet", "self_filter"):
            if link.find(key) is not None:
                self.parts.note(f"<{key}> of a link is left out", name)
        self.material(name, link.find("contact"), body)
        self.shapes(name, link, body)
        if welded and parent is not None:
            if mass == 0.0 and body.shapes and body.material != parent.material and parent.shapes:
                self.parts.note("a link without mass has the surface of the body before it", name, "contact")
                body.material = parent.material
            if self.parts.fused(parent, body):
                self.body[name] = parent
                return
        self.parts.links.append(body)
        self.body[name] = body
        if joint is not None and parent is not None:
            self.tree.append((parent, body, joint.type == "fixed"))
        if joint is not None and not body.fixed:
            self.joint(joint, pose, parent, body)

    # surfaces

    def material(self, name: str, contact: Element | None, body: Link) -> None:
        """Friction and restitution of Bullet's <contact>."""
        if contact is None:
            return
        keys: dict[str, Any] = {key: self.number(e, "value") for e in contact if (key := CONTACT.get(str(e.tag)))}
        if left := sorted({str(e.tag) for e in contact} - set(CONTACT)):
            self.parts.note(f"{', '.join(left)} of <contact> left out", name, "contact")
        if not keys:
            return
        keys["restitution"] = min(max(keys.get("restitution", 0.0), 0.0), 1.0)
        keys |= {f"{key}_rule": "multiply" for key in ("friction", "restitution")}
        self.parts.note(
            "friction and restitution of <contact> multiply with those of others, as in Bullet", name, "view"
        )
        same = (m for m, known in self.parts.materials.items() if known == keys)
        body.material = next(same, f"{name}-surface")
        self.parts.materials[body.material] = keys

    def shapes(self, name: str, link: Element, body: Link) -> None:
        """Collision geometry, or else what is seen, which then meets nobody."""
        collisions, visuals = link.findall("collision"), link.findall("visual")
        seen = not collisions
        for piece in visuals if seen else collisions:
            geometry = piece.find("geometry")
            form = None if geometry is None else next((e for e in geometry if e.tag), None)
            if form is not None:
                concave = body.fixed and piece.get("concave") == "yes"
                at = self.pose(piece)
                found = self.shape(form, name, concave, body, "view" if seen else "contact")
                body.shapes += [(shape, at @ turned) for shape, turned in found]
        if seen and visuals:
            body.collides = False
            self.parts.note("no collision geometry: has its visual one and meets nobody", name, "view")
        elif visuals:
            self.parts.note("visual geometry beside collision geometry is left out", name, "view")

    def shape(self, form: Element, of: str, concave: bool, body: Link, about: str) -> list[tuple[dict[str, Any], Any]]:
        if form.tag == "box":
            half = np.abs(self.numbers(form, "size", (1.0, 1.0, 1.0))) / 2
            return [({"box": {"half_extents": half.tolist()}}, np.eye(4))]
        if form.tag == "sphere":
            return [({"sphere": {"radius": self.number(form, "radius", 1.0)}}, np.eye(4))]
        if form.tag in ("cylinder", "capsule"):
            half = self.number(form, "length", 1.0) / 2
            return [({str(form.tag): {"radius": self.number(form, "radius", 1.0), "half_height": half}}, Y_TO_Z)]
        if form.tag == "mesh":
            return self.mesh(form, of, concave, body.fixed, about)
        if form.tag == "plane" and body.fixed:
            normal = body.pose[:3, :3] @ unit(self.numbers(form, "normal", (0.0, 0.0, 1.0)))
            name = self.parts.name_of("body", f"{of}-plane", False)
            self.parts.planes.append(plane(name, normal, float(normal @ body.pose[:3, 3]), body.material))
            return []
        self.parts.note(f"geometry of the kind <{form.tag}> is left out", of, about)
        return []

    def mesh(self, form: Element, of: str, concave: bool, fixed: bool, about: str) -> list[tuple[dict[str, Any], Any]]:
        import trimesh

        name = str(form.get("filename"))
        file = self.file(name)
        if file is None:
            self.parts.note("a mesh is not there", f"{of}: {name}", about)
            return []
        try:
            # objects of a file are apart, as hulls of a decomposition are
            split: dict[str, Any] = (
                {"split_object": True, "group_material": False} if file.suffix.lower() == ".obj" else {}
            )
            loaded: Any = trimesh.load(file, **split)
            meshes: list[Any] = loaded.dump() if isinstance(loaded, trimesh.Scene) else [loaded]
            pieces = [(np.asarray(m.vertices), np.asarray(m.faces)) for m in meshes]
        except Exception as error:
            self.parts.note(f"a mesh cannot be read ({type(error).__name__})", f"{of}: {name}", about)
            return []
        scale = self.numbers(form, "scale", (1.0, 1.0, 1.0))
        parts = (
            pieces
            if file.suffix.lower() == ".obj"
            else [(np.concatenate([v for v, _ in pieces]), None)]
            if pieces
            else []
        )
        hulls = [shape for v, _ in parts if (shape := hull(v * scale)) is not None]
        if concave or (fixed and not hulls):
            # a sheet has no hull
            turned = -1 if np.prod(scale) < 0 else 1
            found = [
                {"mesh": {"vertices": (v * scale).tolist(), "triangles": f[:, ::turned].tolist()}} for v, f in pieces
            ]
            return [(shape, np.eye(4)) for shape in found]
        if not hulls:
            self.parts.note("a mesh without volume is left out", f"{of}: {name}", about)
            return []
        self.parts.note("meshes are their convex hulls", of, about)
        return [(shape, np.eye(4)) for shape in hulls]

    def file(self, name: str) -> Path | None:
        """Where a mesh is: beside the description, or in the package it names."""
        for scheme in ("package://", "model://"):
            if name.startswith(scheme):
                package, _, rest = name.removeprefix(scheme).partition("/")
                if package in self.packages:
                    found = Path(self.packages[package]) / rest
                    return found if found.is_file() else None
                tried = (folder / package / rest for folder in self.path.resolve().parents)
                return next((file for file in tried if file.is_file()), None)
        name = name.removeprefix("file://")
        # Bullet looks in the folders above too
        tried = (folder / name for folder in [self.path.parent, *self.path.resolve().parents[:3]])
        return next((file for file in tried if file.is_file()), None)

    # joints

    def joint(self, joint: Joint, pose: Any, parent: Link | None, body: Link) -> None:
        bodies = (parent.name if parent is not None else "world", body.name)
        where = f"joint {joint.name}"
        if joint.type == "floating":
            return
        kind = KINDS.get(joint.type)
        if kind is None:
            self.parts.note(f"a joint of the kind {joint.type} is left out", where)
            return
        keys: dict[str, Any] = {"anchor": pose[:3, 3]}
        if kind not in ("fixed", "ball"):
            # the joint's frame turns with the child, its axis does not change by that
            keys["axis"] = pose[:3, :3] @ joint.axis
        if joint.type in FREE:
            keys |= self.free(joint, where)
        if joint.mimic is not None:
            what = "mimics another joint at the start only: nothing couples them"
            self.parts.note(what, f"{where} of {joint.mimic.get('joint')}")
        for key in ("calibration", "safety_controller"):
            if joint.element.find(key) is not None:
                self.parts.note(f"{key.replace('_', ' ')} is left out", where, "control")
        self.parts.joints.append(JointPart(self.parts.name_of("joint", joint.name), kind, bodies, keys))

    def free(self, joint: Joint, where: str) -> dict[str, Any]:
        """Limits, friction and damping of a coordinate."""
        keys: dict[str, Any] = {}
        now, limit = self.coordinate(joint), joint.limit
        if limit is None and joint.type != "continuous":
            what = "has no limits, though joints of its kind must: turns or slides without end"
            self.parts.note(what, where, "view")
        elif limit is not None and joint.type != "continuous":
            lower, upper = self.number(limit, "lower"), self.number(limit, "upper")
            if lower > upper:
                self.parts.note("limits that are crossed are left out", where, "contact")
            else:
                keys |= limits(lower, upper, now)
        if limit is not None and (limit.get("effort") or limit.get("velocity")):
            self.parts.note("bounds on effort and velocity are left out: a joint's motor has its own", where, "control")
        friction, damping = (self.number(joint.dynamics, key) for key in ("friction", "damping"))
        if friction > 0.0:
            keys["friction"] = friction
        if damping > 0.0:
            keys["spring"] = {"stiffness": 0.0, "damping": damping}
        if friction < 0.0 or damping < 0.0:
            self.parts.note("negative friction or damping is left out", where)
        return keys
