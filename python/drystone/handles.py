"""Bodies, joints and forces of a world, for as long as they exist there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._text import vector
from .errors import InputError

if TYPE_CHECKING:
    from .world import World

__all__ = ["Body", "Force", "Joint"]

Array = NDArray[np.float64]


class Body:
    """A body of a world, for as long as it exists there. Poses are those of the body frame: the one its shape is given in."""

    __slots__ = ("_key", "_world")

    def __init__(self, world: World, key: int) -> None:
        self._world, self._key = world, key

    @property
    def index(self) -> int:
        """Its row in the world's arrays at present; it changes when a body before it is removed."""
        return self._world._native.body_column(self._key)

    @property
    def name(self) -> str:
        return self._world._native.body_names()[self.index]

    @property
    def kind(self) -> str:
        """``dynamic``, ``fixed``, ``scripted`` or ``passive``."""
        return self._world._native.body_kind(self._key)

    @property
    def mass(self) -> float:
        """Mass (kg)."""
        return self._world._native.mass(self._key)[0]

    @property
    def inertia(self) -> Array:
        """Inertia about the centre of mass in body axes (kg m^2). (3, 3)"""
        return np.array(self._world._native.mass(self._key)[1])

    @property
    def center_of_mass(self) -> Array:
        """Centre of mass in the body frame (m). (3,)"""
        return np.array(self._world._native.mass(self._key)[2])

    @property
    def position(self) -> Array:
        """Where the body frame's origin is (m). (3,)"""
        return np.array(self._world._native.pose(self._key)[0])

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self.place(value, self.orientation)

    @property
    def orientation(self) -> Array:
        """``[x, y, z, w]``. (4,)"""
        return np.array(self._world._native.pose(self._key)[1])

    @orientation.setter
    def orientation(self, value: ArrayLike) -> None:
        self.place(self.position, value)

    def place(self, position: ArrayLike, orientation: ArrayLike = (0.0, 0.0, 0.0, 1.0)) -> None:
        """Puts the body somewhere else, and wakes it and what touched it."""
        native = self._world._native
        native.set_pose(self._key, vector(position, 3, "position"), vector(orientation, 4, "orientation"))

    @property
    def linear_velocity(self) -> Array:
        """Velocity of the centre of mass (m/s). (3,)"""
        return np.array(self._world._native.velocity(self._key)[0])

    @linear_velocity.setter
    def linear_velocity(self, value: ArrayLike) -> None:
        angular = self._world._native.velocity(self._key)[1]
        self._world._native.set_velocity(self._key, vector(value, 3, "linear_velocity"), angular)

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity, world frame (rad/s). (3,)"""
        return np.array(self._world._native.velocity(self._key)[1])

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        linear = self._world._native.velocity(self._key)[0]
        self._world._native.set_velocity(self._key, linear, vector(value, 3, "angular_velocity"))

    def apply_impulse(self, impulse: ArrayLike, point: ArrayLike | None = None) -> None:
        """Strikes a dynamic body: an impulse (N s) at a point of the world (m), by default its centre of mass."""
        if point is None:
            native = self._world._native
            point = _turned(self.orientation, native.mass(self._key)[2]) + self.position
        self._world._native.apply_impulse(self._key, vector(impulse, 3, "impulse"), vector(point, 3, "point"))

    def set_passive(self, passive: bool = True) -> None:
        """Takes a dynamic body out of the world without forgetting it, or brings it back."""
        self._world._native.set_passive(self._key, bool(passive))

    def remove(self) -> None:
        """Removes the body, and the joints and forces on it."""
        self._world._native.remove_body(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and other._world is self._world and other._key == self._key

    def __hash__(self) -> int:
        return hash((id(self._world), self._key))

    def __repr__(self) -> str:
        return f"<Body {self.name!r}, {self.kind}>"


def _turned(q: ArrayLike, v: ArrayLike) -> Array:
    q, v = np.asarray(q), np.asarray(v)
    t = 2.0 * np.cross(q[:3], v)
    return v + q[3] * t + np.cross(q[:3], t)


class Joint:
    """A joint of a world, for as long as it exists there."""

    __slots__ = ("_key", "_world")

    def __init__(self, world: World, key: int) -> None:
        self._world, self._key = world, key

    @property
    def name(self) -> str:
        """Its name; empty where it has none."""
        native = self._world._native
        return native.joint_names()[native.joints().index(self._key)]

    @property
    def kind(self) -> str:
        return self._world._native.joint_kind(self._key)

    @property
    def bodies(self) -> tuple[str, str]:
        """Names of its bodies; ``world`` is the fixed frame."""
        first, second = self._world._native.joint_bodies(self._key)
        return first, second

    @property
    def error(self) -> tuple[float, float]:
        """How far it is from where it should be: gap (m), misalignment (rad)."""
        return self._world._native.joint_error(self._key)

    @property
    def reaction(self) -> tuple[Array, Array, Array] | None:
        """Mean force (N) and torque (N m) of the last step on its second body, and the point (m) the torque is about; each (3,).

        ``None`` before the first step.
        """
        found = self._world._native.joint_reaction(self._key)
        return None if found is None else (np.array(found[0]), np.array(found[1]), np.array(found[2]))

    @property
    def broken(self) -> bool:
        return self._world._native.joint_broken(self._key)

    def drive(self, velocity: float, max_force: float, coordinate: int = 1) -> None:
        """Sets its motor: towards a speed (m/s or rad/s) with at most ``max_force`` (N or N m)."""
        self._world._native.set_motor(self._key, False, float(velocity), float(max_force), coordinate == 2)

    def servo(self, target: float, max_force: float, coordinate: int = 1) -> None:
        """Sets its motor: towards a place (m or rad) with at most ``max_force`` (N or N m)."""
        self._world._native.set_motor(self._key, True, float(target), float(max_force), coordinate == 2)

    def mend(self) -> None:
        """Mends a broken joint."""
        self._world._native.mend_joint(self._key)

    def remove(self) -> None:
        self._world._native.remove_joint(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joint) and other._world is self._world and other._key == self._key

    def __hash__(self) -> int:
        return hash((id(self._world), self._key))

    def __repr__(self) -> str:
        return f"<Joint {self.name!r}, {self.kind} of {self.bodies[0]!r} and {self.bodies[1]!r}>"


class Force:
    """A force of a world, for as long as it exists there."""

    __slots__ = ("_key", "_world")

    def __init__(self, world: World, key: int) -> None:
        self._world, self._key = world, key

    def set_wrench(
        self,
        body: Body | str,
        force: ArrayLike,
        torque: ArrayLike,
        point: ArrayLike = (0.0, 0.0, 0.0),
        axes: str = "world",
    ) -> None:
        """Puts a constant wrench in its place: a force (N) at a point of the body frame (m) and a torque (N m).

        ``axes`` says whose they are given in: ``world`` or ``body``.
        """
        if axes not in ("world", "body"):
            raise InputError(f"axes: found {axes!r}; allowed: world, body")
        wrench = vector(force, 3, "force") + vector(torque, 3, "torque")
        key = self._world.body(body)._key
        self._world._native.set_wrench(self._key, key, vector(point, 3, "point"), wrench, axes == "body")

    def remove(self) -> None:
        self._world._native.remove_force(self._key)
