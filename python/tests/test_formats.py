"""Motions for other programs, and USD physics as scenes."""

import json

import numpy as np
import pytest

import drystone


@pytest.fixture(scope="module")
def fall():
    world = drystone.World("two-balls", record=True)
    world.advance(steps=40)
    return world


def test_mcap_has_the_recorded_motion(fall, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    fall.save(tmp_path / "fall.mcap")
    frames, seen, figures, scene = fall.frames, [], [], []
    with (tmp_path / "fall.mcap").open("rb") as file:
        for schema, channel, message in reader.make_reader(file).iter_messages():
            content = json.loads(message.data)
            if channel.topic == "/tf":
                assert schema.name == "foxglove.FrameTransforms"
                seen.append((message.log_time, content["transforms"]))
            elif channel.topic == "/figures":
                figures.append(content)
            else:
                scene.append(content)
    assert len(seen) == len(figures) == len(frames.time) and len(scene) == 1
    for i, (time, transforms) in enumerate(seen):
        assert time == round(frames.time[i] * 1e9)
        assert [t["child_frame_id"] for t in transforms] == fall.names
        np.testing.assert_array_equal([[t["translation"][k] for k in "xyz"] for t in transforms], frames.positions[i])
        np.testing.assert_array_equal([[t["rotation"][k] for k in "xyzw"] for t in transforms], frames.orientations[i])
        assert figures[i]["kinetic"] == frames.kinetic[i]
    for entity, name in zip(scene[0]["entities"], fall.names):
        (shape,) = entity["triangles"]
        assert entity["frame_id"] == name and entity["frame_locked"]
        assert max(shape["indices"]) == len(shape["points"]) - 1 and len(shape["indices"]) % 3 == 0


def test_usd_has_the_recorded_motion(fall, tmp_path):
    usd = pytest.importorskip("pxr.Usd")
    geom = pytest.importorskip("pxr.UsdGeom")
    for name in ("fall.usda", "fall.usdc"):
        fall.save(tmp_path / name)
        stage = usd.Stage.Open(str(tmp_path / name))
        frames = fall.frames
        prims = [p for p in stage.Traverse() if p.IsA(geom.Mesh)]
        assert [p.GetDisplayName() for p in prims] == fall.names
        for i in (0, len(frames.time) // 2, len(frames.time) - 1):
            cache = geom.XformCache(usd.TimeCode(stage.GetTimeCodesPerSecond() * frames.time[i]))
            found = [np.array(cache.GetLocalToWorldTransform(p))[3, :3] for p in prims]
            np.testing.assert_allclose(found, frames.positions[i], atol=1e-12)
        ball = geom.Mesh(prims[1])
        assert len(ball.GetFaceVertexIndicesAttr().Get()) == 3 * len(ball.GetFaceVertexCountsAttr().Get())
        radii = np.linalg.norm(np.array(ball.GetPointsAttr().Get()), axis=1)
        np.testing.assert_allclose(radii, radii[0], rtol=1e-5)


def test_other_formats_of_a_motion(fall, tmp_path):
    fall.save(tmp_path / "fall.gltf")
    assert json.loads((tmp_path / "fall.gltf").read_text())["animations"]
    fall.save(tmp_path / "fall.html")
    assert "<html" in (tmp_path / "fall.html").read_text()
    with pytest.raises(drystone.InputError, match="allowed:"):
        fall.save(tmp_path / "fall.bvh")
    # a world that recorded nothing is written as it stands
    pytest.importorskip("mcap")
    drystone.World("two-balls").save(tmp_path / "still.mcap")
    assert (tmp_path / "still.mcap").stat().st_size > 1000


@pytest.fixture
def stage():
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    # centimetres, turned and scaled groups
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdPhysics.Scene.Define(stage, "/physics")
    group = UsdGeom.Xform.Define(stage, "/group")
    group.AddTranslateOp().Set((100, 0, 300))
    group.AddRotateXYZOp().Set((20, 30, 40))
    return stage


def rigid(stage, path, shape, place, rotation=(0, 0, 0), scale=(1, 1, 1)):
    from pxr import UsdPhysics

    made = shape.Define(stage, path)
    made.AddTranslateOp().Set(tuple(place))
    made.AddRotateXYZOp().Set(tuple(rotation))
    made.AddScaleOp().Set(scale)
    UsdPhysics.RigidBodyAPI.Apply(made.GetPrim())
    UsdPhysics.CollisionAPI.Apply(made.GetPrim())
    return made


def imported(stage, tmp_path, **options):
    stage.Export(str(tmp_path / "model.usda"))
    return drystone.importers.load(tmp_path / "model.usda", **options)


def test_usd_bodies_are_where_pixars_library_has_them(stage, tmp_path):
    from pxr import UsdGeom, UsdPhysics

    rng = np.random.default_rng(5)
    shapes = (UsdGeom.Cube, UsdGeom.Sphere, UsdGeom.Capsule, UsdGeom.Cylinder, UsdGeom.Cone)
    for i, shape in enumerate(shapes * 4):
        place, turn = rng.uniform(-500, 500, 3).tolist(), rng.uniform(-180, 180, 3).tolist()
        size = float(rng.uniform(5, 30))
        rigid(stage, f"/group/b{i}", shape, place, turn, (size, size, size))
    UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/group/b0")).CreateMassAttr(7.0)
    found = imported(stage, tmp_path)
    world = drystone.World(found.scene)
    cache = UsdGeom.XformCache()
    for body in world.bodies:
        m = np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(body.name))).T
        np.testing.assert_allclose(body.position, 0.01 * m[:3, 3], atol=1e-9)
        x, y, z, w = body.orientation
        axis = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)])
        np.testing.assert_allclose(axis, m[:3, 0] / np.linalg.norm(m[:3, 0]), atol=1e-9)
    assert world.body("/group/b0").mass == pytest.approx(7.0)
    # of the density of water: a ball of the radius of its scale
    size = 0.01 * np.linalg.norm(np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath("/group/b1")))[0, :3])
    assert world.body("/group/b1").mass == pytest.approx(1000 * 4 / 3 * np.pi * size**3, rel=1e-9)
    np.testing.assert_allclose(world.gravity, [0, 0, -9.81])
    assert any("homogeneous" in str(n) for n in found.notes)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_round_usd_shapes_lie_along_their_axes(stage, tmp_path, axis):
    from pxr import UsdGeom

    along = np.eye(3)["XYZ".index(axis)]
    across = np.roll(along, 1)
    for i, shape in enumerate((UsdGeom.Cone, UsdGeom.Cylinder, UsdGeom.Capsule)):
        made = rigid(stage, f"/b{i}", shape, (1000.0 * i, 0, 0))
        made.CreateAxisAttr(axis)
        made.CreateRadiusAttr(20.0)
        made.CreateHeightAttr(100.0)
    world = drystone.World(imported(stage, tmp_path).scene)
    # from above along the axis, 15 of 20 cm beside it: a quarter of the cone's height above its base, the cylinder's lid, the cap
    tops = (-0.25, 0.5, 0.5 + np.sqrt(0.2**2 - 0.15**2))
    for i, top in enumerate(tops):
        centre = np.array([10.0 * i, 0, 0])
        hit = world.cast_rays(centre + 0.15 * across + 2.0 * along, -along)
        assert hit.bodies[0] == i and hit.distances[0] == pytest.approx(2.0 - top, abs=1e-9)


def test_a_usd_pendulum_swings_within_its_limits(stage, tmp_path):
    from pxr import Gf, UsdGeom, UsdPhysics

    bob = rigid(stage, "/bob", UsdGeom.Sphere, (100, 0, 200))
    mass = UsdPhysics.MassAPI.Apply(bob.GetPrim())
    mass.CreateMassAttr(2.0)
    mass.CreateDiagonalInertiaAttr((1.0, 1.0, 1.0))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    hinge.CreateBody1Rel().SetTargets(["/bob"])
    hinge.CreateLocalPos0Attr((0, 0, 200))
    hinge.CreateLocalPos1Attr((-100, 0, 0))
    hinge.CreateLocalRot0Attr(Gf.Quatf(1.0))
    hinge.CreateLocalRot1Attr(Gf.Quatf(1.0))
    hinge.CreateAxisAttr("Y")
    hinge.CreateLowerLimitAttr(-10.0)
    hinge.CreateUpperLimitAttr(30.0)
    found = imported(stage, tmp_path)
    world = drystone.World(found.scene, paradigm="mechanism")
    (joint,) = world.joints
    assert joint.kind == "hinge" and set(joint.bodies) == {"world", "/bob"}
    world.advance(0.001, steps=100)
    # let go level at 1 m: I = m l^2 + 1 kg cm^2, one degree is a tenth of the fall
    inertia = 2.0 * 1.0 + 1e-4
    assert np.hypot(*world["/bob"].position[[0]], world["/bob"].position[2] - 2.0) == pytest.approx(1.0, abs=1e-6)
    fallen = np.arctan2(2.0 - world["/bob"].position[2], world["/bob"].position[0])
    assert fallen == pytest.approx(0.5 * 2.0 * 9.81 / inertia * 0.1**2, rel=0.02)
    world.advance(0.001, steps=3000)
    fallen = np.degrees(np.arctan2(2.0 - world["/bob"].position[2], world["/bob"].position[0]))
    assert fallen == pytest.approx(30.0, abs=0.2)


def test_usd_sliders_ropes_and_what_is_left_out(stage, tmp_path):
    from pxr import UsdGeom, UsdPhysics, UsdShade

    rigid(stage, "/cart", UsdGeom.Cube, (0, 0, 50), scale=(10, 10, 10))
    rail = UsdPhysics.PrismaticJoint.Define(stage, "/rail")
    rail.CreateBody1Rel().SetTargets(["/cart"])
    rail.CreateLocalPos0Attr((0, 0, 50))
    rail.CreateAxisAttr("Z")
    rail.CreateLowerLimitAttr(-20.0)
    rail.CreateUpperLimitAttr(20.0)
    rigid(stage, "/ball", UsdGeom.Sphere, (200, 0, 100), scale=(5, 5, 5))
    rope = UsdPhysics.DistanceJoint.Define(stage, "/rope")
    rope.CreateBody1Rel().SetTargets(["/ball"])
    rope.CreateLocalPos0Attr((200, 0, 150))
    rope.CreateMaxDistanceAttr(80.0)
    floor = UsdGeom.Plane.Define(stage, "/floor")
    UsdPhysics.CollisionAPI.Apply(floor.GetPrim())
    ice = UsdShade.Material.Define(stage, "/ice")
    surface = UsdPhysics.MaterialAPI.Apply(ice.GetPrim())
    surface.CreateStaticFrictionAttr(0.2)
    surface.CreateDynamicFrictionAttr(0.1)
    UsdShade.MaterialBindingAPI.Apply(floor.GetPrim()).Bind(ice, materialPurpose="physics")
    UsdPhysics.Joint.Define(stage, "/any").CreateBody1Rel().SetTargets(["/ball"])
    found = imported(stage, tmp_path)
    told = " ".join(map(str, found.notes))
    assert "/any" in told and "/ice" in told
    assert found.scene["materials"]["/ice"]["friction"] == pytest.approx(0.1)
    world = drystone.World(found.scene)
    world.advance(0.005, steps=600)
    # the cart falls to its lower limit, the ball to the end of its rope
    assert world["/cart"].position[2] == pytest.approx(0.3, abs=2e-3)
    assert world["/ball"].position[2] == pytest.approx(0.7, abs=5e-3)
    scene = tmp_path / "scene.toml"
    found.save(scene)
    assert drystone.World(scene).names == world.names


def test_a_usd_file_without_physics_is_refused(stage, tmp_path):
    with pytest.raises(drystone.InputError, match="PhysicsRigidBodyAPI"):
        imported(stage, tmp_path)
    (tmp_path / "broken.usda").write_text("#usda 1.0\n(")
    with pytest.raises(drystone.InputError, match="cannot be read"):
        drystone.importers.load(tmp_path / "broken.usda")


def test_parquet_has_the_recorded_motion_and_the_settings(fall, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    fall.save(tmp_path / "fall.parquet")
    table, frames, names = parquet.read_table(tmp_path / "fall.parquet"), fall.frames, fall.names
    assert table.num_rows == len(frames.time) * len(names)
    assert table["body"].to_pylist() == names * len(frames.time)
    column = {
        name: table[name].to_numpy().reshape(len(frames.time), len(names))
        for name in table.column_names
        if name != "body"
    }
    for part, axes in (
        ("position", "xyz"),
        ("orientation", "xyzw"),
        ("linear_velocity", "xyz"),
        ("angular_velocity", "xyz"),
    ):
        recorded = getattr(
            frames, {"position": "positions", "orientation": "orientations"}.get(part, part[:-1] + "ies")
        )
        for k, axis in enumerate(axes):
            np.testing.assert_array_equal(column[f"{part}_{axis}"], recorded[:, :, k])
    np.testing.assert_array_equal(column["kinetic"], np.repeat(frames.kinetic[:, None], len(names), axis=1))
    told = json.loads(table.schema.metadata[b"drystone"])
    assert told["paradigm"] == fall.paradigm and told["modules"] == fall.info["modules"]
    still = drystone.World("two-balls")
    still.save(tmp_path / "still.parquet")
    now = parquet.read_table(tmp_path / "still.parquet")
    assert now.num_rows == len(names) and "kinetic" not in now.column_names
    np.testing.assert_array_equal(now["position_y"].to_numpy(), still.positions[:, 1])
