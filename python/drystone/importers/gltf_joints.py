"""Joints of KHR_physics_rigid_bodies: limits and drives of six coordinates, as the joint of a scene that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .gltf_file import File, split
from .parts import JointPart, Link, Parts

__all__ = ["Joints"]

Array = NDArray[np.float64]
#: A coordinate's bounds.
Range = tuple[float, float]
FREE: Range = (-np.inf, np.inf)


class Joints:
    def __init__(self, file: File, parts: Parts, owner: Callable[[int], Link | None]) -> None:
        self.file, self.parts, self.owner = file, parts, owner
        self.list: list[dict[str, Any]] = file.extension("KHR_physics_rigid_bodies").get("physicsJoints", [])

    def add(self, node: int, given: dict[str, Any]) -> None:
        where = self.file.name(node)
        number, other = int(given.get("joint", -1)), int(given.get("connectedNode", -1))
        if not 0 <= number < len(self.list) or not 0 <= other < len(self.file.nodes):
            self.parts.note("a joint without description or partner is left out", f"joint {where}")
            return
        links = self.owner(node), self.owner(other)
        names = tuple("world" if link is None else link.name for link in links)
        if names[0] == names[1]:
            return
        frames = [split(self.file.world(n))[0] for n in (node, other)]
        name = self.parts.name_of("joint", where, False)
        where = f"joint {where}"
        ranges = self.ranges(self.list[number], where)
        kind, keys, now = self.kind(ranges, frames, where)
        if kind is None:
            return
        if given.get("enableCollision"):
            keys["collide"] = True
        for drive in self.list[number].get("drives", []):
            self.drive(drive, ranges, keys, now, where)
        self.parts.joints.append(JointPart(name, kind, (names[0], names[1]), keys))

    def ranges(self, joint: dict[str, Any], where: str) -> list[Range]:
        """The bounds of three translations (m) and three rotations (rad)."""
        found = [FREE] * 6
        for limit in joint.get("limits", []):
            low, high = float(limit.get("min", -np.inf)), float(limit.get("max", np.inf))
            axes = [*limit.get("linearAxes", []), *(a + 3 for a in limit.get("angularAxes", []))]
            if len(axes) > 1 and (low, high) != (0.0, 0.0):
                self.parts.note("a limit of a distance or cone acts on each axis of its own", where, "contact")
                low = max(low, -high)
            if limit.get("stiffness") is not None:
                self.parts.note("a soft limit is hard", where, "contact")
            for axis in axes:
                found[axis] = (max(found[axis][0], low), min(found[axis][1], high))
        return found

    def kind(
        self, ranges: list[Range], frames: list[Array], where: str
    ) -> tuple[str | None, dict[str, Any], float | None]:
        """The joint that these bounds make, and where its coordinate starts if it has one."""
        one, other = frames
        anchors = {"anchor": one[:3, 3], "anchor2": other[:3, 3]}
        held = [low == high for low, high in ranges]
        between = one[:3, :3].T @ other[:3, :3]
        apart = one[:3, :3].T @ (other[:3, 3] - one[:3, 3])
        turned = np.array([between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]])
        angles = turned / 2 * (1 if np.trace(between) > 2.9 else 0)
        if all(r == FREE for r in ranges):
            return None, {}, None
        if all(ranges[k] == (0.0, 0.0) for k in range(3)):
            if all(held[3:]):
                return "fixed", {"anchor": one[:3, 3]}, None
            if ranges[3:] == [FREE] * 3:
                return "ball", anchors, None
            free = [k for k in range(3) if not held[3 + k]]
            if len(free) == 1:
                k = free[0]
                axis, now = one[:3, k], float(np.arctan2(turned[k], np.trace(between) - 1))
                return "hinge", {**anchors, "axis": axis, **self.limits(ranges[3 + k], now)}, now
        free = [k for k in range(3) if not held[k]]
        if all(held[3:]) and len(free) == 1 and not any(ranges[k][0] for k in range(3) if held[k]):
            k, now = free[0], float(apart[free[0]])
            return "slider", {"anchor": other[:3, 3], "axis": one[:3, k], **self.limits(ranges[k], now)}, now
        if np.trace(between) < 2.9 and any(r != FREE for r in ranges[3:]):
            self.parts.note("bounds of rotations count from the start, where the frames are turned", where, "motion")
        # coordinates are zero at the start
        frame = {"anchor": other[:3, 3], "axis": one[:3, 0], "axis2": one[:3, 1]}
        translations = [self.freedom(r, float(a)) for r, a in zip(ranges[:3], apart)]
        rotations = [self.freedom(r, float(a)) for r, a in zip(ranges[3:], angles)]
        return "six-dof", {**frame, "translations": translations, "rotations": rotations}, None

    @staticmethod
    def limits(bounds: Range, now: float) -> dict[str, Any]:
        found = {key: float(v - now) for key, v in zip(("lower", "upper"), bounds) if np.isfinite(v)}
        return {"limits": found} if found else {}

    @staticmethod
    def freedom(bounds: Range, now: float) -> Any:
        if bounds == FREE:
            return "free"
        low, high = (float(np.clip(v - now, -1e6, 1e6)) for v in bounds)
        return "locked" if max(abs(low), abs(high)) < 1e-6 else [low, high]

    def drive(
        self, drive: dict[str, Any], ranges: list[Range], keys: dict[str, Any], now: float | None, where: str
    ) -> None:
        """A drive of the one free coordinate is a spring and damper."""
        axis = int(drive.get("axis", -1)) + (3 if drive.get("type") == "angular" else 0)
        stiffness, damping = (float(drive.get(key, 0.0)) for key in ("stiffness", "damping"))
        free = [k for k in range(6) if ranges[k][0] != ranges[k][1]]
        plain = drive.get("mode", "force") == "force" and np.isinf(drive.get("maxForce", np.inf))
        if now is None or free != [axis] or not plain or drive.get("velocityTarget") or "spring" in keys:
            self.parts.note("a drive other than a spring and damper of a hinge or slider is left out", where)
            return
        rest = float(drive.get("positionTarget", 0.0)) - now
        keys["spring"] = {"stiffness": stiffness, "damping": damping, "rest": rest}
