"""What worlds give back beside plain arrays."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .handles import Timer

__all__ = ["BrokenJoint", "ContactEvent", "Contacts", "Event", "Frames", "Hits", "Replay", "Tick", "Touch"]

Array = NDArray[np.float64]


class Contacts(NamedTuple):
    """Contacts as of the last step, m of them, as arrays."""

    #: Rows of the two bodies in :attr:`World.positions`; normals point from the first to the second. (m, 2)
    bodies: NDArray[np.int64]
    #: Midpoints between the surfaces (m). (m, 3)
    positions: Array
    #: Unit normals. (m, 3)
    normals: Array
    #: Signed distances (m); negative where surfaces overlap. (m,)
    separations: Array
    #: Normal impulses of the last solve on the second body (N s). (m,)
    normal_impulses: Array
    #: Friction impulses of the last solve on the second body, world axes (N s). (m, 3)
    friction_impulses: Array


class Event(NamedTuple):
    """Something that happened in a step."""

    #: ``touch-began``, ``touch-ended``, ``entered`` and ``left`` (a sensor), ``joint-broke``, ``tick``, ``fell-asleep`` or ``woke``.
    kind: str
    #: When it was seen (s).
    time: float
    #: Names of the bodies: two of a touch, of a joint or with a sensor (that first), none of a tick, else one. ``None`` for one that was removed since.
    bodies: tuple[str | None, ...]
    #: How two bodies met; of ``touch-began`` alone.
    touch: Touch | None = None
    #: What a joint bore; of ``joint-broke`` alone.
    joint: BrokenJoint | None = None
    #: Which timer ticked; of ``tick`` alone.
    tick: Tick | None = None


class Touch(NamedTuple):
    """How two bodies met."""

    #: Midpoint between the surfaces (m). (3,)
    point: Array
    #: Unit normal, from the first body to the second. (3,)
    normal: Array
    #: Speed of approach along it (m/s).
    speed: float
    #: What they exchanged from then to the end of the step or of the touch, on the second body (N s). (3,)
    impulse: Array


class BrokenJoint(NamedTuple):
    """What a joint bore when it broke."""

    #: Its name; empty where it has none.
    name: str
    #: Mean force on its second body over the step (N). (3,)
    force: Array
    #: Mean torque on it (N m). (3,)
    torque: Array


class Tick(NamedTuple):
    """A timer that ticked; :attr:`Event.time` is when it did so last."""

    #: Which one.
    timer: Timer
    #: How often in this step.
    ticks: int


class ContactEvent(NamedTuple):
    """What changed between a pair in the last step, nearness included."""

    #: ``new-proximity``, ``new-touching``, ``vanishing-touching`` or ``vanishing-proximity``.
    kind: str
    #: When it was seen (s).
    time: float
    #: Names of the two bodies.
    bodies: tuple[str, str]


class Hits(NamedTuple):
    """What k rays, points or moved shapes meet."""

    #: Rows of the bodies in :attr:`World.positions`; -1 where nothing is met. (k,)
    bodies: NDArray[np.int64]
    #: Along the ray or the way, or from the point to the surface, negative inside (m); NaN where nothing is met. (k,)
    distances: Array
    #: Upon the surfaces (m). (k, 3)
    positions: Array
    #: Unit normals out of the bodies. (k, 3)
    normals: Array


class Frames(NamedTuple):
    """A recorded motion: f frames of n bodies."""

    #: Times (s). (f,)
    time: Array
    #: Positions of the body frames (m). (f, n, 3)
    positions: Array
    #: Orientations ``[x, y, z, w]``. (f, n, 4)
    orientations: Array
    #: Velocities of the centres of mass (m/s). (f, n, 3)
    linear_velocities: Array
    #: Angular velocities, world frame (rad/s). (f, n, 3)
    angular_velocities: Array
    #: Kinetic energies (J). (f,)
    kinetic: Array
    #: Potential energies (J), zero at the origin. (f,)
    potential: Array
    #: Numbers of contact points. (f,)
    contacts: Array
    #: Depths of the deepest contacts (m). (f,)
    penetration: Array
    #: Largest gaps of joints (m). (f,)
    joint_error: Array


class Replay:
    """A replay page; a notebook shows it inline."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, int(height)

    def _repr_html_(self) -> str:
        # a frame of its own: the page's styles and scripts stay inside
        source = html.escape(self.page, quote=True)
        return (
            f'<iframe srcdoc="{source}" style="width: 100%; height: {self.height}px; border: 0" '
            'sandbox="allow-scripts" title="drystone replay"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Replay of {len(self.page)} characters>"
