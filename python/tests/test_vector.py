"""Vectors of worlds: deterministic, and each for itself."""

import numpy as np
import pytest

import drystone
from drystone.vector import BodyWrench, JointMotor, VectorWorld

PENDULUM = {
    "scene": {"name": "pendulum"},
    "bodies": [
        {"name": "bob", "shape": {"sphere": {"radius": 0.1}}, "position": [0, -1, 0], "mass": 1.0},
        {"name": "cart", "shape": {"box": {"half_extents": [0.2, 0.1, 0.1]}}, "position": [3, 0, 0], "mass": 2.0},
        {"name": "ground", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0], "offset": -5}}},
    ],
    "joints": [
        {"name": "pivot", "kind": "hinge", "bodies": ["world", "bob"], "anchor": [0, 0, 0], "axis": [0, 0, 1]},
        {"name": "rail", "kind": "slider", "bodies": ["world", "cart"], "axis": [1, 0, 0]},
    ],
    "simulation": {"paradigm": "velocity-lcp", "time_step": 0.01},
}
ACTUATORS = [JointMotor("pivot", max_force=50.0), BodyWrench("cart", "fx")]


def vector(n=6, **options):
    return VectorWorld(PENDULUM, n, ACTUATORS, **options)


def actions(n, steps=20, seed=3):
    return np.random.default_rng(seed).normal(size=(steps, n, 2))


def test_a_wrench_accelerates_and_a_motor_turns():
    worlds = vector(3)
    first, info = worlds.reset()
    assert first.shape == (3, 26) and info == {}
    for _ in range(10):
        _, rewards, ended, cut, info = worlds.step([[0.0, 0.0], [0.0, 4.0], [2.0, 0.0]])
    # a = F / m for 0.1 s
    np.testing.assert_allclose(worlds.states.body("cart")[:, 7], [0.0, 4.0 / 2.0 * 0.1, 0.0], atol=1e-9)
    np.testing.assert_allclose(worlds.states.body("bob")[:, 12], [0.0, 0.0, 2.0], atol=1e-6)
    assert rewards.shape == ended.shape == cut.shape == (3,) and not ended.any() and info == {}
    np.testing.assert_array_equal(worlds.states.positions[1], worlds.worlds[1].positions)


def test_bits_do_not_depend_on_threads_nor_on_the_others():
    def hashes(n, threads, take):
        worlds = vector(n, threads=threads)
        worlds.reset()
        for a in actions(6):
            worlds.step(a[take])
        return [w.state_hash for w in worlds.worlds]

    everything = hashes(6, 1, slice(None))
    assert hashes(6, 4, slice(None)) == everything
    assert hashes(2, 3, [4, 1]) == [everything[4], everything[1]]
    assert len(set(everything)) == 6


def test_episodes_end_and_begin_anew():
    worlds = vector(
        4,
        max_steps=5,
        terminated=lambda states, actions: states.body("cart")[:, 0] > 3.0025,
        reward=lambda states, actions: states.body("cart")[:, 0] - actions[:, 1],
    )
    start, _ = worlds.reset(seed=1)
    push = np.zeros((4, 2))
    push[2, 1] = 20.0
    seen = [worlds.step(push) for _ in range(7)]
    ended = np.array([s[2] for s in seen])
    cut = np.array([s[3] for s in seen])
    # x = a t (t + h) / 2 beyond 2.5 mm with a = 10 m/s^2: in the second step
    assert ended[:, 2].tolist() == [False, True, False, False, True, False, False]
    assert cut[:, 0].tolist() == [False] * 4 + [True, False, False] and not cut[:, 2].any()
    np.testing.assert_array_equal(seen[2][0][2], start[2])
    assert seen[2][1][2] == 0.0, "the step that begins anew has no reward"
    np.testing.assert_array_equal(seen[5][0][0], start[0])
    assert seen[0][1][0] == pytest.approx(3.0)


def test_starts_vary_by_seed():
    def shove(world, random):
        world["cart"].linear_velocity = [random.normal(), 0, 0]

    worlds = vector(3, on_reset=shove)
    first = worlds.reset(seed=5)[0]
    second = worlds.reset()[0]
    again = worlds.reset(seed=5)[0]
    np.testing.assert_array_equal(first, again)
    assert (first != second).any() and len({tuple(row) for row in first}) == 3
    assert (worlds.reset(seed=6)[0] != first).any()


def test_a_step_that_fails_ends_its_episode_alone():
    light = {**PENDULUM, "bodies": [{**b, "mass": 1e-3} if b["name"] == "cart" else b for b in PENDULUM["bodies"]]}
    worlds = VectorWorld(light, 2, ACTUATORS)
    worlds.reset()
    _, _, ended, _, info = worlds.step([[0.0, 0.0], [0.0, 1e308]])
    assert ended.tolist() == [False, True] and "failed at t" in info["failure"][1] and info["failure"][0] is None
    observations = worlds.step(np.zeros((2, 2)))[0]
    assert np.isfinite(observations).all()


def test_errors_are_told():
    with pytest.raises(drystone.InputError, match="no joint is named"):
        VectorWorld(PENDULUM, 1, [JointMotor("hip", 1.0)])
    with pytest.raises(drystone.InputError, match="components"):
        VectorWorld(PENDULUM, 1, [BodyWrench("bob", "up")])
    with pytest.raises(drystone.InputError, match="shape"):
        vector(2).step(np.zeros((2, 5)))
    with pytest.raises(drystone.InputError, match="finite"):
        vector(1).step([[np.nan, 0.0]])


def test_spaces_are_those_of_gymnasium():
    pytest.importorskip("gymnasium")
    worlds = vector(2)
    assert worlds.single_action_space.shape == (2,) and worlds.action_space.shape == (2, 2)
    assert worlds.observation_space.contains(worlds.reset()[0])
