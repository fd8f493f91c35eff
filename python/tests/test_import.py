"""Descriptions of robots as scenes: where things are, how they move, what is left out."""

import glob
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import drystone
from drystone import importers
from drystone.__main__ import main
from drystone.importers.parts import quaternion, turn

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.02 0 -0.3" rpy="0.3 0.1 0"/><mass value="2"/>
      <inertia ixx="0.06" iyy="0.05" izz="0.02" ixy="0.002" ixz="-0.001" iyz="0.003"/></inertial>
    <collision><origin xyz="0 0 -0.3"/><geometry><cylinder radius="0.05" length="0.6"/></geometry></collision>
    <visual><geometry><mesh filename="missing.stl"/></geometry></visual>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.2" rpy="0 0.4 0"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision>
  </link>
  <link name="tool"/>
  <link name="slide"><inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0.1 0.2 1" rpy="0.2 0 0.5"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -0.6"/><axis xyz="0.6 0.8 0"/>
    <limit lower="-2" upper="1.5" effort="10" velocity="3"/><dynamics friction="0.1" damping="0.05"/></joint>
  <joint name="tip" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 -0.4"/></joint>
  <joint name="rail" type="prismatic"><parent link="tool"/><child link="slide"/><axis xyz="0 0 1"/>
    <limit lower="-0.1" upper="0.2" effort="1" velocity="1"/><mimic joint="elbow" multiplier="0.1" offset="0.02"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def bodies_of(imported):
    return {b["name"]: b for b in imported.scene["bodies"]}


def test_quaternions_of_rotations():
    rng = np.random.default_rng(0)
    for angle in [0.0, 1e-9, 1.0, 3.0, np.pi, -2.0]:
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        expected = np.append(axis * np.sin(angle / 2), np.cos(angle / 2))
        found = np.array(quaternion(turn(axis, angle)))
        assert min(abs(found - expected).max(), abs(found + expected).max()) < 1e-8


def test_what_a_scene_says_of_an_arm(arm):
    imported = importers.load(arm, configuration={"elbow": 0.5})
    world = drystone.World(imported.scene)
    assert world.names == ["upper", "lower", "slide"]
    assert [(j.name, j.kind, j.bodies) for j in world.joints] == [
        ("shoulder", "hinge", ("world", "upper")),
        ("elbow", "hinge", ("upper", "lower")),
        ("rail", "slider", ("lower", "slide")),
    ]
    np.testing.assert_allclose(world.gravity, [0, 0, -9.81])
    upper = world["upper"]
    assert upper.mass == 2.0
    np.testing.assert_allclose(upper.center_of_mass, [0.02, 0, -0.3])
    # the tensor is given in axes turned by rpy = 0.3, 0.1, 0
    r = turn((0, 1, 0), 0.1) @ turn((1, 0, 0), 0.3)
    tensor = np.array([[0.06, 0.002, -0.001], [0.002, 0.05, 0.003], [-0.001, 0.003, 0.02]])
    np.testing.assert_allclose(upper.inertia, r @ tensor @ r.T, atol=1e-15)
    joints = {j["name"]: j for j in imported.scene["joints"]}
    # coordinates are zero at the start, where the elbow is at 0.5 and the rail at 0.07
    assert joints["elbow"]["limits"] == pytest.approx({"lower": -2.5, "upper": 1.0})
    assert joints["rail"]["limits"] == pytest.approx({"lower": -0.17, "upper": 0.13})
    assert joints["elbow"]["friction"] == 0.1 and joints["elbow"]["spring"] == {"stiffness": 0.0, "damping": 0.05}
    said = "\n".join(map(str, imported.notes))
    for words in ["effort", "mimics another joint", "rail", "visual geometry", "tool", "no geometry", "slide"]:
        assert words in said, words
    assert "missing.stl" not in said, "a mesh that is not used is not missed"


def test_an_arm_moves_as_mujocos_does(arm):
    mujoco = pytest.importorskip("mujoco")
    scene = importers.load(arm, configuration={"shoulder": 0.4, "elbow": 0.3, "rail": 0.05}).scene
    for joint in scene["joints"]:
        joint.pop("friction", None), joint.pop("limits", None), joint.pop("spring", None)
    model = mujoco.MjModel.from_xml_path(str(arm))
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.dof_damping[:], model.dof_frictionloss[:], model.jnt_limited[:] = 0, 0, 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    data = mujoco.MjData(model)
    data.qpos[:] = [0.4, 0.3, 0.05]
    mujoco.mj_forward(model, data)
    world = drystone.World(scene)
    errors = []
    for steps in (0, 500):
        world.advance(1e-3, steps=steps)
        for _ in range(10 * steps):
            mujoco.mj_step(model, data)
        ours = np.array([world[name].position for name in ("upper", "lower", "slide")])
        theirs = np.array([data.body(name).xpos for name in ("upper", "lower", "slide")])
        errors.append(abs(ours - theirs).max())
    # half a second of falling: the start to rounding, the end to the error of a second-order step of a millisecond
    assert errors[0] < 1e-12 and errors[1] < 1e-4, errors


PLANAR = """<mujoco model="planar"><option timestep="0.002"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1" pos="0 0 -0.5" friction="0.7"/>
  <body name="torso" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <joint name="pitch" type="hinge" axis="0 1 0" pos="0 0 0.2" limited="true" range="-90 90" damping="0.1"/>
    <geom type="capsule" fromto="0 0 -0.2 0 0 0.2" size="0.05"/><geom type="sphere" size="0.1" contype="0" conaffinity="0"/>
    <body name="head" pos="0 0 0.3"><geom type="ellipsoid" size="0.1 0.08 0.06"/></body>
    <body name="leg" pos="0.1 0 -0.2"><joint name="hip" type="ball"/><geom type="box" size="0.03 0.03 0.2" pos="0 0 -0.2"/></body>
  </body></worldbody><actuator><motor joint="pitch"/></actuator></mujoco>
"""


def test_several_joints_of_a_body_are_a_chain(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "planar.xml"
    path.write_text(PLANAR)
    imported = importers.load(path, configuration={"x": 0.3, "pitch": 0.5, "hip": [0.5, 0.5, 0.5, 0.5]})
    bodies = bodies_of(imported)
    assert list(bodies) == ["torso/x", "torso/z", "torso", "leg", "floor"], "the head is welded to the torso"
    model = mujoco.MjModel.from_xml_path(str(path))
    total = sum(b.get("mass", 0.0) for b in bodies.values())
    assert total == pytest.approx(model.body_mass.sum())
    said = "\n".join(map(str, imported.notes))
    for words in ["motors", "carrier", "meet nothing", "ellipsoids"]:
        assert words in said, words
    world = drystone.World(imported.scene)
    world.advance(steps=50)
    assert max(j.error[0] for j in world.joints) < 1e-6
    assert abs(world["torso"].position[1]) < 1e-9, "it stays in its plane"


SHAPES = """<mujoco model="shapes"><option density="1.2"/>
  <asset><hfield name="hill" nrow="3" ncol="5" size="2 1 0.5 0.25" elevation="0 0 0 0 0  0 0 1 0 0  0.5 0 0 0 0"/></asset>
  <default><default class="leg"><geom type="capsule" size="0.05 0.3" density="500"/><joint damping="2" range="-45 45" limited="true"/></default></default>
  <worldbody>
    <geom name="ground" type="hfield" hfield="hill" pos="0 0 -3"/>
    <body name="a" pos="0 0 1" gravcomp="0.25"><freejoint/><geom type="cylinder" size="0.1 0.2"/>
      <body name="b" childclass="leg" pos="0 0 0.5"><joint name="knee" axis="0 1 0"/><geom/></body></body>
    <frame pos="1 0 0" euler="0 0 90"><frame pos="1 0 0"><body name="c" pos="0 1 0"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></frame></frame>
    <body name="d" pos="0 2 0"><freejoint/><geom type="sphere" size="0.1"/></body>
    <body name="e" pos="0.5 2 0"><freejoint/><geom type="sphere" size="0.1"/></body>
    <body name="m" mocap="true" pos="5 5 5"><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <contact><exclude body1="a" body2="c"/></contact>
  <equality><connect name="link" body1="d" body2="e" anchor="0.25 0 0"/><weld name="glue" body1="a" body2="d"/><joint name="echo" joint1="knee"/></equality>
</mujoco>"""


def test_what_mjcf_says_of_shapes_pairs_and_bonds(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "shapes.xml"
    path.write_text(SHAPES)
    imported = importers.load(path)
    bodies = bodies_of(imported)
    kinds = {
        name: sorted(p["shape"].keys() for p in b["shape"]["compound"]["parts"])
        for name, b in bodies.items()
        if "compound" in b["shape"]
    }
    assert kinds["a"] == [{"cylinder": 0}.keys()] and kinds["b"] == [{"capsule": 0}.keys()]
    assert bodies["a"]["gravity_scale"] == 0.75 and bodies["m"]["kind"] == "fixed"
    assert imported.scene["ignore_pairs"] == [{"between": ["a", "c"]}]
    joints = {j["name"]: j for j in imported.scene["joints"]}
    assert joints["link"]["kind"] == "ball" and joints["link"]["anchor"] == pytest.approx([0.25, 2, 0])
    assert joints["glue"]["kind"] == "fixed" and joints["knee"]["limits"]["upper"] == pytest.approx(np.pi / 4)
    said = "\n".join(map(str, imported.notes))
    for words in ["medium", "mocap", "echo"]:
        assert words in said, words
    assert "of a kind that bodies cannot have" not in said
    # heights as MuJoCo's own rays find them, along the edges of the cells
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    world = drystone.World(imported.scene)
    along_y = [[x, y, 0.0] for x in (-1.999999, -1, 0, 1) for y in (-0.8, -0.2, 0.3, 0.9)]
    places = np.array(along_y + [[x, 0.0, 0.0] for x in (-1.7, -0.4, 0.3, 1.2)])
    found = world.cast_rays(places, [0, 0, -1], only=["ground"])
    for place, distance in zip(places, found.distances):
        geom = np.zeros(1, np.int32)
        theirs = mujoco.mj_ray(model, data, place, [0.0, 0.0, -1.0], None, 1, -1, geom)
        assert distance == pytest.approx(theirs, abs=2e-6), place
    assert np.ptp(found.distances) > 0.2
    world.advance(1e-3, steps=100)
    assert max(j.error[0] for j in world.joints) < 1e-6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot name='x'><link name='a'>", "cannot be read"),
        ("", "cannot be read"),
        ("<html/>", "allowed: <robot>"),
        ("<robot name='x'><link name='a'/><link name='a'/></robot>", "link a more than once"),
        ("<robot name='x'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
         "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>", "tree"),
        ("<robot name='x'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='z'/></joint></robot>", "'z'"),
        ("<robot name='x'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
         "<axis xyz='0 0 0'/></joint></robot>", "joint 'j': axis"),
    ],
)  # fmt: skip
def test_urdf_that_is_none_is_refused(text, says, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(drystone.InputError, match=says):
        importers.load(path)


def test_names_of_a_gltf_scene_are_bodies(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    lift = trimesh.transformations.translation_matrix([0, 2, 0])
    turned = lift @ trimesh.transformations.rotation_matrix(0.3, [0, 0, 1]) @ np.diag([1, 2, 1, 1.0])
    scene.add_geometry(trimesh.creation.box([1, 1, 1]), node_name="crate", transform=turned)
    scene.add_geometry(trimesh.creation.box([10, 1, 10]), node_name="floor-1")
    path = tmp_path / "room.glb"
    scene.export(path)
    imported = importers.load(path, fixed=["floor*"])
    world = drystone.World(imported.scene)
    assert sorted(world.names) == ["crate", "floor-1"] and world["floor-1"].kind == "fixed"
    np.testing.assert_allclose(world["crate"].position, [0, 2, 0], atol=1e-6)
    assert world["crate"].mass == pytest.approx(2000.0, rel=1e-5)
    np.testing.assert_allclose(world["crate"].orientation[2], np.sin(0.15), atol=1e-6)
    world.advance(0.01, steps=150)
    assert 0.9 < world["crate"].position[1] < 2.0, "it lies on the floor"


def test_the_command_writes_a_scene(arm, tmp_path, capsys):
    out = tmp_path / "scene.toml"
    assert main(["import", str(arm), "-o", str(out), "--joint", "elbow=0.5", "--fixed-base"]) == 0
    said = capsys.readouterr()
    assert "3 bodies, 3 joints" in said.out and "note: " in said.err
    assert "# Not as in the description" in out.read_text()
    drystone.check(out)
    direct = drystone.World(importers.load(arm, configuration={"elbow": 0.5}).scene)
    np.testing.assert_array_equal(drystone.World(out).positions, direct.positions)
    assert main(["import", str(tmp_path / "nothing.urdf"), "-o", str(out)]) == 2
    assert main(["import", str(arm), "-o", str(out), "--joint", "knee=1"]) == 2
    assert "knee" in capsys.readouterr().err
    (tmp_path / "broken.urdf").write_text("<robot name='x'><link")
    assert main(["import", str(tmp_path / "broken.urdf"), "-o", str(out)]) == 2


def test_the_binary_runs_the_importer(arm, tmp_path, drystone_binary):
    out = tmp_path / "scene.toml"
    command = [drystone_binary, "import", str(arm), "-o", str(out), "--joint", "elbow=0.5", "--fixed-base"]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "DRYSTONE_PYTHON": sys.executable}
    )
    assert done.returncode == 0, done.stderr
    assert "3 bodies" in done.stdout and "note: " in done.stderr and out.exists()


def rotation(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def without_limits(scene):
    """A scene whose joints may be anywhere: what is left of their errors is that of their anchors and axes."""
    return {**scene, "joints": [{k: v for k, v in j.items() if k != "limits"} for j in scene["joints"]]}


def urdf_files():
    """Those of the package example-robot-data, where it is installed."""
    folders = [Path(p) / "cmeel.prefix/share/example-robot-data/robots" for p in sys.path]
    return sorted(f for folder in folders for f in glob.glob(f"{folder}/**/*.urdf", recursive=True))


@pytest.mark.long
def test_links_of_known_robots_are_where_yourdfpy_has_them():
    yourdfpy = pytest.importorskip("yourdfpy")
    if not (files := urdf_files()):
        pytest.skip("no robots: pip install --no-deps example-robot-data")
    rng, checked = np.random.default_rng(0), 0
    for file in files:
        try:
            reference = yourdfpy.URDF.load(file, load_meshes=False)
        except Exception:
            with pytest.raises(drystone.InputError):
                importers.load(file)
            continue
        moving = ("revolute", "continuous", "prismatic")
        q = {j.name: rng.uniform(-1, 1) for j in reference.actuated_joints if j.type in moving}
        imported = importers.load(file, configuration=q)
        reference.update_cfg(q)
        world = drystone.World(without_limits(imported.scene))
        for body in world.bodies:
            expected = reference.get_transform(body.name)
            np.testing.assert_allclose(body.position, expected[:3, 3], atol=1e-9, err_msg=f"{file} {body.name}")
            np.testing.assert_allclose(rotation(body.orientation), expected[:3, :3], atol=1e-9)
        assert all(j.error[0] < 1e-9 for j in world.joints)
        checked += 1
    assert checked > 50


def mjcf_files():
    """Those of the package gymnasium, where it is installed."""
    gymnasium = pytest.importorskip("gymnasium")
    return sorted(glob.glob(os.path.join(os.path.dirname(gymnasium.__file__), "envs/mujoco/assets/*.xml")))


def test_bodies_of_known_models_are_where_mujoco_has_them():
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(0)
    for file in mjcf_files():
        model = mujoco.MjModel.from_xml_path(file)
        data, q = mujoco.MjData(model), {}
        for j in range(model.njnt):
            width = (7, 4, 1, 1)[model.jnt_type[j]]
            value = rng.uniform(-1, 1, width)
            if width > 1:
                value[-4:] /= np.linalg.norm(value[-4:])
            q[model.joint(j).name] = value if width > 1 else value[0]
            data.qpos[model.jnt_qposadr[j] : model.jnt_qposadr[j] + width] = value
        mujoco.mj_kinematics(model, data)
        world = drystone.World(without_limits(importers.load(file, configuration=q).scene))
        for i in range(1, model.nbody):
            name = model.body(i).name or f"body{i}"
            if name not in world.names and not model.body_jntnum[i]:
                # welded to the body before it
                continue
            body = world[name]
            np.testing.assert_allclose(body.position, data.xpos[i], atol=1e-9, err_msg=f"{file} {body.name}")
            np.testing.assert_allclose(rotation(body.orientation), data.xmat[i].reshape(3, 3), atol=1e-9)
        assert all(j.error[0] < 1e-9 for j in world.joints)
