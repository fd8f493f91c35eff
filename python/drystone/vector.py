"""A vector of worlds stepped on threads, in the style of Gymnasium's ``VectorEnv``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._text import SceneLike, Settings, real, whole
from .errors import InputError
from .sweeps.executors import cores
from .world import World

__all__ = ["BodyWrench", "JointMotor", "States", "VectorWorld"]

Array = NDArray[np.float64]

#: Numbers of a body in a row of states: position, orientation, linear and angular velocity.
NUMBERS = 13


@dataclass(frozen=True)
class JointMotor:
    """One column of the action drives a joint: its speed (m/s or rad/s), or with ``servo`` its place (m or rad)."""

    joint: str
    #: Largest force (N) or torque (N m).
    max_force: float
    servo: bool = False
    #: Range that the action space states.
    low: float = -1.0
    high: float = 1.0

    @property
    def width(self) -> int:
        return 1


@dataclass(frozen=True)
class BodyWrench:
    """Columns of the action are components of a wrench at a body's centre of mass, held over the step.

    ``components`` are of ``fx fy fz tx ty tz`` (N, N m), in the axes of the ``world`` or the ``body``.
    """

    body: str
    components: str = "fx fy fz"
    axes: str = "world"
    low: float = -1.0
    high: float = 1.0

    @property
    def names(self) -> list[str]:
        return self.components.split()

    @property
    def width(self) -> int:
        return len(self.names)


Actuator = JointMotor | BodyWrench


class States:
    """What n worlds of b bodies do, as views of one array."""

    def __init__(self, rows: Array, names: Sequence[str]) -> None:
        n = len(rows)
        #: All numbers. (n, b, 13)
        self.all = rows.reshape(n, -1, NUMBERS)
        #: Names of the bodies.
        self.names = list(names)
        #: Positions of the body frames (m). (n, b, 3)
        self.positions = self.all[:, :, :3]
        #: Orientations ``[x, y, z, w]``. (n, b, 4)
        self.orientations = self.all[:, :, 3:7]
        #: Velocities of the centres of mass (m/s). (n, b, 3)
        self.linear_velocities = self.all[:, :, 7:10]
        #: Angular velocities, world frame (rad/s). (n, b, 3)
        self.angular_velocities = self.all[:, :, 10:]

    def body(self, name: str) -> Array:
        """All numbers of one body. (n, 13)"""
        return self.all[:, self.names.index(name)]


class VectorWorld:
    """n copies of a scene, stepped side by side on threads; what a world does depends on nothing but its own actions and seed.

    ``actuators`` say what the columns of the action array (n, a) do; an action is held for ``frame_skip`` steps of ``dt`` (s).
    ``observe`` makes observations (n, …) of :class:`States`, without it they are all numbers of the bodies that move;
    ``reward`` and ``terminated`` take the states and the actions and give (n,) numbers and truth values. An episode is cut
    off after ``max_steps``, and where a step fails it is terminated, with the reason in ``infos["failure"]``. ``on_reset`` is
    called with a world at its start and a generator of its own, to vary it. A world whose episode has ended starts anew in the
    next step, whose action it ignores (Gymnasium's next-step autoreset).
    """

    metadata: dict[str, Any] = {"autoreset_mode": "NextStep", "render_modes": []}

    def __init__(
        self,
        scene: SceneLike,
        num_envs: int,
        actuators: Sequence[Actuator] = (),
        *,
        dt: float | None = None,
        frame_skip: int = 1,
        max_steps: int | None = None,
        observe: Callable[[States], NDArray[Any]] | None = None,
        reward: Callable[[States, Array], NDArray[Any]] | None = None,
        terminated: Callable[[States, Array], NDArray[Any]] | None = None,
        on_reset: Callable[[World, np.random.Generator], None] | None = None,
        paradigm: str | None = None,
        settings: Settings | None = None,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self.num_envs, self.frame_skip = whole(num_envs, "num_envs", 1), whole(frame_skip, "frame_skip", 1)
        self.max_steps = None if max_steps is None else whole(max_steps, "max_steps", 1)
        self.threads = whole(threads, "threads", 1, 257) if threads else cores()
        self.worlds = [World(scene, paradigm=paradigm, settings=settings) for _ in range(self.num_envs)]
        self.actuators = list(actuators)
        self._native = [w._native for w in self.worlds]
        self._acts: list[tuple[Any, ...]] = []
        self.action_width = 0
        for actuator in self.actuators:
            self._acts.append(self._mount(actuator))
            self.action_width += actuator.width
        self._starts = [w.snapshot() for w in self.worlds]
        self.dt = self.worlds[0].time_step if dt is None else real(dt, "dt")
        self._observe, self._reward, self._terminated, self._on_reset = observe, reward, terminated, on_reset
        names = self.worlds[0].names
        self._rows = np.zeros((self.num_envs, NUMBERS * len(names)))
        self.states = States(self._rows, names)
        self._moving = [i for i, b in enumerate(self.worlds[0].bodies) if b.kind != "fixed"]
        self._seed, self._episode = whole(seed, "seed"), np.zeros(self.num_envs, dtype=np.int64)
        self._steps = np.zeros(self.num_envs, dtype=np.int64)
        self._ended = np.zeros(self.num_envs, dtype=bool)

    def _mount(self, actuator: Actuator) -> tuple[Any, ...]:
        """The actuator in every world; keys are the same in all of them."""
        at = self.action_width
        if isinstance(actuator, JointMotor):
            (joint,) = {w.joint(actuator.joint)._key for w in self.worlds}
            return (joint, bool(actuator.servo), real(actuator.max_force, "max_force"), at)
        order = ["fx", "fy", "fz", "tx", "ty", "tz"]
        if unknown := set(actuator.names) - set(order):
            raise InputError(f"components: found {sorted(unknown)}; allowed: {' '.join(order)}")
        if actuator.axes not in ("world", "body"):
            raise InputError(f"axes: found {actuator.axes!r}; allowed: world, body")
        columns = [at + actuator.names.index(c) if c in actuator.names else -1 for c in order]
        mounted = {(w.add_force("wrench", body=actuator.body)._key, w.body(actuator.body)._key) for w in self.worlds}
        ((force, body),) = mounted
        return (force, body, columns, actuator.axes == "body")

    # spaces, where Gymnasium is installed

    @property
    def single_action_space(self) -> Any:
        from gymnasium import spaces

        low = [a.low for a in self.actuators for _ in range(a.width)]
        high = [a.high for a in self.actuators for _ in range(a.width)]
        return spaces.Box(np.array(low), np.array(high), dtype=np.float64)

    @property
    def action_space(self) -> Any:
        from gymnasium.vector.utils import batch_space

        return batch_space(self.single_action_space, self.num_envs)

    @property
    def single_observation_space(self) -> Any:
        from gymnasium import spaces

        return spaces.Box(-np.inf, np.inf, self._observations().shape[1:], dtype=np.float64)

    @property
    def observation_space(self) -> Any:
        from gymnasium.vector.utils import batch_space

        return batch_space(self.single_observation_space, self.num_envs)

    # episodes

    def _observations(self) -> NDArray[Any]:
        if self._observe is None:
            return self.states.all[:, self._moving].reshape(self.num_envs, -1).copy()
        return np.asarray(self._observe(self.states))

    def _restart(self, which: NDArray[np.bool_]) -> None:
        for i in np.flatnonzero(which):
            world = self.worlds[i]
            world.restore(self._starts[i])
            if self._on_reset is not None:
                words = np.random.SeedSequence([self._seed, int(i), int(self._episode[i])])
                self._on_reset(world, np.random.default_rng(words))
            self._episode[i] += 1
            self._steps[i] = 0
            self._ended[i] = False

    def _advance(self, steps: int, actions: Array | None, which: NDArray[np.bool_] | None) -> list[str | None]:
        reports = _native.advance_all(
            self._native,
            self.dt,
            steps,
            self.threads,
            self._acts if actions is not None else [],
            actions,
            self._rows,
            None if which is None else which.tolist(),
        )
        return [failure for _, failure in reports]

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts all episodes anew; gives the first observations (n, …). With a ``seed`` the sequence of episodes begins anew too."""
        if seed is not None:
            self._seed = whole(seed, "seed")
            self._episode[:] = 0
        self._restart(np.ones(self.num_envs, dtype=bool))
        self._advance(0, None, None)
        return self._observations(), {}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Takes actions (n, a) to the worlds, and steps them.

        Gives observations (n, …), rewards (n,), which episodes ended (n,), which were cut off (n,), and infos.
        """
        try:
            actions = np.ascontiguousarray(actions, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"actions: found {type(actions).__name__}; allowed: an array of numbers") from None
        if actions.shape != (self.num_envs, self.action_width):
            raise InputError(
                f"actions: found the shape {actions.shape}; allowed: ({self.num_envs}, {self.action_width})"
            )
        fresh = self._ended.copy()
        if fresh.any():
            self._restart(fresh)
        failures = self._advance(self.frame_skip, actions, ~fresh if fresh.any() else None)
        failed = np.array([f is not None for f in failures])
        self._steps += ~fresh
        zeros = np.zeros(self.num_envs)
        rewards = zeros if self._reward is None else np.asarray(self._reward(self.states, actions), dtype=np.float64)
        ended = (
            zeros.astype(bool) if self._terminated is None else np.asarray(self._terminated(self.states, actions), bool)
        )
        rewards, ended = np.where(fresh, 0.0, rewards), (ended & ~fresh) | failed
        cut = np.zeros(self.num_envs, dtype=bool)
        if self.max_steps is not None:
            cut = (self._steps >= self.max_steps) & ~ended
        self._ended = ended | cut
        infos: dict[str, Any] = {}
        if failed.any():
            infos["failure"] = np.array(failures, dtype=object)
        return self._observations(), rewards, ended, cut, infos

    def close(self) -> None:
        """Nothing to do: worlds go when they are no longer held."""

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        return f"<VectorWorld of {self.num_envs} x {self.worlds[0]!r}>"
