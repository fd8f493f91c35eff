"""MJCF, compiled by MuJoCo itself: defaults, includes, classes and inertias come out as it means them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ..errors import InputError
from .mjcf_action import Action
from .mjcf_surface import Surface
from .parts import Imported, JointPart, Link, Parts, limits, transform, turn

__all__ = ["Model", "read_mjcf"]

#: Part of its body's mass that a carrier between two joints of one body has.
CARRIER = 0.01
#: Depth (m) from which a contact of two bodies that a joint holds contradicts it: MuJoCo's rounding is a thousand times less.
OVERLAP = 1e-6

FREE, BALL, SLIDE, HINGE = range(4)


def read_mjcf(path: Path, configuration: dict[str, Any], fixed_base: bool) -> Imported:
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return Reader(path, model, configuration, fixed_base).read()


def rotation(q: Any) -> Any:
    """Of a quaternion ``[w, x, y, z]``. (3, 3)"""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Model:
    """A compiled model, its start, and the names of its elements."""

    def __init__(self, path: Path, model: Any, configuration: dict[str, Any]) -> None:
        self.m = model
        gravity = model.opt.gravity * (0.0 if self.disabled("GRAVITY") else 1.0)
        self.parts = Parts(bytes(model.names).split(b"\0", 1)[0].decode() or path.stem, gravity)
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

    def disabled(self, flag: str) -> bool:
        return bool(self.m.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")))

    def is_named(self, kind: str, number: int) -> bool:
        return bool(mujoco.mj_id2name(self.m, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), number))

    def name(self, kind: str, number: int) -> str:
        found = mujoco.mj_id2name(self.m, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return found or f"{kind.lower()}{number}"

    def place(self, kind: str, number: int) -> str:
        """An element in a note."""
        return f"{kind.lower()} {self.name(kind, number) if self.is_named(kind, number) else number}"

    def frame(self, kind: str, number: int) -> Any:
        """The pose of a geom or site in its body."""
        return transform(rotation(getattr(self.m, f"{kind}_quat")[number]), getattr(self.m, f"{kind}_pos")[number])

    def partner(self, body: int) -> str:
        link = self.links[body]
        return "world" if link is None else link.name


class Reader:
    def __init__(self, path: Path, model: Any, configuration: dict[str, Any], fixed_base: bool) -> None:
        self.model, self.m, self.fixed_base = Model(path, model, configuration), model, fixed_base
        self.parts, self.q = self.model.parts, self.model.q
        self.surface, self.action = Surface(self.model), Action(self.model)
        #: Per body those that the model excludes from contact with it.
        self.excluded: dict[int, set[int]] = {}
        for signature in self.m.exclude_signature:
            first, second = int(signature) >> 16, int(signature) & 0xFFFF
            self.excluded.setdefault(first, set()).add(second)
            self.excluded.setdefault(second, set()).add(first)
        self.softness = mujoco.MjModel.from_xml_string(
            "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
        )

    def read(self) -> Imported:
        self.surface.world()
        for body in range(1, self.m.nbody):
            self.body(body)
        self.action.read()
        self.apart()
        self.surface.finish()
        return self.parts.imported()

    def apart(self) -> None:
        """Pairs that do not meet: of the model, within welded bodies, and of parents and children."""
        m, links = self.m, self.model.links
        for signature in m.exclude_signature:
            first, second = (links[b] for b in (int(signature) >> 16, int(signature) & 0xFFFF))
            if first is None or second is None:
                other = first or second
                self.parts.ignored += [(geom, other.name) for geom in sorted(self.surface.of_world) if other]
            elif first.name != second.name:
                self.parts.ignored.append((first.name, second.name))
        tree: list[tuple[Link, Link, bool]] = []
        still: list[tuple[Link, Link, bool]] = []
        for body in range(1, m.nbody):
            child, parent, weld = links[body], links[m.body_parentid[body]], m.body_weldid[body]
            if child is None or parent is None or child is parent:
                continue
            welded = weld == m.body_weldid[m.body_parentid[body]]
            if m.body_weldid[m.body_parentid[body]] == 0:
                # what is welded to the world meets its children
                still.append((parent, child, bool(welded)))
            elif welded or not self.model.disabled("FILTERPARENT"):
                tree.append((parent, child, bool(welded)))
        self.parts.keep_apart(tree)
        held = self.parts.keep_apart(still + tree, self.overlapping())
        for pair in held:
            # a soft contact gives way to the joint, a rigid one does not
            self.parts.note("overlap at the start, where a joint holds them: they do not meet", pair, "contact")

    def overlapping(self) -> set[frozenset[str]]:
        """Pairs of bodies that contacts begin in (names)."""
        data = mujoco.MjData(self.m)
        data.qpos[:] = self.q
        mujoco.mj_fwdPosition(self.m, data)
        found = set()
        for contact in data.contact:
            if contact.dist < -OVERLAP and min(contact.geom) >= 0:
                found.add(frozenset(self.model.partner(int(self.m.geom_bodyid[g])) for g in contact.geom))
        return found

    # bodies and joints

    def body(self, body: int) -> None:
        m = self.m
        up = m.body_parentid[body]
        parent, pose = self.model.links[up], self.model.poses[up]
        pose = pose @ transform(rotation(m.body_quat[body]), m.body_pos[body])
        joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
        pose, places = self.moved(pose, joints)
        self.model.poses.append(pose)
        mass = float(m.body_mass[body])
        if not joints and mass == 0.0 and parent is not None:
            where = self.model.name("BODY", body)
            self.parts.note("a body without joint and mass: part of the body before it", where, "view")
            self.surface.add(body, parent, np.linalg.inv(parent.pose) @ pose)
            self.model.links.append(parent)
            return
        name = self.parts.name_of("body", self.model.name("BODY", body), self.model.is_named("BODY", body))
        stays = not joints and (parent is None or parent.fixed)
        link = Link(name, pose, fixed=stays or (self.fixed_base and up == 0))
        if not link.fixed:
            axes = rotation(m.body_iquat[body])
            link.mass, link.center = mass, np.array(m.body_ipos[body])
            if compensation := float(m.body_gravcomp[body]):
                link.keys["gravity_scale"] = 1.0 - compensation
            link.inertia = axes @ np.diag(m.body_inertia[body]) @ axes.T
        elif m.body_mocapid[body] >= 0:
            self.parts.note("a mocap body, which a program moves, is fixed", name, "control")
        self.surface.add(body, link, np.eye(4))
        alike = self.excluded.get(body, set()) - {up} == self.excluded.get(int(up), set()) - {body}
        if not joints and not link.fixed and parent is not None and alike and self.parts.fused(parent, link):
            self.model.links.append(parent)
            return
        self.model.links.append(link)
        if link.fixed:
            self.parts.links.append(link)
            return
        movers = [j for j in joints if m.jnt_type[j] != FREE]
        if not joints:
            self.parts.links.append(link)
            keys = {"anchor": pose[:3, 3]}
            weld = self.parts.name_of("joint", f"{name}-weld", False)
            self.parts.joints.append(JointPart(weld, "fixed", (parent.name if parent else "world", name), keys))
        elif not movers:
            self.parts.links.append(link)
            self.loose(link, joints[0])
        elif self.is_universal(movers, places):
            self.parts.links.append(link)
            self.universal(movers, places, parent, link)
        else:
            self.chain(movers, places, parent, link)

    def moved(self, pose: Any, joints: Any) -> tuple[Any, dict[int, tuple[Any, Any]]]:
        """The body's frame after its joints, and per joint its anchor and axis in the world."""
        m, places = self.m, {}
        pose = pose.copy()
        for j in joints:
            at, kind = m.jnt_qposadr[j], m.jnt_type[j]
            q = self.q[at : at + 7]
            if kind == FREE:
                pose = transform(rotation(q[3:7]), q[:3])
                continue
            local = np.array(m.jnt_pos[j])
            anchor, axis = pose[:3, :3] @ local + pose[:3, 3], pose[:3, :3] @ m.jnt_axis[j]
            places[j] = (anchor, axis)
            if kind == SLIDE:
                pose[:3, 3] += axis * (q[0] - m.qpos0[at])
                continue
            turned = rotation(q[:4]) if kind == BALL else turn(m.jnt_axis[j], q[0] - m.qpos0[at])
            pose[:3, :3] = pose[:3, :3] @ turned
            pose[:3, 3] = anchor - pose[:3, :3] @ local
        return pose, places

    def loose(self, link: Link, j: int) -> None:
        """What a free joint does besides leaving its body free."""
        m, dof = self.m, self.m.jnt_dofadr[j]
        where = self.model.place("JOINT", j)
        damping = self.damping(j, 6)
        if np.any(damping):
            if np.ptp(damping[:3]) or np.ptp(damping[3:]) or (damping[0] and np.any(link.center)):
                self.parts.note("damping of a free joint is that of its mean, at the centre of mass", where)
            self.drag(link, float(damping[:3].mean()), float(damping[3:].mean()))
        if np.any(m.dof_frictionloss[dof : dof + 6]) and not self.model.disabled("FRICTIONLOSS"):
            self.parts.note("frictionloss of a free joint is left out", where)
        rotor = np.array(m.dof_armature[dof : dof + 6])
        if np.any(rotor):
            link.inertia = link.inertia + np.diag(rotor[3:])
            if np.any(rotor[:3]):
                self.heavier(link, float(rotor[:3].mean()))
                if np.any(link.center) or np.ptp(rotor[:3]):
                    self.parts.note("armature of a free joint acts at the centre of mass", where)
        if m.jnt_stiffness[j] and not self.model.disabled("SPRING"):
            self.parts.note("the spring of a free joint is left out", where)

    def drag(self, link: Link, linear: float, angular: float) -> None:
        keys = {"kind": "drag", "bodies": [link.name], "viscous": linear, "angular": angular}
        self.parts.forces.append({k: v for k, v in keys.items() if v})

    def damping(self, j: int, width: int) -> Any:
        dof = self.m.jnt_dofadr[j]
        return np.array(self.m.dof_damping[dof : dof + width]) * (not self.model.disabled("DAMPER"))

    @staticmethod
    def heavier(link: Link, mass: float) -> None:
        """Adds mass that gravity does not pull."""
        weight = link.keys.get("gravity_scale", 1.0) * link.mass
        link.mass += mass
        link.keys["gravity_scale"] = weight / link.mass

    def is_universal(self, movers: list[int], places: dict[int, tuple[Any, Any]]) -> bool:
        if len(movers) != 2 or any(self.m.jnt_type[j] != HINGE for j in movers):
            return False
        (one, first), (other, second) = (places[j] for j in movers)
        square = abs(float(first @ second)) < 1e-9 and np.abs(one - other).max() < 1e-9
        return square and not self.m.dof_armature[self.m.jnt_dofadr[movers[0]]]

    def universal(self, movers: list[int], places: dict[int, Any], parent: Link | None, link: Link) -> None:
        """Two hinges at one point with axes at a right angle are one joint, named after the first."""
        one, other = movers
        keys: dict[str, Any] = {"anchor": places[one][0], "axis": places[one][1], "axis2": places[other][1]}
        keys |= self.coordinate(one)
        keys |= {f"{key}2": value for key, value in self.coordinate(other).items()}
        self.armature(other, places[other][1], parent is None, link)
        self.join(one, "universal", parent, link, keys)

    def chain(self, movers: list[int], places: dict[int, Any], parent: Link | None, link: Link) -> None:
        """One joint after another, with a carrier between each two."""
        carriers = [self.carrier(link, j) for j in movers[:-1]]
        self.parts.links += [*carriers, link]
        before = parent
        for j, after in zip(movers, [*carriers, link]):
            self.joint(j, places[j], before, after)
            before = after

    def carrier(self, link: Link, j: int) -> Link:
        """A small body between two joints of one: it takes a part of the body's mass over."""
        self.parts.note(
            f"bodies with several joints: {CARRIER:.0%} of the mass goes to a carrier between each two", link.name
        )
        center = link.pose[:3, :3] @ link.center + link.pose[:3, 3]
        name = self.parts.name_of("body", f"{link.name}/{self.model.name('JOINT', j)}", False)
        carrier = Link(name, transform(translation=center), collides=False)
        part = CARRIER * link.mass
        mean = CARRIER * float(np.trace(link.inertia)) / 3
        carrier.mass, carrier.inertia = part, np.eye(3) * mean
        carrier.keys = dict(link.keys)
        radius = max(1e-3, float(np.sqrt(2.5 * mean / part)))
        carrier.shapes = [({"sphere": {"radius": radius}}, np.eye(4))]
        link.mass -= part
        link.inertia = link.inertia * (1 - CARRIER)
        return carrier

    def join(self, j: int, kind: str, parent: Link | None, link: Link, keys: dict[str, Any]) -> None:
        """Adds a joint. MuJoCo lets what is welded to the world meet its children."""
        if parent is not None and (parent.fixed or self.model.disabled("FILTERPARENT")):
            keys["collide"] = True
        name = self.parts.name_of("joint", self.model.name("JOINT", j), self.model.is_named("JOINT", j))
        bodies = (parent.name if parent is not None else "world", link.name)
        self.parts.joints.append(JointPart(name, kind, bodies, keys))

    def joint(self, j: int, place: tuple[Any, Any], parent: Link | None, link: Link) -> None:
        m, (anchor, axis) = self.m, place
        rests = parent is None or parent.fixed
        self.armature(j, axis, rests, link)
        if m.jnt_type[j] == BALL:
            self.ball(j, rests, link)
            self.join(j, "ball", parent, link, {"anchor": anchor})
            return
        kind = "slider" if m.jnt_type[j] == SLIDE else "hinge"
        self.join(j, kind, parent, link, {"anchor": anchor, "axis": axis} | self.coordinate(j))

    def ball(self, j: int, rests: bool, link: Link) -> None:
        m, dof, where = self.m, self.m.jnt_dofadr[j], self.model.place("JOINT", j)
        if self.is_limited(j):
            self.parts.note("the limit of a ball joint is left out", where, "contact")
        damping = self.damping(j, 3)
        if rests and np.any(damping):
            self.drag(link, 0.0, float(damping.mean()))
        elif np.any(damping):
            self.parts.note("damping of a ball joint is left out", where)
        if m.jnt_stiffness[j] and not self.model.disabled("SPRING"):
            self.parts.note("the spring of a ball joint is left out", where)
        if np.any(m.dof_frictionloss[dof : dof + 3]) and not self.model.disabled("FRICTIONLOSS"):
            self.parts.note("frictionloss of a ball joint is left out", where)

    def is_limited(self, j: int) -> bool:
        off = self.model.disabled("LIMIT") or self.model.disabled("CONSTRAINT")
        return bool(self.m.jnt_limited[j]) and not off

    def coordinate(self, j: int) -> dict[str, Any]:
        """Limits, friction and spring of a hinge or slide."""
        m, model, where = self.m, self.model, self.model.place("JOINT", j)
        dof, at = m.jnt_dofadr[j], m.jnt_qposadr[j]
        keys: dict[str, Any] = {}
        now = float(self.q[at])
        if self.is_limited(j):
            keys |= limits(float(m.jnt_range[j][0]), float(m.jnt_range[j][1]), now)
            soft = ("jnt_solref", "jnt_solimp")
            if any(np.any(getattr(m, k)[j] != getattr(self.softness, k)[0]) for k in soft) or m.jnt_margin[j]:
                self.parts.note("softness and margin of limits (solref, solimp) are left out", where, "contact")
        if m.dof_frictionloss[dof] and not model.disabled("FRICTIONLOSS") and not model.disabled("CONSTRAINT"):
            keys["friction"] = float(m.dof_frictionloss[dof])
        for curve in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            if np.any(getattr(m, curve, np.zeros((m.nv + 1, 1)))[j if curve.startswith("jnt") else dof]):
                self.parts.note("a spring or damper that is not linear is taken as linear", where)
        stiffness = float(np.ravel(m.jnt_stiffness[j])[0]) * (not model.disabled("SPRING"))
        damping = float(self.damping(j, 1)[0])
        pull = stiffness * (float(m.qpos_spring[at]) - now)
        extra = self.action.gains(j, now)
        stiffness, damping, pull = stiffness + extra[0], damping + extra[1], pull + extra[2]
        if stiffness < 0.0 or damping < 0.0 or (pull and stiffness <= 0.0):
            self.parts.note("actuators push with a command of zero, or with a negative gain: left out", where)
            stiffness, damping, pull = max(stiffness, 0.0), max(damping, 0.0), pull if stiffness > 0.0 else 0.0
        if stiffness or damping:
            rest = pull / stiffness if stiffness else 0.0
            keys["spring"] = {"stiffness": stiffness, "damping": damping, "rest": rest}
        return keys

    def armature(self, j: int, axis: Any, rests: bool, link: Link) -> None:
        """Inertia of a rotor is inertia of the child about the joint's axis, as it is exactly where the parent rests."""
        rotor, kind = float(self.m.dof_armature[self.m.jnt_dofadr[j]]), self.m.jnt_type[j]
        if not rotor:
            return
        where = self.model.place("JOINT", j)
        if kind == SLIDE:
            if rests:
                self.heavier(link, rotor)
            else:
                self.parts.note("armature of a slide on a body that moves is left out", where)
            return
        own = link.pose[:3, :3].T @ axis
        link.inertia = link.inertia + rotor * (np.outer(own, own) if kind == HINGE else np.eye(3))
        if not rests:
            self.parts.note("armature is inertia of the child, and turns with the parent too", where)
