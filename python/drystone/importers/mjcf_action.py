"""What acts on the bodies of an MJCF model: actuators, tendons, equality constraints, the medium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from .parts import JointPart, transform

if TYPE_CHECKING:
    from .mjcf import Model

__all__ = ["Action"]

#: What moves nothing.
UNSEEN = {"nsensor": "sensors", "ncam": "cameras", "nlight": "lights", "nskin": "skins", "nkey": "key frames"}


class Action:
    """Turns them into springs and joints, or notes."""

    def __init__(self, model: Model) -> None:
        self.model, self.m, self.parts = model, model.m, model.parts
        #: Per joint the actuators on it that are springs and dampers.
        self.on: dict[int, list[int]] = {}
        self.unlike: list[int] = []
        # an actuator may have several commands
        for u in range(len(self.m.actuator_trntype)):
            self.sort(u)

    def read(self) -> None:
        for count, what in UNSEEN.items():
            if number := int(getattr(self.m, count, 0)):
                self.parts.note(f"{number} {what} left out", about="view")
        for flex in range(self.m.nflex):
            self.parts.note("flexible bodies are left out", self.model.place("FLEX", flex))
        if not self.model.disabled("ACTUATION"):
            self.actuators()
        for t in range(self.m.ntendon):
            self.tendon(t)
        if not self.model.disabled("EQUALITY") and not self.model.disabled("CONSTRAINT"):
            for e in range(self.m.neq):
                self.equality(e)
        self.medium()

    # actuators

    def sort(self, u: int) -> None:
        """Tells a linear actuator on a joint's coordinate from others."""
        m, trn, dyn = self.m, mujoco.mjtTrn, mujoco.mjtDyn
        on_joint = m.actuator_trntype[u] in (int(trn.mjTRN_JOINT), int(trn.mjTRN_JOINTINPARENT))
        straight = m.actuator_dyntype[u] in [
            int(d) for d in (dyn.mjDYN_NONE, dyn.mjDYN_INTEGRATOR, dyn.mjDYN_FILTER, dyn.mjDYN_FILTEREXACT)
        ]
        linear = (
            m.actuator_gaintype[u] == int(mujoco.mjtGain.mjGAIN_FIXED)
            and m.actuator_biastype[u] in (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE))
            and straight
            and m.actuator_plugin[u] < 0
        )
        joint = int(m.actuator_trnid[u, 0])
        if on_joint and linear and m.jnt_type[joint] in (2, 3):
            self.on.setdefault(joint, []).append(u)
        else:
            self.unlike.append(u)

    def bias(self, u: int) -> tuple[float, float, float]:
        """Force without command: constant (N, N m), per length, per speed of the actuator."""
        if self.m.actuator_biastype[u] == int(mujoco.mjtBias.mjBIAS_NONE):
            return 0.0, 0.0, 0.0
        constant, length, speed = (float(b) for b in self.m.actuator_biasprm[u, :3])
        return constant, length, speed

    def gains(self, j: int, now: float) -> tuple[float, float, float]:
        """Stiffness, damping, and force at the start that the actuators of a joint add at a command of zero."""
        stiffness = damping = pull = 0.0
        if self.model.disabled("ACTUATION"):
            return stiffness, damping, pull
        for u in self.on.get(j, []):
            gear, (constant, length, speed) = float(self.m.actuator_gear[u, 0]), self.bias(u)
            command = 0.0
            if self.m.actuator_ctrllimited[u] and self.m.actuator_dyntype[u] == int(mujoco.mjtDyn.mjDYN_NONE):
                command = float(np.clip(0.0, *self.m.actuator_ctrlrange[u]))
            stiffness -= length * gear * gear
            damping -= speed * gear * gear
            pull += gear * (float(self.m.actuator_gainprm[u, 0]) * command + constant + length * gear * now)
        return stiffness, damping, pull

    def actuators(self) -> None:
        for us in self.on.values():
            for u in us:
                where = self.model.place("ACTUATOR", u)
                if any(self.bias(u)):
                    self.parts.note(
                        "an actuator is a spring and damper that hold its command of zero", where, "control"
                    )
                    if self.m.actuator_forcelimited[u]:
                        self.parts.note("the bound on the force of an actuator is left out", where)
                else:
                    self.parts.note("motors are left out: Joint.drive commands a joint", where, "control")
        for u in self.unlike:
            plugged = self.m.actuator_plugin[u] >= 0
            still = (
                not plugged
                and self.m.actuator_gaintype[u] == int(mujoco.mjtGain.mjGAIN_FIXED)
                and not any(self.bias(u))
            )
            still = still and self.m.actuator_biastype[u] in (0, 1)
            what = "an actuator of a kind that scenes do not have is left out"
            self.parts.note(what, self.model.place("ACTUATOR", u), "control" if still else "motion")
        for what in ("armature", "damping"):
            for u in np.flatnonzero(np.ravel(getattr(self.m, f"actuator_{what}", []))).tolist():
                self.parts.note(f"{what} of an actuator is left out", self.model.place("ACTUATOR", u))

    # tendons

    def tendon(self, t: int) -> None:
        """A tendon between two sites is a spring, a rope, or both."""
        m, where = self.m, self.model.place("TENDON", t)
        stiffness, damping = (float(np.ravel(getattr(m, f"tendon_{k}")[t])[0]) for k in ("stiffness", "damping"))
        first, count = int(m.tendon_adr[t]), int(m.tendon_num[t])
        acts = stiffness or damping or m.tendon_limited[t] or m.tendon_frictionloss[t] or m.tendon_armature[t]
        if not acts:
            self.parts.note("tendons that measure only are left out", where, "view")
            return
        is_rod = count == 2 and all(k == int(mujoco.mjtWrap.mjWRAP_SITE) for k in m.wrap_type[first : first + 2])
        rest, longest = (float(v) for v in m.tendon_lengthspring[t])
        low, high = (float(v) for v in m.tendon_range[t])
        if not is_rod or rest != longest or m.tendon_frictionloss[t] or m.tendon_armature[t]:
            self.parts.note("a tendon other than a spring between two sites is left out", where)
            return
        sites = [int(s) for s in m.wrap_objid[first : first + 2]]
        bodies = [int(m.site_bodyid[s]) for s in sites]
        ends = [self.model.poses[b] @ np.append(m.site_pos[s], 1.0) for b, s in zip(bodies, sites)]
        names = [self.model.partner(b) for b in bodies]
        if stiffness or damping:
            frames = [np.eye(4) if (link := self.model.links[b]) is None else link.pose for b in bodies]
            anchors = [(np.linalg.inv(f) @ end)[:3].tolist() for f, end in zip(frames, ends)]
            keys = {"stiffness": stiffness, "damping": damping, "rest_length": rest}
            self.parts.forces.append({"kind": "spring", "bodies": names, "anchors": anchors, **keys})
        if m.tendon_limited[t]:
            if low > 0.0:
                self.parts.note("the least length of a tendon is left out", where, "contact")
            keys = {"anchor": ends[0][:3], "anchor2": ends[1][:3], "length": high}
            name = self.parts.name_of("joint", self.model.name("TENDON", t), False)
            self.parts.joints.append(JointPart(name, "rope", (names[0], names[1]), keys))

    # equalities

    def ends(self, e: int) -> list[tuple[int, Any]]:
        """The two bodies of an equality constraint, with the frames (world) that it holds together."""
        m, data = self.m, np.asarray(self.m.eq_data[e], dtype=float)
        numbers = [int(m.eq_obj1id[e]), int(m.eq_obj2id[e])]
        if int(m.eq_objtype[e]) == int(mujoco.mjtObj.mjOBJ_SITE):
            bodies = [int(m.site_bodyid[s]) for s in numbers]
            return [(b, self.model.poses[b] @ self.model.frame("site", s)) for b, s in zip(bodies, numbers)]
        one, other = (self.model.poses[b] for b in numbers)
        if int(m.eq_type[e]) == int(mujoco.mjtEq.mjEQ_CONNECT):
            local = [transform(translation=data[:3]), transform(translation=data[3:6])]
        else:
            from .mjcf import rotation

            local = [transform(rotation(data[6:10]), data[3:6]), np.eye(4)]
        return [(numbers[0], one @ local[0]), (numbers[1], other @ local[1])]

    def equality(self, e: int) -> None:
        """Bodies that are held together are joined; what couples coordinates is left out."""
        m, kinds, where = self.m, mujoco.mjtEq, self.model.place("EQUALITY", e)
        kind = kinds(int(m.eq_type[e]))
        if not m.eq_active0[e]:
            self.parts.note("an equality constraint that does not act at the start is left out", where, "control")
            return
        if kind not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            coupled = kind == kinds.mjEQ_JOINT
            of = " ".join(
                self.model.name("JOINT", int(n)) for n in (m.eq_obj1id[e], m.eq_obj2id[e]) if coupled and n >= 0
            )
            what = "an equality constraint of another kind than weld and connect is left out"
            self.parts.note(what, f"{where} of {of}" if of else where)
            return
        (one, a), (other, b) = self.ends(e)
        pair = (self.model.partner(one), self.model.partner(other))
        if pair[0] == pair[1]:
            return
        name = self.parts.name_of("joint", self.model.name("EQUALITY", e), self.model.is_named("EQUALITY", e))
        # equality constraints leave contact as it is
        keys: dict[str, Any] = {"anchor": a[:3, 3], "collide": True}
        if kind == kinds.mjEQ_CONNECT:
            if np.linalg.norm(b[:3, 3] - a[:3, 3]) > 1e-9:
                keys["anchor2"] = b[:3, 3]
            self.parts.joints.append(JointPart(name, "ball", pair, keys))
            return
        if np.abs(a - b).max() > 1e-6:
            self.parts.note("a weld holds bodies as they are at the start, which is not where it wants them", where)
        self.parts.joints.append(JointPart(name, "fixed", pair, {"anchor": b[:3, 3], "collide": True}))

    def medium(self) -> None:
        """What surrounds the bodies, and settings that have no match."""
        for body in np.flatnonzero(np.asarray(self.m.body_plugin) >= 0).tolist():
            self.parts.note("a plugin of a body is left out", self.model.name("BODY", body))
        option = self.m.opt
        if option.density or option.viscosity or np.any(option.wind):
            self.parts.note("the medium (density, viscosity, wind) is left out")
        if option.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE):
            self.parts.note("contact parameters of the option element are left out", about="contact")
        if np.any(np.ravel(getattr(self.m, "geom_surfacevel", 0.0))):
            self.parts.note("surface velocities of geoms are left out", about="contact")
