"""MJCF, compiled by MuJoCo itself: defaults, includes, classes and inertias come out as it means them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ..errors import InputError
from .parts import Y_TO_Z, Imported, JointPart, Link, Parts, hull, limits, transform, turn

__all__ = ["read_mjcf"]

#: Part of its body's mass that a carrier between two joints of one body has.
CARRIER = 0.01

LEFT_OUT = {
    "nu": "actuators",
    "ntendon": "tendons",
    "nsensor": "sensors",
    "nsite": "sites",
    "ncam": "cameras",
    "nlight": "lights",
    "npair": "contact pairs",
    "nflex": "flexible bodies",
    "nskin": "skins",
    "nkey": "key frames",
}


def read_mjcf(path: Path, configuration: dict[str, Any], fixed_base: bool) -> Imported:
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return Reader(path, model, configuration, fixed_base).read()


def _rotation(q: Any) -> Any:
    """Of a quaternion ``[w, x, y, z]``."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Reader:
    def __init__(self, path: Path, model: Any, configuration: dict[str, Any], fixed_base: bool) -> None:
        self.m, self.fixed_base = model, fixed_base
        name = bytes(model.names).split(b"\0", 1)[0].decode()
        self.parts = Parts(name or path.stem, model.opt.gravity)
        self.parts.time_step = float(model.opt.timestep)
        joints = [self.name("JOINT", j) for j in range(model.njnt)]
        if unknown := sorted(set(configuration) - set(joints)):
            raise InputError(f"configuration: found {unknown}; allowed: {', '.join(joints)}")
        self.q = np.array(model.qpos0)
        for j, joint in enumerate(joints):
            if joint in configuration:
                at, width = model.jnt_qposadr[j], (7, 4, 1, 1)[model.jnt_type[j]]
                self.q[at : at + width] = configuration[joint]
        #: Per body its link (none: the world), and its frame.
        self.links: list[Link | None] = [None]
        self.poses: list[Any] = [np.eye(4)]

    def name(self, kind: str, number: int) -> str:
        found = mujoco.mj_id2name(self.m, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return found or f"{kind.lower()}{number}"

    def read(self) -> Imported:
        m = self.m
        self.world()
        for body in range(1, m.nbody):
            self.body(body)
        for count, what in LEFT_OUT.items():
            if number := int(getattr(m, count, 0)):
                self.parts.note(f"{number} {what} left out")
        self.pairs()
        self.equalities()
        self.medium()
        self.parts.note("softness of contacts and limits (solref, solimp) is left out: the preset has its own")
        if np.any(m.dof_armature):
            self.parts.note("armature (inertia of motors) is left out")
        return self.parts.imported()

    # geometry

    def world(self) -> None:
        """The world's own geometry: planes, and bodies that are fixed."""
        for g in range(self.m.ngeom):
            if self.m.geom_bodyid[g] != 0 or not self.collides(g):
                continue
            pose = transform(_rotation(self.m.geom_quat[g]), self.m.geom_pos[g])
            if self.m.geom_type[g] == mujoco.mjtGeom.mjGEOM_PLANE:
                normal = pose[:3, 2]
                offset = float(normal @ pose[:3, 3])
                self.parts.planes.append((self.name("GEOM", g), normal, offset, self.material(g)))
            elif (shape := self.shape(g)) is not None:
                link = Link(self.name("GEOM", g), pose, fixed=True, material=self.material(g))
                link.shapes.append((shape[0], shape[1]))
                self.parts.links.append(link)

    def collides(self, g: int) -> bool:
        return bool(self.m.geom_contype[g] or self.m.geom_conaffinity[g])

    def material(self, g: int) -> str:
        friction = float(self.m.geom_friction[g, 0]) if self.m.geom_condim[g] > 1 else 0.0
        name = f"mu-{friction:g}".replace(".", "_")
        # MuJoCo takes the larger of two coefficients
        self.parts.materials[name] = {"friction": friction, "restitution": 0.0, "friction_rule": "maximum"}
        return name

    def geometry(self, body: int, link: Link, place: Any) -> None:
        """The geometry of a body at its place in a link."""
        of_it = [g for g in range(self.m.ngeom) if self.m.geom_bodyid[g] == body]
        solid = [g for g in of_it if self.collides(g)]
        if not solid and link.shapes:
            return
        for g in solid or of_it:
            if (shape := self.shape(g)) is not None:
                at = transform(_rotation(self.m.geom_quat[g]), self.m.geom_pos[g])
                link.shapes.append((shape[0], place @ at @ shape[1]))
        if solid and link.material is None:
            link.material = self.material(solid[0])
            if len({self.material(g) for g in solid}) > 1:
                self.parts.note("a body has one friction here: that of its first geom", link.name)
        if of_it and not solid:
            link.collides = False
        elif len(solid) < len(of_it):
            self.parts.note("geoms that meet nothing are left out", link.name)

    def shape(self, g: int) -> tuple[dict[str, Any], Any] | None:
        m, kinds = self.m, mujoco.mjtGeom
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
            self.parts.note("ellipsoids are hulls of 162 points", self.name("GEOM", g))
            shape = hull(_sphere_points() * size)
            return None if shape is None else (shape, np.eye(4))
        if kind == kinds.mjGEOM_MESH:
            mesh = m.geom_dataid[g]
            first, count = m.mesh_vertadr[mesh], m.mesh_vertnum[mesh]
            shape = hull(np.asarray(m.mesh_vert[first : first + count], dtype=float))
            if shape is not None:
                self.parts.note("meshes are their convex hulls", self.name("GEOM", g))
                return shape, np.eye(4)
        if kind == kinds.mjGEOM_HFIELD:
            return self.height_field(g)
        self.parts.note("geoms of a kind that bodies cannot have here are left out", self.name("GEOM", g))
        return None

    def height_field(self, g: int) -> tuple[dict[str, Any], Any] | None:
        """Ground from heights: those along x are rows here, and y of the model is -z of the shape."""
        m, field = self.m, int(self.m.geom_dataid[g])
        rows, columns = int(m.hfield_nrow[field]), int(m.hfield_ncol[field])
        reach_x, reach_y, top, base = (float(v) for v in m.hfield_size[field])
        step = 2 * reach_x / (columns - 1)
        if abs(step - 2 * reach_y / (rows - 1)) > 1e-9 * step:
            self.parts.note("a height field whose steps along x and y differ is left out", self.name("GEOM", g))
            return None
        first = int(m.hfield_adr[field])
        heights = top * np.asarray(m.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
        self.parts.note("cells of a height field are cut along the other diagonal", self.name("GEOM", g))
        keys = {"heights": heights[::-1].tolist(), "step": step, "depth": base}
        return {"height-field": keys}, Y_TO_Z

    # what is between bodies, and around them

    def partner(self, body: int) -> str:
        link = self.links[body]
        return "world" if link is None else link.name

    def pairs(self) -> None:
        """Pairs that the model excludes from contact."""
        for signature in self.m.exclude_signature:
            first, second = (self.partner(b) for b in (int(signature) >> 16, int(signature) & 0xFFFF))
            if "world" in (first, second):
                self.parts.note("an excluded pair with the world is left out", f"{first} and {second}")
            elif first != second:
                self.parts.ignored.append((first, second))

    def equalities(self) -> None:
        """Bodies that are held together are joined; what couples coordinates is left out."""
        m, kinds, bodies = self.m, mujoco.mjtEq, int(mujoco.mjtObj.mjOBJ_BODY)
        for e in range(m.neq):
            name, kind = self.name("EQUALITY", e), kinds(int(m.eq_type[e]))
            holds = kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) and int(m.eq_objtype[e]) == bodies
            if not holds or not m.eq_active0[e]:
                what = "that does not act at the start" if holds else "of another kind than weld and connect of bodies"
                self.parts.note(f"an equality constraint {what} is left out", name)
                continue
            one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
            pair, data = (self.partner(one), self.partner(other)), np.asarray(m.eq_data[e], dtype=float)
            if pair[0] == pair[1]:
                continue
            a, b = self.poses[one], self.poses[other]
            if kind == kinds.mjEQ_CONNECT:
                ends = a[:3, :3] @ data[:3] + a[:3, 3], b[:3, :3] @ data[3:6] + b[:3, 3]
                keys: dict[str, Any] = {"anchor": ends[0]}
                if np.linalg.norm(ends[1] - ends[0]) > 1e-9:
                    keys["anchor2"] = ends[1]
                self.parts.joints.append(JointPart(name, "ball", pair, keys))
                continue
            wanted = a @ transform(_rotation(data[6:10]), data[3:6])
            if np.abs(wanted - b).max() > 1e-6:
                self.parts.note("a weld holds bodies as they are at the start, which is not where it wants them", name)
            self.parts.joints.append(JointPart(name, "fixed", pair, {"anchor": b[:3, 3]}))

    def medium(self) -> None:
        """What surrounds the bodies, and what moves them from outside."""
        option = self.m.opt
        if option.density or option.viscosity or np.any(option.wind):
            self.parts.note("the medium (density, viscosity, wind) is left out")
        if not option.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE) and option.disableflags:
            self.parts.note("disabled parts of the simulation (option flag) are not disabled here")
        for body in range(1, self.m.nbody):
            if self.m.body_mocapid[body] >= 0:
                self.parts.note("a mocap body, which a program moves, is fixed", self.name("BODY", body))

    # bodies and joints

    def body(self, body: int) -> None:
        m = self.m
        up = m.body_parentid[body]
        parent, pose = self.links[up], self.poses[up]
        pose = pose @ transform(_rotation(m.body_quat[body]), m.body_pos[body])
        joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
        pose, places = self.moved(pose, joints)
        self.poses.append(pose)
        name, mass = self.name("BODY", body), float(m.body_mass[body])
        if not joints and mass == 0.0 and parent is not None:
            self.parts.note("a body without joint and mass: part of the body before it", name)
            self.geometry(body, parent, np.linalg.inv(parent.pose) @ pose)
            self.links.append(parent)
            return
        stays = not joints and (parent is None or parent.fixed)
        link = Link(name, pose, fixed=stays or (self.fixed_base and up == 0))
        if not link.fixed:
            rotation = _rotation(m.body_iquat[body])
            link.mass, link.center = mass, np.array(m.body_ipos[body])
            if compensation := float(m.body_gravcomp[body]):
                link.keys["gravity_scale"] = 1.0 - compensation
            link.inertia = rotation @ np.diag(m.body_inertia[body]) @ rotation.T
        self.geometry(body, link, np.eye(4))
        self.links.append(link)
        before = "world" if parent is None else parent.name
        if link.fixed:
            self.parts.links.append(link)
            return
        movers = [j for j in joints if m.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]
        carriers = [self.carrier(link, j) for j in movers[:-1]]
        self.parts.links += [*carriers, link]
        chain = [before, *(c.name for c in carriers), name]
        if not joints:
            self.parts.joints.append(JointPart(f"{name}-weld", "fixed", (before, name), {"anchor": pose[:3, 3]}))
        for k, j in enumerate(movers):
            self.joint(j, places[j], (chain[k], chain[k + 1]))

    def moved(self, pose: Any, joints: Any) -> tuple[Any, dict[int, tuple[Any, Any]]]:
        """The body's frame after its joints, and per joint its anchor and axis in the world."""
        m, places = self.m, {}
        pose = pose.copy()
        for j in joints:
            at, kind = m.jnt_qposadr[j], m.jnt_type[j]
            q = self.q[at : at + 7]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                pose = transform(_rotation(q[3:7]), q[:3])
                continue
            local = np.array(m.jnt_pos[j])
            anchor, axis = pose[:3, :3] @ local + pose[:3, 3], pose[:3, :3] @ m.jnt_axis[j]
            places[j] = (anchor, axis)
            if kind == mujoco.mjtJoint.mjJNT_SLIDE:
                pose[:3, 3] += axis * (q[0] - m.qpos0[at])
                continue
            turned = _rotation(q[:4]) if kind == mujoco.mjtJoint.mjJNT_BALL else turn(m.jnt_axis[j], q[0] - m.qpos0[at])
            pose[:3, :3] = pose[:3, :3] @ turned
            pose[:3, 3] = anchor - pose[:3, :3] @ local
        return pose, places

    def carrier(self, link: Link, j: int) -> Link:
        """A small body between two joints of one: it takes a part of the body's mass over."""
        self.parts.note(
            f"bodies with several joints: {CARRIER:.0%} of the mass goes to a carrier between each two", link.name
        )
        center = link.pose[:3, :3] @ link.center + link.pose[:3, 3]
        carrier = Link(f"{link.name}/{self.name('JOINT', j)}", transform(translation=center), collides=False)
        part = CARRIER * link.mass
        mean = CARRIER * float(np.trace(link.inertia)) / 3
        carrier.mass, carrier.inertia = part, np.eye(3) * mean
        radius = max(1e-3, float(np.sqrt(2.5 * mean / part)))
        carrier.shapes = [({"sphere": {"radius": radius}}, np.eye(4))]
        link.mass -= part
        link.inertia = link.inertia * (1 - CARRIER)
        return carrier

    def joint(self, j: int, place: tuple[Any, Any], bodies: tuple[str, str]) -> None:
        m, name = self.m, self.name("JOINT", j)
        anchor, axis = place
        dof, at = m.jnt_dofadr[j], m.jnt_qposadr[j]
        now = float(self.q[at])
        if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
            if m.jnt_limited[j]:
                self.parts.note("the limit of a ball joint is left out", name)
            if m.dof_damping[dof] or m.jnt_stiffness[j] or m.dof_frictionloss[dof]:
                self.parts.note("spring, damping and friction of a ball joint are left out", name)
            self.parts.joints.append(JointPart(name, "ball", bodies, {"anchor": anchor}))
            return
        kind = "slider" if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE else "hinge"
        keys: dict[str, Any] = {"anchor": anchor, "axis": axis}
        if m.jnt_limited[j]:
            keys |= limits(float(m.jnt_range[j][0]), float(m.jnt_range[j][1]), now)
        if m.dof_frictionloss[dof]:
            keys["friction"] = float(m.dof_frictionloss[dof])
        stiffness, damping = float(np.ravel(m.jnt_stiffness[j])[0]), float(np.ravel(m.dof_damping[dof])[0])
        if stiffness or damping:
            keys["spring"] = {"stiffness": stiffness, "damping": damping, "rest": float(m.qpos_spring[at]) - now}
        self.parts.joints.append(JointPart(name, kind, bodies, keys))


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
