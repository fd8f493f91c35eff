"""Worlds, and what is in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._files import replacing
from ._native import StepReport
from ._text import (
    SceneLike,
    Settings,
    dumps,
    module_choices,
    real,
    scene_source,
    settings_list,
    text,
    vector,
    vectors,
    whole,
)
from .errors import InputError
from .handles import Body, Force, Joint, Timer
from .results import BrokenJoint, ContactEvent, Contacts, Event, Frames, Hits, Replay, Tick, Touch

__all__ = ["Snapshot", "World"]

Array = NDArray[np.float64]
Snapshot = _native.NativeSnapshot


class World:
    """Bodies, joints and forces, and the modules that move them.

    ``scene`` is a path, the name of a bundled scene, TOML or JSON text, or the same tables as a mapping; without it the world
    is empty and filled by hand. ``paradigm`` names another preset than the scene's, ``settings`` sets values of modules
    (``{"lcp.iterations": 50}``, ``{"lcp": {"solver": "projected-jacobi"}}``) or of the scene (``{"scene.gravity": [0, 0, 0]}``).
    Nothing that comes out depends on ``threads``. With ``record`` the motion is recorded from now on, see :meth:`show`.

    The arrays that a world gives are copies of its state at that moment: its own columns move when bodies are added.
    :meth:`read` writes into arrays of yours, without a new one each time. Methods may be called from any thread; the
    interpreter's lock is not held while the world computes.
    """

    def __init__(
        self,
        scene: SceneLike | None = None,
        *,
        paradigm: str | None = None,
        settings: Settings | None = None,
        gravity: ArrayLike | None = None,
        threads: int = 1,
        seed: int = 0,
        record: bool = False,
    ) -> None:
        if scene is None:
            scene = {"scene": {"name": "world"}, "bodies": []}
        source, form = scene_source(scene)
        values = settings_list(settings)
        if gravity is not None:
            values.append(f"scene.gravity={vector(gravity, 3, 'gravity')}")
        preset = None if paradigm is None else text(paradigm, "paradigm")
        count, first = whole(threads, "threads", 1, 257), whole(seed, "seed", 0, 1 << 64)
        self._native = _native.NativeWorld(source, form, preset, values, count, first)
        if record:
            self.record()

    # what it is

    @property
    def info(self) -> dict[str, Any]:
        """Name, description, preset, modules, duration (s), time step (s), frame time (s), threads, seed, warnings."""
        return json.loads(self._native.info())

    @property
    def name(self) -> str:
        return self.info["name"]

    @property
    def paradigm(self) -> str:
        """The preset's name."""
        return self.info["paradigm"]

    @property
    def time_step(self) -> float:
        """The scene's time step (s)."""
        return self.info["time_step"]

    def set_paradigm(self, paradigm: str, settings: Settings | None = None) -> None:
        """Swaps all modules for those of another preset, with some set differently; bodies and contacts stay."""
        self._native.set_paradigm(text(paradigm, "paradigm"), module_choices(settings))

    def set_limits(self, length: float = 1.0, energy: float = 1.0) -> None:
        """Bounds beyond which a step counts as failed, in sizes of the scene and of its energy; ``inf`` for none."""
        bounds = real(length, "length"), real(energy, "energy")
        if not min(bounds) > 0.0 or np.isnan(bounds).any():
            raise InputError(f"set_limits: found {length!r} and {energy!r}; allowed: numbers above zero, inf for none")
        self._native.set_limits(*bounds)

    def to_dict(self) -> dict[str, Any]:
        """The world as it stands, as plain tables for JSON: name, preset, time (s), gravity (m/s^2), energy (J), bodies and joints.

        It is to be read; to come back to an instant take :meth:`snapshot`. The contacts, events and reports of a world go the same way by
        :func:`~drystone.to_plain`.
        """
        kinetic, potential = self.energy
        return {
            "name": self.name,
            "paradigm": self.paradigm,
            "time": self.time,
            "gravity": self.gravity.tolist(),
            "energy": {"kinetic": kinetic, "potential": potential},
            "state_hash": self.state_hash,
            "bodies": [body.to_dict() for body in self.bodies],
            "joints": [joint.to_dict() for joint in self.joints],
        }

    # time

    @property
    def time(self) -> float:
        """Simulated time (s)."""
        return self._native.time()

    def advance(self, dt: float | None = None, steps: int = 1) -> StepReport:
        """Simulates ``steps`` steps of ``dt`` seconds (the scene's time step unless given); the report is the last step's.

        Where the scene has a budget (``[simulation.budget]``), each of them is cut into as many as it pays for.

        Raises :class:`~drystone.SimulationError` where a step fails.
        """
        return self._native.advance(self.time_step if dt is None else real(dt, "dt"), whole(steps, "steps"))

    def run(
        self, duration: float | None = None, steps: int | None = None, *, record: bool | None = None
    ) -> dict[str, Any]:
        """Simulates the scene's duration, or as long as said, and gives the figures of ``drystone run --json``, and ``drift`` (m).

        Recording is as :meth:`record` set it, unless ``record`` says otherwise.
        """
        if duration is not None and steps is not None:
            raise InputError("duration and steps: allowed: one of them")
        recorded = self._native.is_recording() if record is None else bool(record)
        many = None if steps is None else whole(steps, "steps")
        return json.loads(self._native.run(many, None if duration is None else real(duration, "duration"), recorded))

    def snapshot(self) -> Snapshot:
        """All that is needed to come back to this instant; it fits this world as long as nothing is added or removed.

        ``snapshot.to_bytes()`` and ``snapshot.to_json()`` take it to another process, where :meth:`read_snapshot` reads it.
        """
        return self._native.snapshot()

    def read_snapshot(self, data: bytes | str) -> Snapshot:
        """Reads a snapshot that ``to_bytes`` or ``to_json`` wrote, of this world or of one with the same bodies, joints and forces.

        What is damaged, or of another world, raises :class:`~drystone.InputError`; the world stays as it is until :meth:`restore`.
        """
        if not isinstance(data, (str, bytes, bytearray, memoryview)):
            raise InputError(f"read_snapshot: found {type(data).__name__}; allowed: bytes, or the text of to_json")
        return self._native.read_snapshot(data.encode() if isinstance(data, str) else bytes(data))

    def restore(self, snapshot: Snapshot) -> None:
        """Comes back to a snapshot: the run from here has the same bits as the first time."""
        if not isinstance(snapshot, Snapshot):
            raise InputError(f"restore: found {type(snapshot).__name__}; allowed: a snapshot")
        self._native.restore(snapshot)

    def to_scene(self) -> dict[str, Any]:
        """The world as a scene, whole: ``World(scene)`` goes on from this instant with the same bits, without what built this world.

        What a scene cannot say (a timer, a force of the program's own, two bodies of one name) raises :class:`~drystone.InputError`, which names it.
        """
        return json.loads(self._native.to_scene())

    def save_world(self, path: str | Path) -> None:
        """Writes :meth:`to_scene` to a file: TOML if its name ends in ``.toml``, otherwise JSON. The file appears when it is whole."""
        self._native.save_world(str(path))

    # state

    @property
    def positions(self) -> Array:
        """Where the body frames are (m), a row a body; a copy. (n, 3)"""
        return self._native.column("positions")

    @property
    def orientations(self) -> Array:
        """Orientations ``[x, y, z, w]``, a row a body; a copy. (n, 4)"""
        return self._native.column("orientations")

    @property
    def linear_velocities(self) -> Array:
        """Velocities of the centres of mass (m/s), a row a body; a copy. (n, 3)"""
        return self._native.column("linear_velocities")

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities, world frame (rad/s), a row a body; a copy. (n, 3)"""
        return self._native.column("angular_velocities")

    @property
    def sleeping(self) -> NDArray[np.bool_]:
        """Which bodies sleep; a copy. (n,)"""
        return self._native.sleeping()

    def read(self, **out: Array) -> None:
        """Writes columns into arrays that exist: ``read(positions=a, linear_velocities=b)``.

        Each is C-contiguous, float64, with the shape of the property of that name.
        """
        for name, array in out.items():
            fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.ndim == 2
            if not fits or not array.flags.c_contiguous or not array.flags.writeable:
                raise InputError(f"{name}: allowed: a C-contiguous float64 array of two dimensions that can be written")
            self._native.column_into(name, array)

    @property
    def state_hash(self) -> str:
        """Sixteen hexadecimal digits over the bits of all states: equal where the runs are."""
        return self._native.state_hash()

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy (J); the latter is zero at the origin."""
        return self._native.energy()

    @property
    def momentum(self) -> tuple[Array, Array]:
        """Linear (kg m/s) and angular (kg m^2/s, about the origin) momentum of the dynamic bodies, each (3,)."""
        linear, angular = self._native.momentum()
        return np.array(linear), np.array(angular)

    def penetration(self) -> float:
        """One more detection at the present state: its deepest overlap (m)."""
        return self._native.penetration()

    def contacts(self) -> Contacts:
        """Contacts as of the last step."""
        bodies, (positions, normals, separations, normal, friction) = self._native.contacts()
        return Contacts(bodies, positions, normals, separations[:, 0], normal[:, 0], friction)

    def events(self) -> list[Event]:
        """What happened in the last step and in edits since, by time; in all steps since the last drain where events are kept."""
        return [_event(self, *told) for told in self._native.events()]

    def drain_events(self) -> list[Event]:
        """The same, taken out: the next call gives what happened after this one."""
        return [_event(self, *told) for told in self._native.drain_events()]

    def keep_events(self, keep: bool = True) -> None:
        """Keeps events over many steps until they are drained, instead of dropping those of a step when the next one begins."""
        self._native.keep_events(bool(keep))

    def contact_events(self) -> list[ContactEvent]:
        """What changed between pairs in the last step, overlaps of boxes included."""
        return [ContactEvent(kind, time, (a, b)) for kind, time, a, b in self._native.contact_events()]

    def touching(self) -> list[tuple[str, str]]:
        """Names of the pairs that touch as of the last detection."""
        return self._native.touching(False)

    def sensed(self) -> list[tuple[str, str]]:
        """What is within sensors as of the last step: names of the sensor and of the body."""
        return self._native.touching(True)

    @property
    def gravity(self) -> Array:
        """Gravity (m/s^2). (3,)"""
        return np.array(self._native.gravity())

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._native.set_gravity(vector(value, 3, "gravity"))

    # what is in it

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in the order of the arrays' rows."""
        return self._native.body_names()

    @property
    def bodies(self) -> list[Body]:
        """The bodies, in the order of the arrays' rows."""
        return [Body(self, key) for key in self._native.bodies()]

    def body(self, name: str | Body) -> Body:
        """A body by its name, like ``box[3]``."""
        if isinstance(name, Body):
            if name._world is not self:
                raise InputError(f"{name!r} is a body of another world")
            return name
        names = self._native.body_names()
        if name not in names:
            some = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise InputError(f"no body is named {name!r}; there are {some or 'none'}")
        return Body(self, self._native.bodies()[names.index(name)])

    def __getitem__(self, name: str) -> Body:
        return self.body(name)

    def __len__(self) -> int:
        return len(self._native.bodies())

    @property
    def joints(self) -> list[Joint]:
        """The joints, in the order they were added."""
        return [Joint(self, key) for key in self._native.joints()]

    def joint(self, name: str) -> Joint:
        """A joint by its name."""
        names = self._native.joint_names()
        if not name or name not in names:
            raise InputError(f"no joint is named {name!r}; there are {', '.join(n for n in names if n) or 'none'}")
        return Joint(self, self._native.joints()[names.index(name)])

    # asking it

    def _rows(self, only: Sequence[Body | str] | None) -> list[int] | None:
        return None if only is None else [self.body(b).index for b in only]

    def cast_rays(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        length: float = np.inf,
        only: Sequence[Body | str] | None = None,
    ) -> Hits:
        """The first body that each of k rays meets within ``length`` (m).

        ``origins`` (m) and ``directions`` (of any length above zero) are (k, 3), or (3,) for one origin or direction for all. A ray
        that starts inside a body hits it at 0. With ``only`` no other bodies are asked about.
        """
        begins, ways = vectors(origins, "origins"), vectors(directions, "directions")
        if len(begins) != len(ways) and 1 not in (len(begins), len(ways)):
            raise InputError(
                f"found {len(begins)} origins and {len(ways)} directions; allowed: as many, or one of either"
            )
        begins, ways = np.broadcast_arrays(begins, ways)
        rows = self._rows(only)
        return Hits(*self._native.rays(np.array(begins), np.array(ways), real(length, "length"), rows))

    def nearest(self, points: ArrayLike, limit: float = np.inf, only: Sequence[Body | str] | None = None) -> Hits:
        """The body whose surface is nearest to each of k points (k, 3) (m), no farther than ``limit`` (m)."""
        return Hits(*self._native.nearest(vectors(points, "points"), real(limit, "limit"), self._rows(only)))

    def overlapping(
        self, shape: Mapping[str, Any], position: ArrayLike, orientation: ArrayLike = (0.0, 0.0, 0.0, 1.0)
    ) -> list[Body]:
        """The bodies that a placed shape overlaps or touches."""
        place = (vector(position, 3, "position"), vector(orientation, 4, "orientation"))
        bodies = self.bodies
        return [bodies[i] for i in self._native.overlapping(dumps(shape), *place)]

    def cast_shape(
        self,
        shape: Mapping[str, Any],
        position: ArrayLike,
        translations: ArrayLike,
        orientation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        only: Sequence[Body | str] | None = None,
    ) -> Hits:
        """The first body that a shape touches when it is moved by each of the translations (k, 3) (m), and the way until then (m)."""
        place = (vector(position, 3, "position"), vector(orientation, 4, "orientation"))
        return Hits(*self._native.sweeps(dumps(shape), *place, vectors(translations, "translations"), self._rows(only)))

    # changing it

    def _own(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An entry whose bodies are checked to be of this world: in its text they are names."""
        for value in entry.values():
            for one in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(one, Body):
                    self.body(one)
        return entry

    def add_body(self, shape: Mapping[str, Any], *, name: str | None = None, **keys: Any) -> Body:
        """Adds a body; keys are those of ``[[bodies]]`` in a scene.

        ``shape`` is a mapping of one kind: ``{"box": {"half_extents": [0.5, 0.5, 0.5]}}``. Among the keys: ``kind``
        (``dynamic``, ``fixed``, ``scripted``), ``position`` (m), ``orientation``, ``linear_velocity`` (m/s), ``angular_velocity``
        (rad/s), ``mass`` (kg), ``inertia`` (kg m^2), ``material``, ``layer``. Without a name it is ``body0``, ``body1`` …
        """
        if "repeat" in keys:
            raise InputError("add_body: found 'repeat'; allowed: in add_bodies")
        return self.add_bodies(shape, name=name, **keys)[0]

    def add_bodies(self, shape: Mapping[str, Any], *, name: str | None = None, **keys: Any) -> list[Body]:
        """As :meth:`add_body`, with ``repeat = {"count": [nx, ny, nz], "step": [x, y, z]}`` for a grid of copies."""
        if name is None:
            taken = set(self._native.body_names())
            name = next(n for n in (f"body{i}" for i in range(len(taken), 2 * len(taken) + 1)) if n not in taken)
        entry = {"name": name, "shape": shape, **self._own(keys)}
        return [Body(self, key) for key in self._native.add_bodies(dumps(entry))]

    def add_joint(self, kind: str, bodies: Sequence[Body | str], **keys: Any) -> Joint:
        """Adds a joint; keys are those of ``[[joints]]`` in a scene, in world terms at the present state.

        ``bodies`` are two bodies or their names, one of which may be ``"world"``. Among the keys: ``name``, ``anchor`` (m),
        ``axis``, ``limits``, ``motor``, ``spring``, ``break_force`` (N); for a ``ball`` how far it reaches: ``cone``
        and, where that is an ellipse, ``cone2`` (rad), and ``twist`` (two of them, rad).
        """
        return Joint(self, self._native.add_joint(dumps(self._own({"kind": kind, "bodies": list(bodies), **keys}))))

    def add_force(self, kind: str, **keys: Any) -> Force:
        """Adds a force; keys are those of ``[[forces]]`` in a scene: ``spring``, ``mouse-spring``, ``damping``, ``drag``,
        ``point-gravity``, ``wrench``."""
        return Force(self, self._native.add_force(dumps(self._own({"kind": kind, **keys}))))

    def add_script(self, body: Body | str, **keys: Any) -> None:
        """Gives a scripted body its motion; keys are those of ``[[scripts]]`` in a scene.

        ``sinusoid``, or ``keys``, or a path: ``space_spline`` with ``velocity_spline``, and how the body is turned on it:
        ``rotation_spline``, ``angle_spline`` (Euler angles, rad, at times, s) or ``gaze``.
        """
        self._native.add_script(dumps(self._own({"body": body, **keys})))

    def add_timer(self, first: float, period: float | None = None) -> Timer:
        """Adds a timer that ticks at ``first`` (s, simulated time) and, with a ``period`` (s), again after each.

        :meth:`events` has a ``tick`` for each step into which ticks fall: those later than its beginning, up to its end. A timer changes nothing about
        the motion and belongs to no snapshot.
        """
        return Timer(
            self, self._native.add_timer(real(first, "first"), None if period is None else real(period, "period"))
        )

    def add_material(self, name: str, **keys: Any) -> None:
        """Adds a material; keys are those of ``[materials]`` in a scene: ``friction``, ``restitution``, ``density`` (kg/m^3) …"""
        self._native.add_material(text(name, "name"), dumps(keys))

    def ignore_pair(self, one: Body | str, other: Body | str, ignore: bool = True) -> None:
        """Keeps two bodies from meeting, or lets them again."""
        self._native.ignore_pair(self.body(one)._key, self.body(other)._key, bool(ignore))

    # looking at it

    def record(self, on: bool = True) -> None:
        """Records the motion from now on, a frame each time the scene's frame time has passed; what was recorded is dropped."""
        self._native.set_recording(bool(on))

    @property
    def frames(self) -> Frames:
        """What was recorded, as arrays."""
        time, bodies, series = self._native.frames()
        parts = (bodies[:, :, :3], bodies[:, :, 3:7], bodies[:, :, 7:10], bodies[:, :, 10:13])
        return Frames(time, *parts, *(series[:, k] for k in range(5)))

    def replay(self, title: str | None = None) -> str:
        """The replay page of what was recorded (or of the present state): one HTML text that needs nothing else."""
        return self._native.replay_html(self.name if title is None else title)

    def gltf(self) -> str:
        """What was recorded (or the present state) as an animated glTF document."""
        return self._native.replay_gltf()

    def save_replay(self, path: str | Path, title: str | None = None) -> None:
        """Writes the replay page into a file."""
        with replacing(path) as part:
            part.write_text(self.replay(title), encoding="utf-8")

    def save(self, path: str | Path) -> None:
        """Writes what was recorded (or the present state) for another program, in the format that the name's end tells.

        ``.mcap``: places, meshes and figures as Foxglove's messages in JSON; ``.usd``, ``.usda``, ``.usdc``: a mesh for each body with its
        place over time; ``.parquet``: a row for each body of each frame, with the settings in the file's metadata; ``.gltf``: as
        :meth:`gltf`; ``.html``: as :meth:`save_replay`. The first three need ``drystone[export]``.
        """
        from .exporters import save

        save(self, path)

    def show(self, height: int = 720, title: str | None = None) -> Replay:
        """The replay page of what was recorded (or of the present state), for a notebook."""
        return Replay(self.replay(title), height)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a World cannot be copied or pickled: make one of the same scene there, and take it on with "
            "restore(read_snapshot(snapshot().to_bytes()))"
        )

    def __repr__(self) -> str:
        info = self.info
        return f"<World {info['name']!r}, {info['paradigm']}: {len(self)} bodies, t = {self.time:g} s>"


def _event(
    world: World,
    kind: str,
    time: float,
    bodies: Sequence[str | None],
    touch: tuple[list[float], list[float], float, list[float]] | None,
    joint: tuple[str, list[float], list[float]] | None,
    tick: tuple[int, int] | None,
) -> Event:
    met = None if touch is None else Touch(np.array(touch[0]), np.array(touch[1]), touch[2], np.array(touch[3]))
    broke = None if joint is None else BrokenJoint(joint[0], np.array(joint[1]), np.array(joint[2]))
    ticked = None if tick is None else Tick(Timer(world, tick[0]), tick[1])
    return Event(kind, time, tuple(bodies), met, broke, ticked)
