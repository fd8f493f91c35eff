"""Worlds: state, edits, snapshots, errors."""

import json
import pickle
import re
import threading
import time

import numpy as np
import pytest

import drystone

SPHERE = {"sphere": {"radius": 0.5}}


def test_state_is_arrays(boxes):
    world = drystone.World(boxes)
    assert world.positions.shape == (4, 3) and world.orientations.shape == (4, 4)
    assert world.names == ["ground", "box[0]", "box[1]", "box[2]"] and len(world) == 4
    np.testing.assert_array_equal(world.positions[:, 1], [0.0, 0.5, 1.5, 2.5])
    np.testing.assert_array_equal(world.orientations[:, 3], 1.0)
    assert world.positions.dtype == np.float64
    kept = np.zeros((4, 3))
    velocities = np.zeros((4, 3))
    world.gravity = [0, -2, 0]
    world["box[2]"].position = [5, 9, 0]
    world.advance(0.01)
    world.read(positions=kept, linear_velocities=velocities)
    np.testing.assert_array_equal(kept, world.positions)
    np.testing.assert_allclose(velocities[3], [0, -0.02, 0], atol=1e-15)
    # copies: what is written into one does not move a body
    before = world.state_hash
    world.positions[:] = 7.0
    assert world.state_hash == before
    with pytest.raises(drystone.InputError, match="shape"):
        world.read(positions=np.zeros((3, 3)))
    with pytest.raises(drystone.InputError, match="contiguous"):
        world.read(positions=np.zeros((4, 6))[:, ::2])


def test_a_ball_falls_as_it_should():
    world = drystone.World(gravity=[0, -9.81, 0])
    ball = world.add_body(SPHERE, position=[0, 10, 0], mass=2.0)
    for _ in range(100):
        report = world.advance(0.01)
    # at the ends of steps free flight is exact: y = y0 - g t^2 / 2
    assert ball.position[1] == pytest.approx(10 - 9.81 / 2, abs=1e-12)
    assert ball.linear_velocity[1] == pytest.approx(-9.81, abs=1e-12)
    assert world.energy[0] == pytest.approx(0.5 * 2.0 * 9.81**2)
    np.testing.assert_allclose(world.momentum[0], [0, -19.62, 0], atol=1e-12)
    assert report.contacts == 0 and report.residual is None and "motion_solver" in report.seconds()
    assert ball.mass == 2.0
    np.testing.assert_allclose(ball.inertia, np.eye(3) * 0.4 * 2 * 0.25, atol=1e-15)


def test_contacts_events_and_reports(boxes):
    world = drystone.World(boxes)
    report = world.advance(0.01)
    contacts = world.contacts()
    assert len(contacts.bodies) == report.contacts == len(contacts.positions) == len(contacts.separations)
    assert report.contacts >= 9 and report.groups == 1 and report.new_touching == 3
    assert {e.kind for e in world.contact_events()} >= {"new-touching"}
    assert [e.kind for e in world.events()] == ["touch-began"] * 3
    np.testing.assert_allclose(np.linalg.norm(contacts.normals, axis=1), 1.0)
    for _ in range(50):
        world.advance(0.01)
    contacts = world.contacts()
    ground = (contacts.bodies == 0).any(axis=1)
    # the ground bears three boxes: impulse of a step is weight times step
    assert contacts.normal_impulses[ground].sum() == pytest.approx(3 * 1000 * 9.81 * 0.01, rel=0.05)


def test_timers_tick():
    world = drystone.World(gravity=[0, 0, 0])
    once, often = world.add_timer(0.05), world.add_timer(0.02, 0.004)
    world.keep_events()
    for _ in range(5):
        world.advance(0.02)
    events = world.drain_events()
    assert {e.kind for e in events} == {"tick"} and all(e.bodies == () and e.touch is None for e in events)
    (alone,) = [e for e in events if e.tick.timer == once]
    assert alone.time == 0.05 and alone.tick.ticks == 1
    of_both = [e for e in events if e.tick.timer == often]
    # one at the end of the first step, then five per step, told as one event each
    assert [e.tick.ticks for e in of_both] == [1, 5, 5, 5, 5]
    assert [e.time for e in of_both] == pytest.approx([0.02, 0.04, 0.06, 0.08, 0.1])
    often.remove()
    world.advance(0.02)
    assert world.events() == []
    with pytest.raises(drystone.InputError, match="timer"):
        often.remove()
    for first, period in ((np.nan, None), (0.0, 0.0), (0.0, -1.0)):
        with pytest.raises(drystone.InputError, match="allowed"):
            world.add_timer(first, period)


def test_edits_by_hand():
    world = drystone.World(gravity=[0, 0, 0], paradigm="mechanism")
    world.add_material("ice", friction=0.01)
    a = world.add_body(SPHERE, name="a", material="ice")
    b = world.add_body(SPHERE, name="b", position=[2, 0, 0], orientation={"axis": [0, 1, 0], "degrees": 90})
    np.testing.assert_allclose(b.orientation, [0, np.sqrt(0.5), 0, np.sqrt(0.5)])
    joint = world.add_joint("ball", [a, b], name="link", anchor=[1, 0, 0])
    assert joint.bodies == ("a", "b") and joint.kind == "ball" and world.joint("link") == joint
    spring = world.add_force("spring", bodies=[b, "world"], anchors=[[0, 0, 0], [4, 0, 0]], stiffness=10.0)
    b.apply_impulse([0, 0, 1.0])
    for _ in range(50):
        world.advance(0.01)
    assert joint.error[0] < 1e-6 and not joint.broken and joint.reaction is not None
    assert world.positions[1, 0] > 2.0, "the spring draws it"
    spring.remove()
    with pytest.raises(drystone.InputError, match="force"):
        spring.remove()
    world.ignore_pair(a, b)
    a.remove()
    assert world.names == ["b"] and world.joints == [] and b.index == 0
    with pytest.raises(drystone.InputError, match="no such body"):
        _ = a.position
    with pytest.raises(drystone.InputError, match="no body is named"):
        world.body("a")


def test_motors_turn():
    world = drystone.World(gravity=[0, 0, 0])
    wheel = world.add_body({"cylinder": {"radius": 0.5, "half_height": 0.1}}, name="wheel", mass=1.0)
    axle = world.add_joint("hinge", ["world", wheel], name="axle", anchor=[0, 0, 0], axis=[0, 1, 0])
    axle.drive(3.0, max_force=100.0)
    for _ in range(20):
        world.advance(0.01)
    assert wheel.angular_velocity[1] == pytest.approx(3.0, abs=1e-6)
    axle.servo(0.0, max_force=1000.0)
    for _ in range(200):
        world.advance(0.01)
    assert wheel.orientation[1] == pytest.approx(0.0, abs=1e-3)


def test_a_saved_world_goes_on_with_the_same_bits(boxes, tmp_path):
    world = drystone.World(boxes)
    world.advance(0.01, steps=25)
    world.save_world(tmp_path / "half.toml")
    others = [drystone.World(world.to_scene()), drystone.World(tmp_path / "half.toml")]
    world.advance(0.01, steps=20)
    for other in others:
        other.advance(0.01, steps=20)
        assert other.state_hash == world.state_hash
    world.add_timer(1.0)
    with pytest.raises(drystone.InputError, match="timers"):
        world.to_scene()


def test_snapshots_bring_back_the_bits(boxes):
    world = drystone.World(boxes)
    world.advance(0.01, steps=5)
    snapshot = world.snapshot()
    world.advance(0.01, steps=20)
    first = world.state_hash
    world.restore(snapshot)
    assert world.time == snapshot.time == pytest.approx(0.05)
    world.advance(0.01, steps=20)
    assert world.state_hash == first
    with pytest.raises(drystone.InputError, match="another one"):
        drystone.World(boxes).restore(snapshot)


def test_the_preset_can_change_while_it_runs(boxes):
    world = drystone.World(boxes)
    world.advance(0.01, steps=5)
    world.set_paradigm("load-propagation", {"lcp.iterations": 7})
    assert world.paradigm == "load-propagation" and world.info["modules"]["time_control"] == "load-propagation"
    world.advance(0.01, steps=5)
    with pytest.raises(drystone.InputError, match="allowed"):
        world.set_paradigm("no-such-thing")
    with pytest.raises(drystone.InputError, match="lcp"):
        world.set_paradigm("velocity-lcp", {"lcp.iterationss": 7})


# modules that do not go with those of the default: what they need beside them
NEEDS = {
    "event-driven": {"constraint_solver.kind": "acceleration-complementarity"},
    "acceleration-complementarity": {"time_control.kind": "event-driven"},
    "acceleration-program": {"time_control.kind": "event-driven"},
    "impulse": {"collision_solver.kind": "sequential"},
}


def test_every_module_can_be_chosen(boxes):
    for table, names in drystone.modules().items():
        for name in names:
            key = "lcp.solver" if table == "lcp" else f"{table}.kind"
            world = drystone.World(boxes, settings={key: name, **NEEDS.get(name, {})})
            assert world.info["modules"][table] == name
            world.advance(0.01, steps=2)


def test_faults_of_scenes_are_told(boxes):
    with pytest.raises(drystone.SceneError) as caught:
        drystone.World({**boxes, "bodies": [{"name": "a", "shape": {"sphere": {"radius": -1}}, "colour": "red"}]})
    faults = caught.value.faults
    assert [f["path"] for f in faults] == ["bodies[0].shape.sphere.radius", "bodies[0].colour"]
    assert "above zero" in faults[0]["message"] and "unknown key" in faults[1]["message"]
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, drystone.DrystoneError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.faults == faults
    with pytest.raises(drystone.SceneError, match="line 2"):
        drystone.check("[scene]\nnonsense = 1\n")
    with pytest.raises(drystone.InputError, match="no such file"):
        drystone.World("/no/such/file.toml")
    with pytest.raises(drystone.InputError):
        drystone.World(boxes, threads=0)
    with pytest.raises(drystone.InputError):
        drystone.World(boxes).advance(-1.0)
    with pytest.raises(drystone.InputError):
        drystone.World(boxes)["box[0]"].position = [0, float("nan"), 0]
    with pytest.raises(drystone.InputError, match="again"):
        world = drystone.World(boxes)
        world.add_body(SPHERE, name="ground")


def test_a_run_that_fails_says_where():
    scene = {
        "bodies": [{"name": "fast", "shape": SPHERE, "linear_velocity": [1e300, 0, 0]}],
        "scene": {"duration": 1.0},
    }
    with pytest.raises(drystone.SimulationError) as caught:
        drystone.World(scene).advance(1e9, steps=10)
    error = caught.value
    assert error.body == "fast" and error.module is not None and error.time is not None and "fast" in str(error)
    assert isinstance(pickle.loads(pickle.dumps(error)), drystone.SimulationError)


def test_the_interpreters_lock_is_free_while_a_world_computes():
    world = drystone.World("box-stack", paradigm="velocity-lcp")
    interval, ticks = [], []

    def compute():
        start = time.perf_counter()
        world.advance(steps=8000)
        interval.extend([start, time.perf_counter()])

    thread = threading.Thread(target=compute)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(1e-4)
    start, end = interval
    # a call that holds the lock lets no other thread in between
    assert sum(start < t < end for t in ticks) >= 3


def test_worlds_step_on_threads_of_ones_own():
    worlds = [drystone.World("two-balls") for _ in range(4)]
    threads = [threading.Thread(target=w.advance, kwargs={"steps": 50}) for w in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({w.state_hash for w in worlds}) == 1


def test_recording_and_replay(boxes, tmp_path):
    world = drystone.World(boxes, record=True)
    world.advance(steps=30)
    frames = world.frames
    assert frames.positions.shape == (len(frames.time), 4, 3) and frames.time[0] == 0.0 and len(frames.time) > 10
    np.testing.assert_allclose(np.diff(frames.time), 1 / 60, atol=0.011)
    page = world.show()
    assert page._repr_html_().startswith("<iframe srcdoc=") and "<script>" not in page._repr_html_()
    world.save_replay(tmp_path / "replay.html")
    (data,) = re.findall(r", data = (\{.*\});$", (tmp_path / "replay.html").read_text(), re.MULTILINE)
    (run,) = json.loads(data)["runs"]
    assert run["time"] == frames.time.tolist() and run["scenery"]["names"] == world.names
    # a world that was not recorded shows how it stands
    assert "<iframe" in drystone.World(boxes)._repr_html_()
    still = drystone.World(boxes)
    still.show()
    with pytest.raises(drystone.InputError, match="recorded"):
        _ = still.frames
    figures = world.run(steps=10, record=True)
    assert figures["steps"] == 10 and '"animations"' in world.gltf()
    world.add_body(SPHERE, position=[9, 9, 9])
    assert world.frames.positions.shape[1] == 5


def test_query_of_placed_shapes():
    pair = {"a": {"shape": SPHERE}, "b": {"shape": SPHERE, "position": [3, 0, 0]}}
    (row,) = drystone.query([pair], "gjk-epa")
    assert row["relation"] == "separated" and row["distance"] == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(drystone.InputError, match="allowed"):
        drystone.query([pair], "magic")


def test_questions_to_a_world(boxes):
    world = drystone.World(boxes)
    hits = world.cast_rays([[0, 9, 0], [5, 9, 0], [0, 9, 0]], [[0, -1, 0], [0, -2, 0], [0, 1, 0]])
    assert hits.bodies.tolist() == [3, 0, -1]
    np.testing.assert_allclose(hits.distances, [6.0, 9.0, np.nan])
    np.testing.assert_allclose(hits.normals[0], [0, 1, 0])
    assert world.cast_rays([0, 9, 0], [0, -1, 0], only=["ground"]).bodies.tolist() == [0]
    near = world.nearest([[0, 1.5, 3.0], [0, 2.5, 0]], only=[b for b in world.bodies if b.name != "ground"])
    np.testing.assert_allclose(near.distances, [2.5, -0.5])
    assert [b.name for b in world.overlapping(SPHERE, [0, 3.2, 0])] == ["box[2]"]
    way = world.cast_shape(SPHERE, [-5, 2.0, 0], [[10, 0, 0], [0, 5, 0]])
    assert way.distances[0] == pytest.approx(4.0) and way.bodies[1] == -1
    with pytest.raises(drystone.InputError, match="direction"):
        world.cast_rays([0, 0, 0], [0, 0, 0])
    with pytest.raises(drystone.SceneError, match="radius"):
        world.overlapping({"sphere": {"radius": -1}}, [0, 0, 0])


def test_an_angle_keeps_its_turns_when_its_motor_changes():
    world = drystone.World(gravity=[0, 0, 0])
    wheel = world.add_body({"cylinder": {"radius": 0.5, "half_height": 0.1}}, mass=1.0)
    keys = {"anchor": [0, 0, 0], "axis": [0, 1, 0], "limits": {"lower": -1.0, "upper": 9.0}}
    axle = world.add_joint("hinge", ["world", wheel], **keys)
    for k in range(200):
        axle.drive(6.0 + 0.01 * (k % 2), max_force=100.0)
        world.advance(0.01)
    # stopped by the limit at 9 rad, beyond a full turn
    assert abs(wheel.angular_velocity[1]) < 1e-3
    angle = 2 * np.arctan2(wheel.orientation[1], wheel.orientation[3])
    assert (angle - 9.0) % (2 * np.pi) == pytest.approx(0.0, abs=0.02) or (9.0 - angle) % (2 * np.pi) < 0.02


def test_the_catalogue_lists_what_there_is():
    listed = drystone.catalogue()
    assert "velocity-lcp" in drystone.paradigms() and "box-stack" in drystone.bundled_scenes()
    assert listed["modules"]["lcp"][0]["parameters"][0]["default"] is not None


def test_a_scene_s_budget_is_spent_and_comes_back():
    """Four steps of a quarter in each, with the bits of the first time after coming back."""

    def tumbling(time_step, **simulation):
        return drystone.World(
            {
                "scene": {"name": "box", "source": "ours", "description": "a box tumbles and lands", "duration": 1},
                "simulation": {"paradigm": "velocity-lcp", "time_step": time_step, **simulation},
                "bodies": [
                    {"name": "ground", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0}}},
                    {
                        "name": "box",
                        "shape": {"box": {"half_extents": [0.1, 0.2, 0.3]}},
                        "position": [0, 1, 0],
                        "angular_velocity": [5, 0.1, 3],
                    },
                ],
            }
        )

    world = tumbling(0.02, budget={"operations": 1e6, "steps": 4})
    world.advance(0.02, steps=10)
    quarter, whole = tumbling(0.005), tumbling(0.02)
    quarter.advance(0.005, steps=40)
    whole.advance(0.02, steps=10)
    assert np.abs(world.orientations - quarter.orientations).max() < 1e-12
    assert np.abs(world.orientations - whole.orientations).max() > 1e-6
    snapshot = world.snapshot()
    world.advance(0.02, steps=30)
    first = world.state_hash
    world.restore(snapshot)
    world.advance(0.02, steps=30)
    assert world.state_hash == first
