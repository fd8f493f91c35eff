"""What the package gives as plain tables."""

import json
import math

import numpy as np
import pytest

import drystone


def through_json(value):
    """As a file would have it: strictly JSON, so without NaN."""
    return json.loads(json.dumps(drystone.to_plain(value), allow_nan=False))


def test_a_world_is_a_table_of_what_stands_in_it(boxes):
    world = drystone.World(boxes)
    world.add_body({"sphere": {"radius": 0.1}}, name="bob", position=[5, 4, 0], mass=2.0)
    world.add_joint("hinge", ["bob", "world"], anchor=[5, 5, 0], axis=[0, 0, 1], name="pivot")
    before = world.to_dict()
    assert before["joints"][0]["reaction"] is None
    report = world.advance(steps=7)
    found = through_json(world)
    assert found == world.to_dict() and found["state_hash"] == world.state_hash
    assert [b["name"] for b in found["bodies"]] == world.names
    assert np.array_equal([b["position"] for b in found["bodies"]], world.positions)
    assert np.array_equal([b["angular_velocity"] for b in found["bodies"]], world.angular_velocities)
    assert found["time"] == world.time == pytest.approx(0.07)
    bob, pivot = found["bodies"][-1], found["joints"][0]
    assert (bob["kind"], bob["mass"]) == ("dynamic", pytest.approx(2.0))
    assert pivot["bodies"] == ["bob", "world"] and len(pivot["coordinates"]) == 1
    # a hanging bob pulls with its weight
    assert math.hypot(*pivot["reaction"]["force"]) == pytest.approx(2.0 * 9.81, rel=1e-6)
    told = through_json(report)
    assert told["contacts"] == report.contacts and set(told["seconds"]) == set(report.seconds())
    assert set(told) == {n for n in dir(report) if not n.startswith("_")} - {"from_dict", "to_dict", "times"}


def test_contacts_events_hits_and_solutions_are_tables(boxes):
    world = drystone.World(boxes)
    world.keep_events()
    world.advance(steps=3)
    contacts = through_json(world.contacts())
    assert np.allclose(contacts["normals"], world.contacts().normals, rtol=0, atol=0)
    began = through_json(world.events())[0]
    assert began["kind"] == "touch-began" and len(began["touch"]["point"]) == 3 and began["tick"] is None
    hits = through_json(world.cast_rays([0.1, 9, 0.1], [0, -1, 0]))
    assert hits["distances"] == [pytest.approx(6.0, abs=0.01)]
    solution = through_json(drystone.lcp.solve(np.eye(2), np.array([-1.0, 2.0]), solver="lemke"))
    assert solution["x"] == [1.0, 0.0] and solution["status"] == "converged"
    # a snapshot's tables are those that it is read from
    snapshot = world.snapshot()
    again = world.read_snapshot(json.dumps(drystone.to_plain(snapshot)))
    hash_then = world.state_hash
    world.advance(steps=5)
    world.restore(again)
    assert world.state_hash == hash_then
    for odd in (object(), {"a": {1, 2}}, [lambda: None]):
        with pytest.raises(drystone.InputError, match="to_plain"):
            drystone.to_plain(odd)


def test_scenes_are_tables_that_can_be_changed(tmp_path):
    scene = drystone.load_scene("wall")
    assert scene["scene"]["name"] == "wall"
    hash_of = drystone.run("wall", steps=5)["state_hash"]
    assert drystone.run(scene, steps=5)["state_hash"] == hash_of
    (tmp_path / "wall.json").write_text(json.dumps(scene))
    assert drystone.run(tmp_path / "wall.json", steps=5)["state_hash"] == hash_of
    scene["scene"]["gravity"] = [0, -1, 0]
    assert drystone.run(scene, steps=5)["state_hash"] != hash_of
    text = '[scene]\nname = "a \\"b\\" ü"\n[[bodies]]\nname = "x"\nshape = { sphere = { radius = 1e-3 } }\nposition = [inf, -inf, 0]\n'
    found = drystone.load_scene(text)
    assert found["scene"] == {"name": 'a "b" ü'}
    assert (
        found["bodies"][0]["position"] == [math.inf, -math.inf, 0]
        and found["bodies"][0]["shape"]["sphere"]["radius"] == 1e-3
    )
    with pytest.raises(drystone.InputError, match="did you mean 'wall'"):
        drystone.load_scene("wal")
    with pytest.raises(drystone.SceneError):
        drystone.load_scene("scene = [\n")


def test_every_bundled_scene_survives_the_way_through_tables():
    for name in drystone.bundled_scenes():
        drystone.check(drystone.load_scene(name))


def test_errors_name_the_body(boxes):
    world = drystone.World(boxes)
    with pytest.raises(drystone.InputError, match=r"body 'box\[1\]'.*velocity must be finite"):
        world["box[1]"].linear_velocity = [math.nan, 0, 0]
    with pytest.raises(drystone.InputError, match="body 'ground'.*not dynamic"):
        world["ground"].apply_impulse([1, 0, 0])
    added = world.add_body({"sphere": {"radius": 0.1}}, name="late", position=[9, 9, 9])
    with pytest.raises(drystone.InputError, match="body 'late'.*position must be finite"):
        added.position = [math.inf, 0, 0]
