"""What is wrong raises one of the package's own errors, that says what is allowed; nothing panics."""

import numpy as np
import pytest

import drystone
from drystone import InputError, lcp
from drystone.vector import BodyWrench, VectorWorld

NAN, INF = float("nan"), float("inf")
BOX = {"box": {"half_extents": [0.5, 0.5, 0.5]}}
#: No three finite numbers.
NO_VECTORS = [[NAN, 0, 0], [INF, 0, 0], [0, 0], [0, 0, 0, 0], "abc", [[0, 0, 0]], [1 + 2j, 0, 0], {}, [None, 0, 0]]


@pytest.fixture
def world():
    world = drystone.World(gravity=[0, -9.81, 0])
    world.add_body({"plane": {"normal": [0, 1, 0], "offset": 0}}, kind="fixed", name="ground")
    world.add_body(BOX, position=[0, 2, 0], name="box")
    world.add_body({"sphere": {"radius": 0.5}}, position=[3, 2, 0], name="ball")
    return world


def refused(call, *, says=""):
    with pytest.raises(drystone.DrystoneError) as told:
        call()
    assert not isinstance(told.value, drystone.InternalError), told.value
    assert len(str(told.value)) > 8 and says in str(told.value)


@pytest.mark.parametrize("value", NO_VECTORS, ids=repr)
def test_what_is_no_vector(world, value):
    box = world["box"]
    for name in ("position", "linear_velocity", "angular_velocity"):
        refused(lambda: setattr(box, name, value))
    for call in (box.apply_impulse, box.apply_force, box.apply_torque, box.apply_torque_impulse):
        refused(lambda: call(value))
    refused(lambda: box.apply_impulse([1, 0, 0], value))
    refused(lambda: setattr(world, "gravity", value))
    refused(lambda: world.overlapping(BOX, value))
    refused(lambda: world.add_body(BOX, position=value))
    assert world.advance(0.01).contacts == 0  # and the world is none the worse


@pytest.mark.parametrize("value", [NAN, INF, 0, -1, "x", [], 1e400], ids=repr)
def test_what_is_no_size(world, value):
    refused(lambda: world.add_body(BOX, mass=value))
    refused(lambda: world.add_body({"sphere": {"radius": value}}))
    refused(lambda: world.advance(value))
    if value != 0:
        refused(lambda: world.add_material("m", density=value))
    if value != INF:
        refused(lambda: world["box"].set(linear_damping=value if value else NAN))


@pytest.mark.parametrize("value", [-1, 2.5, "x", None, 2**70, NAN], ids=repr)
def test_what_is_no_count(world, value):
    refused(lambda: world.advance(0.01, value))
    refused(lambda: drystone.World("wall", threads=value))
    refused(lambda: drystone.World("wall", seed=value))
    refused(lambda: VectorWorld("newtons-cradle", value))
    if value is not None:
        refused(lambda: world.run(steps=value))


def test_limits_read_and_rays(world):
    for bad in (NAN, -1, 0, "x"):
        refused(lambda: world.set_limits(length=bad))
    n = len(world)
    unwritable = np.zeros((n, 3))
    unwritable.flags.writeable = False
    for array in (
        np.zeros((n, 3), np.float32),
        np.zeros(n),
        np.zeros((3, n)).T,
        unwritable,
        None,
        np.zeros((n + 1, 3)),
    ):
        refused(lambda: world.read(positions=array))
    refused(lambda: world.read(colours=np.zeros((n, 3))))
    refused(lambda: world.cast_rays(np.zeros((2, 3)), np.ones((3, 3))), says="2 origins")
    refused(lambda: world.cast_rays([[0, 5, 0]], [[0, 0, 0]]))
    refused(lambda: world.cast_rays([[0, 5, 0]], [[0, -1, 0]], length="far"))


def test_names_and_types():
    refused(lambda: drystone.World("wall", paradigm=5))
    refused(lambda: drystone.World("wall", paradigm="quantum"), says="quantum")
    refused(lambda: drystone.World("wall", settings=[1]))
    refused(lambda: drystone.World("wall", settings={1: 2}))
    refused(lambda: drystone.World("wall", settings={"lcp.iteration": 3}), says="iterations")
    refused(lambda: drystone.World(5))
    refused(lambda: drystone.run("wall", duration=NAN))
    refused(lambda: drystone.run("wall", duration="long"))


def test_what_was_removed_stays_removed(world):
    box = world["box"]
    joint = world.add_joint("ball", [box, "ball"], anchor=[0, 0, 0], name="link")
    snapshot = world.snapshot()
    box.remove()
    for call in (
        lambda: box.position, lambda: box.name, lambda: box.mass, lambda: box.index, box.remove, lambda: box.apply_impulse([1, 0, 0]),
        lambda: joint.name, lambda: joint.error, lambda: joint.drive(1, 1), joint.remove, lambda: joint.to_dict(),
        lambda: world.restore(snapshot), lambda: world.add_joint("ball", [box, "ball"], anchor=[0, 0, 0]),
        lambda: world.cast_rays([[0, 0, 0]], [[0, 1, 0]], only=[box]), lambda: world.ignore_pair(box, "ball"),
    ):  # fmt: skip
        refused(call)
    world.advance(0.01)


def test_bodies_of_another_world_are_not_taken_by_their_names(world):
    other = drystone.World(gravity=[0, 0, 0])
    stranger = other.add_body(BOX, name="box")
    for call in (
        lambda: world.add_joint("ball", [stranger, "ball"], anchor=[0, 0, 0]),
        lambda: world.add_force("spring", bodies=[stranger, "ball"], stiffness=1.0),
        lambda: world.add_script(stranger, sinusoid={}),
        lambda: world.ignore_pair(stranger, "ball"),
    ):
        refused(call, says="another world")
    refused(lambda: world.restore(other.snapshot()))
    refused(lambda: world.restore(5))


def test_a_damaged_snapshot_is_refused(world):
    whole = world.snapshot().to_bytes()
    for k in range(0, len(whole), max(1, len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[k] ^= 0x55
        refused(lambda: world.read_snapshot(bytes(damaged)))
    for bad in (b"", whole[:50], "{}", 5, None):
        refused(lambda: world.read_snapshot(bad))


def test_problems_that_are_none():
    a, b = np.array([[2.0, 1], [1, 2]]), np.array([-5.0, -6])
    sparse = pytest.importorskip("scipy.sparse")
    for bad_a, bad_b in (
        (a, [1, 2, 3]), (np.ones((2, 3)), b), (a * NAN, b), (a, [NAN, 1]), ("a", b), (a, "b"), (a * 1j, b), (a, b * 1j),
        (sparse.csr_matrix(np.ones((2, 3))), b), (sparse.csr_matrix(a * NAN), b), (sparse.csr_matrix(a * 1j), b),
    ):  # fmt: skip
        refused(lambda: lcp.solve(bad_a, bad_b))
    for options in (
        {"solver": "magic"}, {"solver": 5}, {"lo": 1, "hi": 0}, {"lo": NAN}, {"x0": [1]}, {"x0": [NAN, 1]}, {"tolerance": NAN},
        {"tolerance": "x"}, {"max_iterations": -1}, {"max_iterations": NAN}, {"parameters": 5}, {"parameters": {"speed": 9}},
        {"parameters": {"relaxation": "x"}}, {"dependency": [5, -1], "mu": [0.5, 0.5]}, {"dependency": [0, -1], "mu": [0.5, 0.5]},
        {"dependency": [-1, -5], "mu": [0.5, 0.5]},
    ):  # fmt: skip
        refused(lambda: lcp.solve(a, b, **options))
    for m, q, mu, dimension in (
        (np.eye(3), [1, 1, 1], [-1], 3),
        (np.eye(4), [1] * 4, [1], 3),
        (np.eye(3), [1] * 3, [1], 7),
    ):
        refused(lambda: lcp.solve_cone(m, q, mu, dimension=dimension))


def test_vectors_of_worlds():
    envs = VectorWorld("newtons-cradle", 2)
    refused(lambda: envs.step(np.zeros((3, 7))))
    refused(lambda: envs.step("left"))
    refused(lambda: VectorWorld("newtons-cradle", 2, actuators=[BodyWrench("nobody")]))
    ball = envs.worlds[0].names[-1]
    driven = VectorWorld("newtons-cradle", 2, actuators=[BodyWrench(ball)])
    try:
        _, _, ended, _, infos = driven.step(np.full((2, driven.action_width), NAN))
    except InputError:
        return
    assert ended.all() and "failure" in infos
