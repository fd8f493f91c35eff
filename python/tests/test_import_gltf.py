"""glTF scenes with KHR_physics_rigid_bodies and KHR_implicit_shapes."""

import json

import numpy as np
import pytest
from test_import_losses import meeting

import drystone
from drystone import importers


def gltf(tmp_path, nodes, **physics):
    """A file with these nodes: `node` keys, with what the physics extension has of them under `physics`."""
    listed = [
        {**{k: v for k, v in n.items() if k != "physics"}, "extensions": {"KHR_physics_rigid_bodies": n["physics"]}}
        if "physics" in n
        else n
        for n in nodes
    ]
    shapes = [
        {"type": "box", "box": {"size": [1, 1, 1]}},
        {"type": "sphere", "sphere": {"radius": 0.5}},
        {"type": "cylinder", "cylinder": {"height": 1, "radiusBottom": 0.5, "radiusTop": 0}},
    ]
    path = tmp_path / "scene.gltf"
    extensions = {"KHR_implicit_shapes": {"shapes": shapes}, "KHR_physics_rigid_bodies": physics}
    scenes = [{"nodes": list(range(len(nodes)))}]
    path.write_text(
        json.dumps(
            {"asset": {"version": "2.0"}, "nodes": listed, "extensions": extensions, "scenes": scenes, "scene": 0}
        )
    )
    return path


def collider(shape, **keys):
    return {"geometry": {"shape": shape}, **keys}


def test_bodies_of_a_gltf_scene_with_physics(tmp_path):
    turned = [0, 0, np.sin(0.4), np.cos(0.4)]
    motion = {"mass": 2.0, "linearVelocity": [3, 0, 0], "gravityFactor": 0.5, "inertiaDiagonal": [1, 2, 2.5]}
    nodes = [
        {
            "name": "floor",
            "scale": [10, 1, -10],
            "translation": [0, -0.5, 0],
            "physics": {"collider": collider(0, physicsMaterial=0)},
        },
        {
            "name": "crate",
            "rotation": turned,
            "translation": [0, 4, 0],
            "physics": {"motion": motion, "collider": collider(0, physicsMaterial=1)},
            "children": [2],
        },
        {"name": "cap", "translation": [0, 0.5, 0], "physics": {"collider": collider(2)}},
        {
            "name": "locked",
            "translation": [5, 4, 0],
            "physics": {"motion": {"mass": 1, "inertiaDiagonal": [0, 0, 0]}, "collider": collider(1)},
        },
        {
            "name": "moved",
            "translation": [9, 4, 0],
            "physics": {"motion": {"isKinematic": True, "linearVelocity": [0, 1, 0]}, "collider": collider(1)},
        },
        {"name": "gate", "translation": [-5, 4, 0], "physics": {"trigger": collider(0)}},
    ]
    materials = [{"dynamicFriction": 0.2, "staticFriction": 0.2, "frictionCombine": "multiply"}]
    materials += [{"dynamicFriction": 0.6, "staticFriction": 0.6, "frictionCombine": "average", "restitution": 0.5}]
    imported = importers.load(gltf(tmp_path, nodes, physicsMaterials=materials))
    bodies = {b["name"]: b for b in imported.scene["bodies"]}
    assert bodies["floor"]["kind"] == "fixed" and bodies["floor"]["shape"]["box"]["half_extents"] == pytest.approx(
        [5, 0.5, 5]
    )
    np.testing.assert_allclose(bodies["crate"]["linear_velocity"], [3 * np.cos(0.8), 3 * np.sin(0.8), 0], atol=1e-12)
    assert (
        bodies["crate"]["mass"] == 2
        and bodies["crate"]["gravity_scale"] == 0.5
        and bodies["crate"]["inertia"] == [1, 2, 2.5]
    )
    assert ["cone" in p["shape"] for p in bodies["crate"]["shape"]["compound"]["parts"]] == [False, True]
    assert bodies["locked"]["lock_rotation"] and bodies["moved"]["kind"] == "scripted" and bodies["gate"]["sensor"]
    # "average" goes before "multiply" here, after it in a scene
    assert imported.scene["material_pairs"][0]["friction"] == pytest.approx(0.4)
    world = drystone.World(imported.scene)
    world.advance(0.01, steps=100)
    assert world["moved"].position[1] == pytest.approx(5, abs=1e-9) and world["crate"].position[1] < 4


def test_joints_and_filters_of_a_gltf_scene(tmp_path):
    def limit(low, high, **axes):
        return {"min": low, "max": high, **axes}

    point, aligned = limit(0, 0, linearAxes=[0, 1, 2]), limit(0, 0, angularAxes=[0, 1, 2])
    descriptions = {
        "ball": [point],
        "fixed": [point, aligned],
        "hinge": [point, limit(0, 0, angularAxes=[0, 2]), limit(-0.5, 0.7, angularAxes=[1])],
        "slider": [aligned, limit(0, 0, linearAxes=[0, 1]), limit(-1, 2, linearAxes=[2])],
        "six-dof": [aligned, limit(-1, 1, linearAxes=[0])],
    }
    nodes = []
    for k, kind in enumerate(descriptions):
        at = [3.0 * k, 0, 0]
        motion = {"motion": {"mass": 1.0}, "collider": collider(1, collisionFilter=k % 2)}
        nodes.append({"name": kind, "translation": at, "physics": motion})
        nodes.append(
            {"name": f"{kind}-pivot", "translation": at, "physics": {"joint": {"joint": k, "connectedNode": 2 * k}}}
        )
    drive = {"type": "angular", "axis": 1, "stiffness": 4.0, "damping": 0.5, "positionTarget": 0.3}
    joints = [
        {"limits": limits, **({"drives": [drive]} if kind == "hinge" else {})} for kind, limits in descriptions.items()
    ]
    filters = [
        {"collisionSystems": ["a"], "collideWithSystems": ["a"]},
        {"collisionSystems": ["b"], "notCollideWithSystems": ["b"]},
    ]
    imported = importers.load(gltf(tmp_path, nodes, physicsJoints=joints, collisionFilters=filters))
    found = {j["name"].removesuffix("-pivot"): j for j in imported.scene["joints"]}
    assert {name: j["kind"] for name, j in found.items()} == {name: name for name in descriptions}
    assert found["hinge"]["limits"] == pytest.approx({"lower": -0.5, "upper": 0.7}) and found["hinge"]["axis"] == [
        0,
        1,
        0,
    ]
    assert found["hinge"]["spring"] == pytest.approx({"stiffness": 4.0, "damping": 0.5, "rest": 0.3})
    assert found["slider"]["limits"] == pytest.approx({"lower": -1, "upper": 2})
    assert (
        found["six-dof"]["translations"] == [[-1, 1], "free", "free"]
        and found["six-dof"]["rotations"] == ["locked"] * 3
    )
    named = list(descriptions)
    assert meeting(imported.scene) == {frozenset((named[a], named[b])) for a, b in ((0, 2), (0, 4), (2, 4))}
    world = drystone.World(imported.scene)
    world.advance(0.005, steps=50)
    assert max(j.error[0] for j in world.joints) < 1e-6


def test_spoilt_files_are_refused_or_read_and_never_crash(tmp_path):
    limits = [{"min": 0, "max": 0, "linearAxes": [0, 1, 2]}, {"min": -1, "max": 1, "angularAxes": [1]}]
    nodes = [
        {
            "name": "floor",
            "scale": [9, 1, 9],
            "physics": {"collider": collider(0, physicsMaterial=0, collisionFilter=0)},
        },
        {
            "name": "a",
            "translation": [0, 2, 0],
            "children": [2],
            "physics": {"motion": {"mass": 2, "inertiaDiagonal": [1, 1, 1]}, "collider": collider(1)},
        },
        {"name": "pivot", "physics": {"joint": {"joint": 0, "connectedNode": 0}}},
    ]
    path = gltf(
        tmp_path,
        nodes,
        physicsMaterials=[{"dynamicFriction": 0.5}],
        physicsJoints=[{"limits": limits}],
        collisionFilters=[{"collisionSystems": ["x"]}],
    )
    whole, rng, refused = path.read_text(), np.random.default_rng(11), 0
    junk = [None, -1, 1e400, "x", [], {}, [1, 2], {"a": 1}, 99, True, [[0]], [1, 2]]
    for _ in range(400):
        data = json.loads(whole)
        place = data
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = keys[rng.integers(len(keys))]
            if not isinstance(place[key], (dict, list)) or not place[key] or rng.random() < 0.3:
                break
            place = place[key]
        if rng.random() < 0.3:
            del place[key]
        else:
            place[key] = junk[rng.integers(len(junk))]
        path.write_text(json.dumps(data))
        try:
            importers.load(path).toml()
        except drystone.InputError:
            refused += 1
    assert 20 < refused < 380
