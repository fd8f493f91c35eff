"""Snapshots as files, events, and what can be changed about bodies and joints while a world runs."""

import json
import subprocess
import sys

import numpy as np
import pytest

import drystone

SPHERE = {"sphere": {"radius": 0.5}}
FLOOR = {"plane": {"normal": [0, 1, 0], "offset": 0}}


def test_a_snapshot_goes_to_another_process_and_back(boxes, tmp_path):
    world = drystone.World(boxes)
    world.advance(0.01, steps=30)
    snapshot = world.snapshot()
    (tmp_path / "bytes").write_bytes(snapshot.to_bytes())
    (tmp_path / "json").write_text(snapshot.to_json())
    (tmp_path / "scene.json").write_text(json.dumps(boxes))
    world.advance(0.01, steps=25)
    other = (
        "import sys, drystone\n"
        "from pathlib import Path\n"
        "here = Path(sys.argv[1])\n"
        "for data in ((here / 'bytes').read_bytes(), (here / 'json').read_text()):\n"
        "    world = drystone.World((here / 'scene.json').read_text())\n"
        "    snapshot = world.read_snapshot(data)\n"
        "    world.restore(snapshot)\n"
        "    assert snapshot.time == world.time, snapshot\n"
        "    world.advance(0.01, steps=25)\n"
        "    print(world.state_hash)\n"
    )
    done = subprocess.run([sys.executable, "-c", other, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [world.state_hash] * 2


def test_what_is_no_snapshot_is_refused(boxes):
    world = drystone.World(boxes)
    world.advance(0.01, steps=3)
    before = world.state_hash
    data = world.snapshot().to_bytes()
    damaged = data[:100] + bytes([data[100] ^ 1]) + data[101:]
    for bad in (b"", b"nonsense", data[:-1], damaged, "{}", '{"format": "drystone snapshot"}'):
        with pytest.raises(drystone.InputError):
            world.read_snapshot(bad)
    with pytest.raises(drystone.InputError, match="world"):
        drystone.World("two-balls").read_snapshot(data)
    assert world.state_hash == before


def test_touches_and_sensors_are_told_with_their_figures():
    world = drystone.World(gravity=[0, -9.81, 0])
    world.add_body(FLOOR, name="floor", kind="fixed")
    world.add_body({"box": {"half_extents": [1, 0.1, 1]}}, name="gate", kind="fixed", position=[0, 2, 0], sensor=True)
    ball = world.add_body(SPHERE, name="ball", position=[0, 4, 0], mass=2.0)
    world.keep_events()
    world.advance(0.01, steps=60)
    assert world.sensed() == [("gate", "ball")]
    world.advance(0.01, steps=60)
    events = world.drain_events()
    assert [(e.kind, e.bodies) for e in events[:3]] == [
        ("entered", ("gate", "ball")),
        ("left", ("gate", "ball")),
        ("touch-began", ("floor", "ball")),
    ]
    met = events[2]
    # it fell 3.5 m
    assert met.time == pytest.approx(np.sqrt(2 * 3.5 / 9.81), abs=0.02)
    assert met.touch.speed == pytest.approx(np.sqrt(2 * 9.81 * 3.5), rel=0.03)
    np.testing.assert_allclose(met.touch.normal, [0, 1, 0], atol=1e-12)
    assert met.touch.impulse[1] > 0.9 * 2.0 * met.touch.speed and events[0].touch is None
    assert world.drain_events() == [] and world.events() == []
    # it bounces a little, and lies still in the end
    world.advance(0.01, steps=400)
    assert world.touching() == [("floor", "ball")] and world.sensed() == []
    kinds = [e.kind for e in events + world.drain_events()]
    assert kinds.count("touch-began") == kinds.count("touch-ended") + 1
    world.keep_events(False)
    ball.position = [0, 9, 0]
    world.advance(0.01)
    assert ("touch-ended", ("floor", "ball")) in [(e.kind, e.bodies) for e in world.events()]
    ball.remove()
    world.advance(0.01)
    assert world.events() == []


def test_sleep_and_breaking_are_told():
    world = drystone.World(gravity=[0, -9.81, 0], paradigm="load-propagation")
    world.add_body(FLOOR, name="floor", kind="fixed")
    box = world.add_body({"box": {"half_extents": [0.5, 0.5, 0.5]}}, name="box", position=[0, 0.5, 0])
    world.keep_events()
    world.advance(0.01, steps=200)
    assert box.asleep and world.sleeping.tolist() == [False, True]
    box.wake()
    assert not box.asleep
    world.advance(0.01)
    told = [(e.kind, e.bodies) for e in world.drain_events() if e.kind in ("fell-asleep", "woke")]
    assert told[0] == ("fell-asleep", ("box",)) and ("woke", ("box",)) in told

    weak = drystone.World(gravity=[0, -9.81, 0], paradigm="mechanism")
    weak.add_body(SPHERE, name="bob", mass=2.0)
    hook = weak.add_joint("ball", ["world", "bob"], name="hook", anchor=[0, 0, 0])
    weak.advance(0.01, steps=5)
    assert not hook.broken and weak.events() == []
    hook.set_strength(force=10.0)
    weak.advance(0.01)
    (broke,) = weak.events()
    assert (
        broke.kind == "joint-broke"
        and broke.joint.name == "hook"
        and hook.broken
        and set(broke.bodies) == {"world", "bob"}
    )
    assert np.linalg.norm(broke.joint.force) == pytest.approx(19.62, rel=0.05)


def test_forces_by_hand():
    world = drystone.World(gravity=[0, 0, 0])
    ball = world.add_body(SPHERE, mass=2.0)
    for _ in range(10):
        ball.apply_force([3.0, 0, 0])
        ball.apply_force([1.0, 0, 0])
        ball.apply_torque([0, 0.4, 0])
        world.advance(0.01)
    # v = F t / m, w = T t / I with I = 2/5 m r^2
    np.testing.assert_allclose(ball.linear_velocity, [0.2, 0, 0], atol=1e-12)
    np.testing.assert_allclose(ball.angular_velocity, [0, 0.2, 0], atol=1e-12)
    ball.apply_torque_impulse([0, 0, 0.2])
    np.testing.assert_allclose(ball.angular_velocity, [0, 0.2, 1.0], atol=1e-12)
    world.advance(0.01)
    np.testing.assert_allclose(ball.linear_velocity, [0.2, 0, 0], atol=1e-12)


def test_bodies_are_changed_while_they_move():
    world = drystone.World(gravity=[0, -10, 0])
    world.add_material("ice", friction=0.0)
    body = world.add_body(SPHERE, name="a", mass=2.0)
    body.set(gravity_scale=0.5, mass=4.0, linear_damping=0.0, material="ice", can_sleep=False)
    world.advance(0.01)
    assert body.mass == 4.0 and body.linear_velocity[1] == pytest.approx(-0.05)
    np.testing.assert_allclose(body.inertia, 0.4 * 4.0 * 0.25 * np.eye(3))
    body.set(shape={"box": {"half_extents": [0.5, 0.5, 0.5]}})
    np.testing.assert_allclose(body.inertia, 4.0 / 6.0 * np.eye(3))
    body.set_mass_properties(3.0, np.diag([1.0, 2.0, 2.5]), [0.1, 0, 0])
    assert body.mass == 3.0 and body.center_of_mass.tolist() == [0.1, 0, 0]
    np.testing.assert_allclose(body.inertia, np.diag([1.0, 2.0, 2.5]))
    body.set(kind="fixed")
    at = body.position
    world.advance(0.01, steps=5)
    assert body.kind == "fixed" and (body.position == at).all()
    for bad, what in [({"colour": "red"}, "colour"), ({"mass": -1.0}, "mass"), ({"position": [0, 0, 0]}, "position")]:
        with pytest.raises(drystone.DrystoneError, match=what):
            body.set(**bad)
    with pytest.raises(drystone.InputError, match="symmetric"):
        body.set_mass_properties(1.0, [[1, 2, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(drystone.InputError, match="not dynamic"):
        body.apply_force([1, 0, 0])


def test_coordinates_and_limits_of_joints():
    world = drystone.World(gravity=[0, 0, 0], paradigm="mechanism")
    door = world.add_body({"box": {"half_extents": [0.5, 1.0, 0.05]}}, name="door", position=[0.5, 0, 0], mass=20.0)
    hinge = world.add_joint("hinge", ["world", door], anchor=[0, 0, 0], axis=[0, 1, 0])
    hinge.drive(1.0, max_force=1e5)
    world.advance(0.005, steps=100)
    value, speed = hinge.coordinate()
    assert (
        value == pytest.approx(0.5, abs=0.01) and speed == pytest.approx(1.0, abs=1e-6) and hinge.coordinate(2) is None
    )
    hinge.set_limits(None, 0.8)
    world.advance(0.005, steps=200)
    assert hinge.coordinate()[0] == pytest.approx(0.8, abs=0.01)
    hinge.set_limits(None, None)
    world.advance(0.005, steps=100)
    assert hinge.coordinate()[0] == pytest.approx(1.3, abs=0.03)
    with pytest.raises(drystone.InputError, match="coordinate"):
        hinge.coordinate(3)


def test_the_joints_of_the_catalogue_hold_what_they_say():
    heavy = {"sphere": {"radius": 0.1}}
    world = drystone.World(gravity=[0, -9.81, 0], paradigm="mechanism")
    # a pulley: what the one goes down the other goes up, at g (m1 - m2) / (m1 + m2)
    a = world.add_body(heavy, name="a", position=[-1, 0, 0], mass=3.0)
    b = world.add_body(heavy, name="b", position=[1, 0, 0], mass=1.0)
    places = {"anchor": [-1, 0, 0], "anchor2": [1, 0, 0], "pulleys": [[-1, 5, 0], [1, 5, 0]]}
    world.add_joint("pulley", [a, b], **places)
    # a screw of 10 mm a turn
    nut = world.add_body(heavy, name="nut", position=[4, 0, 0], mass=1.0)
    screw = world.add_joint("screw", ["world", nut], anchor=[4, 0, 0], axis=[0, 1, 0], lead=0.01)
    # a pinion on an axle that moves a rack
    pinion = world.add_body(heavy, name="pinion", position=[8, 0, 0], mass=1.0)
    rack = world.add_body({"box": {"half_extents": [1, 0.05, 0.05]}}, name="rack", position=[8, -0.2, 0], mass=1.0)
    axle = world.add_joint("hinge", ["world", pinion], anchor=[8, 0, 0], axis=[0, 0, 1])
    world.add_joint("slider", ["world", rack], axis=[1, 0, 0])
    world.add_joint("rack-and-pinion", [pinion, rack], anchor=[8, 0, 0], axis=[0, 0, 1], axis2=[1, 0, 0], radius=0.2)
    axle.drive(2.0, max_force=1e4)
    # six-dof: free to slide along x between limits, all else locked
    cart = world.add_body(heavy, name="cart", position=[12, 0, 0], linear_velocity=[1, 0, 0], mass=1.0)
    freedoms = {"translations": [[-0.2, 0.2], "locked", "locked"], "rotations": ["locked"] * 3}
    world.add_joint("six-dof", ["world", cart], anchor=[12, 0, 0], axis=[1, 0, 0], axis2=[0, 1, 0], **freedoms)
    t, h = 0.5, 0.002
    world.advance(h, steps=round(t / h))
    assert a.position[1] == pytest.approx(-0.5 * 9.81 / 2 * t**2, rel=0.01)
    assert a.position[1] + b.position[1] == pytest.approx(0.0, abs=1e-3)
    way, turn = nut.position[1], screw.coordinate()
    # the weight turns it: m z'' (1 + (2 pi / lead)^2 I / m) = -m g
    inertia = 0.4 * 1.0 * 0.01
    assert way == pytest.approx(-0.5 * 9.81 / (1 + (2 * np.pi / 0.01) ** 2 * inertia) * t**2, rel=0.02)
    assert turn[0] == pytest.approx(way, rel=1e-6)
    assert abs(rack.linear_velocity[0]) == pytest.approx(2.0 * 0.2, rel=1e-3)
    assert cart.position[0] == pytest.approx(12.2, abs=2e-3) and cart.position[1] == pytest.approx(0.0, abs=1e-6)


def test_all_presets_and_joints_are_there():
    listed = drystone.catalogue()
    assert len(drystone.paradigms()) == len({p["name"] for p in listed["paradigms"]}) >= 22
    assert {j["name"] for j in listed["joints"]} >= {"screw", "rack-and-pinion", "pulley", "six-dof", "hinge2", "planar"}


def test_a_script_turns_a_body_through_euler_angles():
    world = drystone.World(gravity=[0, 0, 0])
    paddle = world.add_body(SPHERE, kind="scripted", name="paddle")
    world.add_script(
        paddle,
        space_spline={"control_points": [[0, 0, k] for k in range(4)]},
        velocity_spline={"points": [[0, 0], [2, 1]]},
        angle_spline={"times": [0, 1, 2], "angles": [[0, 0, 0], [1, 0, 0], [2 * np.pi, 0, 0]]},
    )
    world.advance(0.01, steps=100)
    assert np.allclose(paddle.orientation, [0, 0, np.sin(0.5), np.cos(0.5)], atol=1e-12)
    world.advance(0.01, steps=100)
    assert np.allclose(np.abs(paddle.orientation), [0, 0, 0, 1], atol=1e-12), "a full turn between keys is one"
    with pytest.raises(drystone.SceneError, match="did you mean 'angles'"):
        world.add_script(paddle, angle_spline={"times": [0, 1], "angels": [[0, 0, 0], [1, 0, 0]]})


@pytest.mark.parametrize(("pull", "reach"), [([9, -1, 0], 0.6), ([0, -1, 9], 0.3)])
def test_a_ball_joint_reaches_as_far_as_its_ellipse(pull, reach):
    world = drystone.World(gravity=pull)
    arm = world.add_body(SPHERE, name="arm", mass=1.0, angular_damping=3.0)
    world.add_joint("ball", ["world", arm], anchor=[0, 1, 0], axis=[0, -1, 0], axis2=[1, 0, 0], cone=0.6, cone2=0.3)
    world.advance(1 / 120, steps=1200)
    angle = 2 * np.arccos(min(1.0, abs(arm.orientation[3])))
    assert abs(angle - reach) < 5e-3, angle
