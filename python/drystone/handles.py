"""Bodies, joints, forces and timers of a world, for as long as they exist there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._text import dumps, real, vector, vectors
from .errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Self

    from .world import World

__all__ = ["Body", "Force", "Joint", "Timer"]

Array = NDArray[np.float64]


class _Handle:
    """What names something in a world: a copy of it is itself, and elsewhere it is nothing."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        kind = type(self).__name__
        raise TypeError(
            f"a {kind} names something in its own world, cannot be pickled, and is looked up or made in another"
        )


class Body(_Handle):
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
        self._world._native.apply_impulse(self._key, vector(impulse, 3, "impulse"), self._point(point))

    def apply_torque_impulse(self, impulse: ArrayLike) -> None:
        """Changes a dynamic body's spin at once: an angular impulse (N m s), world frame."""
        self._world._native.apply_torque_impulse(self._key, vector(impulse, 3, "impulse"))

    def apply_force(self, force: ArrayLike, point: ArrayLike | None = None) -> None:
        """Pushes a dynamic body over the whole of the next step: a force (N) at a point of the world (m), by default its centre of mass.

        Forces of several calls add up, and are forgotten after the step.
        """
        self._world._native.apply_force(self._key, vector(force, 3, "force"), self._point(point))

    def apply_torque(self, torque: ArrayLike) -> None:
        """Twists a dynamic body over the whole of the next step: a torque (N m), world frame."""
        self._world._native.apply_torque(self._key, vector(torque, 3, "torque"))

    def _point(self, point: ArrayLike | None) -> list[float]:
        if point is None:
            return (_turned(self.orientation, self._world._native.mass(self._key)[2]) + self.position).tolist()
        return vector(point, 3, "point")

    def set(self, **keys: Any) -> None:
        """Changes what it is like; keys are those of ``[[bodies]]`` in a scene: ``kind``, ``shape``, ``mass`` (kg, the inertia is scaled with
        it), ``material``, ``layer``, ``membership``, ``mask``, ``gravity_scale``, ``linear_damping`` and ``angular_damping`` (1/s),
        ``continuous``, ``surface_velocity`` (m/s) and ``surface_spin`` (rad/s), ``sensor``, ``can_sleep``."""
        self._world._native.change_body(self._key, dumps(keys))

    def set_mass_properties(self, mass: float, inertia: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Sets mass (kg), inertia about the centre of mass in body axes (kg m^2), (3, 3), and that centre in the body frame (m)."""
        tensor = vectors(inertia, "inertia")
        if tensor.shape != (3, 3) or not np.allclose(tensor, tensor.T, rtol=1e-12, atol=0.0):
            raise InputError(f"inertia: found {inertia!r}; allowed: a symmetric array (3, 3)")
        self._world._native.set_mass_properties(
            self._key, real(mass, "mass"), tensor.tolist(), vector(center, 3, "center")
        )

    @property
    def asleep(self) -> bool:
        """Whether it sleeps."""
        return self._world._native.body_asleep(self._key)

    def wake(self) -> None:
        """Wakes it; what it touches and hangs on wakes with it in the next step."""
        self._world._native.wake(self._key)

    def sleep(self) -> None:
        """Puts a dynamic body to sleep as it is, until something that is awake touches it or it is woken."""
        self._world._native.sleep(self._key)

    def set_passive(self, passive: bool = True) -> None:
        """Takes a dynamic body out of the world without forgetting it, or brings it back."""
        self._world._native.set_passive(self._key, bool(passive))

    def to_dict(self) -> dict[str, Any]:
        """Name, kind, mass (kg), pose of the body frame (m), velocities (m/s, rad/s, world frame), whether it sleeps."""
        native = self._world._native
        position, orientation = native.pose(self._key)
        linear, angular = native.velocity(self._key)
        return {
            "name": self.name,
            "kind": self.kind,
            "mass": self.mass,
            "position": list(position),
            "orientation": list(orientation),
            "linear_velocity": list(linear),
            "angular_velocity": list(angular),
            "asleep": self.asleep,
        }

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


def _second(which: int) -> bool:
    if which not in (1, 2):
        raise InputError(f"coordinate: found {which!r}; allowed: 1, 2")
    return which == 2


class Joint(_Handle):
    """A joint of a world, for as long as it exists there."""

    __slots__ = ("_key", "_world")

    def __init__(self, world: World, key: int) -> None:
        self._world, self._key = world, key

    @property
    def name(self) -> str:
        """Its name; empty where it has none."""
        native = self._world._native
        keys = native.joints()
        if self._key not in keys:
            raise InputError("this joint was removed from its world")
        return native.joint_names()[keys.index(self._key)]

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

    def coordinate(self, which: int = 1) -> tuple[float, float] | None:
        """Where its first or second free coordinate stands (m or rad) and how fast it changes (m/s or rad/s); ``None`` where it has none."""
        return self._world._native.joint_coordinate(self._key, _second(which))

    def set_limits(self, lower: float | None, upper: float | None, coordinate: int = 1) -> None:
        """Sets the limits of a coordinate (m or rad); ``None`` and ``None`` for none, one of them for that side alone."""
        limits = [-np.inf if lower is None else real(lower, "lower"), np.inf if upper is None else real(upper, "upper")]
        given = None if lower is None and upper is None else limits
        self._world._native.set_joint_limits(self._key, given, _second(coordinate))

    def set_strength(self, force: float = np.inf, torque: float = np.inf) -> None:
        """Sets the force (N) and torque (N m) above which it breaks."""
        self._world._native.set_joint_strength(self._key, real(force, "force"), real(torque, "torque"))

    def drive(self, velocity: float, max_force: float, coordinate: int = 1) -> None:
        """Sets its motor: towards a speed (m/s or rad/s) with at most ``max_force`` (N or N m)."""
        self._world._native.set_motor(
            self._key, False, real(velocity, "velocity"), real(max_force, "max_force"), _second(coordinate)
        )

    def servo(self, target: float, max_force: float, coordinate: int = 1) -> None:
        """Sets its motor: towards a place (m or rad) with at most ``max_force`` (N or N m)."""
        self._world._native.set_motor(
            self._key, True, real(target, "target"), real(max_force, "max_force"), _second(coordinate)
        )

    def to_dict(self) -> dict[str, Any]:
        """Name, kind, names of the bodies, coordinates with their rates (m or rad) where it has them, error (m, rad), reaction, broken."""
        reaction = self._world._native.joint_reaction(self._key)
        coordinates = (self.coordinate(1), self.coordinate(2))
        named = zip(("force", "torque", "point"), reaction or ())
        return {
            "name": self.name,
            "kind": self.kind,
            "bodies": list(self.bodies),
            "coordinates": [list(c) for c in coordinates if c is not None],
            "error": list(self.error),
            "reaction": None if reaction is None else {name: list(v) for name, v in named},
            "broken": self.broken,
        }

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


class Force(_Handle):
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


class Timer(_Handle):
    """A timer of a world: a ``tick`` among its events for each step into which it ticks, see :meth:`World.add_timer`."""

    __slots__ = ("_key", "_world")

    def __init__(self, world: World, key: int) -> None:
        self._world, self._key = world, key

    def remove(self) -> None:
        """It ticks no more."""
        self._world._native.remove_timer(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timer) and (self._world, self._key) == (other._world, other._key)

    def __hash__(self) -> int:
        return hash((id(self._world), self._key))
