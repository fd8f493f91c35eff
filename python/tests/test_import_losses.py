"""What descriptions say is in the scene, or in a note: who meets whom, how things move, what they are called."""

import numpy as np
import pytest

import drystone
from drystone import importers
from drystone.__main__ import main


def meeting(scene):
    """Pairs of bodies (names) of a scene that contact acts between."""
    bodies = scene["bodies"]
    apart = {frozenset(pair["between"]) for pair in scene.get("ignore_pairs", [])}
    apart |= {frozenset(j["bodies"]) for j in scene["joints"] if not j.get("collide")}
    groups = [(b.get("membership", 1), b.get("mask", 0xFFFFFFFF), b.get("layer", 0), b.get("kind")) for b in bodies]
    found = set()
    for k, (one, mask, layer, kind) in enumerate(groups):
        for other, (two, mask2, layer2, kind2) in zip(bodies[:k], groups[:k]):
            pair = frozenset((bodies[k]["name"], other["name"]))
            if one & mask2 and two & mask and layer == layer2 and not kind == kind2 == "fixed" and pair not in apart:
                found.add(pair)
    return found


def random_tree(rng):
    """A model of overlapping balls, with welds, joints, masks, excluded and explicit pairs."""
    classes = [(int(rng.integers(0, 4)), int(rng.integers(0, 4))) for _ in range(3)] + [(1, 1)]
    text, count = ["<mujoco><worldbody><geom name='floor' size='0.5'/>"], int(rng.integers(4, 9))

    def body(number, depth):
        contype, conaffinity = classes[rng.integers(len(classes))]
        joint = ["", "<joint/>", "<joint/><joint axis='0 1 0' type='slide'/>", "<joint type='ball'/>"][rng.integers(4)]
        if depth == 0 and rng.random() < 0.3:
            joint = "<freejoint/>"
        text.append(f"<body name='b{number}'>{joint}<geom size='0.5' contype='{contype}' conaffinity='{conaffinity}'/>")
        number += 1
        while number < count and rng.random() < 0.55:
            number = body(number, depth + 1)
        text.append("</body>")
        return number

    number = 0
    while number < count:
        number = body(number, 0)
    text.append("</worldbody><contact>")
    first, second = rng.choice(number, 2, replace=False)
    text.append(f"<exclude body1='b{first}' body2='b{second}'/></contact></mujoco>")
    return "".join(text)


def test_bodies_meet_as_mujocos_do(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    rng, ignored, masked, fused = np.random.default_rng(5), 0, 0, 0
    for case in range(60):
        text = random_tree(rng)
        path = tmp_path / "tree.xml"
        path.write_text(text)
        model = mujoco.MjModel.from_xml_path(str(path))
        # all balls overlap, so every pair that may meet does
        model.geom_size[:, 0] *= 1 + 0.01 * np.arange(model.ngeom)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        names = ["floor", *(model.body(i).name for i in range(1, model.nbody))]
        owner = model.geom_bodyid
        theirs = {frozenset(names[owner[g]] for g in contact.geom) for contact in data.contact}
        imported = importers.load(path)
        scene, body_of = imported.scene, dict(zip(names, names))
        for i in range(1, model.nbody):
            if any(names[i] in n.subjects for n in imported.notes if "welded" in n.what):
                body_of[names[i]] = body_of[names[model.body_parentid[i]]]
                fused += 1
        theirs = {pair for pair in (frozenset(body_of[n] for n in pair) for pair in theirs) if len(pair) == 2}
        fixed = {b["name"] for b in scene["bodies"] if b.get("kind") == "fixed"}
        theirs = {pair for pair in theirs if not pair <= fixed}
        # what overlaps what it hangs on, which is fixed, is told
        held = {frozenset(s.split(" and ")) for n in imported.notes if "overlap" in n.what for s in n.subjects}
        assert held <= theirs and all(pair & fixed for pair in held)
        assert meeting(scene) == theirs - held, f"case {case}: {text}"
        ignored += len(scene.pop("ignore_pairs", []))
        masked += any("mask" in b for b in scene["bodies"])
    assert ignored > 60 and masked > 20 and fused > 5, "the cases are of the kind that is tested"


def test_more_classes_than_groups_are_pairs(tmp_path):
    pytest.importorskip("mujoco")
    balls = (
        f"<body name='b{k}'><freejoint/><geom size='0.1' contype='{1 << k % 30}' conaffinity='{1 << (k + 1) % 30}'/></body>"
        for k in range(40)
    )
    path = tmp_path / "many.xml"
    path.write_text(f"<mujoco><worldbody>{''.join(balls)}</worldbody></mujoco>")
    scene = importers.load(path).scene
    wanted = {frozenset((f"b{a}", f"b{b}")) for a in range(40) for b in range(a) if abs(a % 30 - b % 30) in (1, 29)}
    assert meeting(scene) == wanted


def test_the_hip_of_a_body_with_two_hinges_holds(tmp_path):
    pytest.importorskip("mujoco")
    # the axes are not at a right angle, so there is a carrier between parent and child, which overlap
    path = tmp_path / "hip.xml"
    path.write_text(
        "<mujoco><worldbody><body name='pelvis' pos='0 0 2'><geom type='sphere' size='.15'/><body name='thigh' pos='0 0 -.05'>"
        "<joint axis='1 0 0'/><joint axis='0.3 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.4' size='.06'/></body></body></worldbody></mujoco>"
    )
    world = drystone.World(importers.load(path).scene)
    world.advance(steps=500)
    assert abs(world["thigh"].position[2] - 1.95) < 1e-3 and max(j.error[0] for j in world.joints) < 1e-4


def test_flags_of_mjcf_are_heeded(tmp_path):
    pytest.importorskip("mujoco")
    body = "<worldbody><geom size='1'/><body><joint range='-10 10' frictionloss='2' stiffness='3' damping='1'/><geom size='1'/></body></worldbody>"
    path = tmp_path / "flags.xml"
    seen = {}
    for flag in ("gravity", "contact", "limit", "frictionloss", "spring", "damper", "constraint"):
        path.write_text(
            f"<mujoco><compiler autolimits='true'/><option><flag {flag}='disable'/></option>{body}</mujoco>"
        )
        scene = importers.load(path).scene
        seen[flag] = (scene, scene["joints"][0])
    assert seen["gravity"][0]["scene"]["gravity"] == [0, 0, 0] and seen["limit"][0]["scene"]["gravity"][2] == -9.81
    assert not meeting(seen["contact"][0]) and meeting(seen["limit"][0])
    assert "limits" not in seen["limit"][1] and "limits" in seen["contact"][1]
    assert "friction" not in seen["frictionloss"][1] and seen["limit"][1]["friction"] == 2
    assert seen["spring"][1]["spring"]["stiffness"] == 0 and seen["damper"][1]["spring"]["damping"] == 0
    assert not {"limits", "friction"} & seen["constraint"][1].keys() and not meeting(seen["constraint"][0])


def test_friction_of_mjcf_pairs(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "friction.xml"
    path.write_text(
        "<mujoco><worldbody><geom name='ice' type='plane' size='1 1 1' condim='1' friction='0.9'/>"
        "<body name='a'><freejoint/><geom size='1' friction='0.4 0.02 0.001' condim='6'/></body>"
        "<body name='b'><freejoint/><geom size='1' friction='0.1' priority='1'/></body></worldbody></mujoco>"
    )
    scene = importers.load(path).scene
    of = {b["name"]: b["material"] for b in scene["bodies"]}
    pairs = {frozenset(p["between"]): p for p in scene["material_pairs"]}
    assert scene["materials"][of["a"]]["rolling_friction"] == 0.001 and scene["materials"][of["ice"]]["friction"] == 0
    # the larger condim of the two, with the larger coefficient; a higher priority decides alone
    assert pairs[frozenset((of["ice"], of["a"]))]["friction"] == 0.9
    assert pairs[frozenset((of["b"], of["a"]))]["friction"] == 0.1


def test_a_height_field_with_steps_that_differ_is_a_mesh(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(2)
    heights = " ".join(f"{h:.3f}" for h in rng.uniform(0, 1, 12))
    path = tmp_path / "hill.xml"
    path.write_text(
        f"<mujoco><asset><hfield name='h' nrow='3' ncol='4' size='1 2 0.5 1' elevation='{heights}'/></asset>"
        "<worldbody><geom name='hill' type='hfield' hfield='h' pos='0.1 0 1'/></worldbody></mujoco>"
    )
    hill = importers.load(path).scene["bodies"][0]
    corners = np.array(hill["shape"]["mesh"]["vertices"]) + hill["position"]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    met = 0
    for x, y in rng.uniform([-0.85, -1.95], [1.05, 1.95], (60, 2)):
        theirs = 5 - mujoco.mj_ray(
            model, data, np.array([x, y, 5.0]), np.array([0, 0, -1.0]), None, 1, -1, np.zeros(1, np.int32)
        )
        for triangle in hill["shape"]["mesh"]["triangles"]:
            a, b, c = corners[triangle]
            weights = np.linalg.solve(np.stack([a, b, c])[:, :2].T[:, 1:] - a[:2, None], np.array([x, y]) - a[:2])
            if weights.min() > 0 and weights.sum() < 1:
                met += 1
                assert a[2] + weights @ [b[2] - a[2], c[2] - a[2]] == pytest.approx(theirs, abs=1e-6)
                assert np.cross(b - a, c - a)[2] > 0, "seen from above"
    assert met == 60


ROBOT = """

<?xml version="1.0"?>
<robot name="r"><link name="base"><collision><geometry><box size="1 1 .1"/></geometry></collision></link>
<link name="l"><contact><lateral_friction value="0.9"/><restitution value="0.8"/><stiffness value="3"/></contact>
<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><capsule radius=".1" length=".3"/></geometry></collision></link>
<link name="m"><inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius=".2"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l"/><origin xyz="0 0 .5"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="spherical"><parent link="l"/><child link="m"/></joint></robot>"""


def test_what_bullet_adds_to_urdf(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    imported = importers.load(path)
    bodies = {b["name"]: b for b in imported.scene["bodies"]}
    assert bodies["l"]["shape"]["compound"]["parts"][0]["shape"] == {"capsule": {"radius": 0.1, "half_height": 0.15}}
    surface = imported.scene["materials"][bodies["l"]["material"]]
    assert surface == {"friction": 0.9, "restitution": 0.8, "friction_rule": "multiply", "restitution_rule": "multiply"}
    assert [n.subjects for n in imported.notes if "stiffness" in n.what] == [("l",)]
    assert {j["name"]: j["kind"] for j in imported.scene["joints"]} == {"j": "hinge", "k": "ball"}
    # its links do not meet each other, but meet what comes later
    assert not meeting(imported.scene)
    later = {"name": "later", "shape": {"sphere": {"radius": 1.0}}}
    assert len(meeting({**imported.scene, "bodies": [*imported.scene["bodies"], later]})) == 3
    assert meeting(importers.load(path, self_collision=True).scene) == {frozenset(("base", "m"))}
    assert imported.scene["simulation"]["paradigm"] == "real-time"


def test_names_that_clash_are_told_apart(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "names.xml"
    path.write_text(
        "<mujoco><worldbody><geom name='a' size='1'/><body name='a'><joint/><geom size='1'/><body><joint name='joint0'/><geom size='1'/></body></body></worldbody></mujoco>"
    )
    imported = importers.load(path)
    world = drystone.World(imported.scene)
    assert len(set(world.names)) == 3 and len({j.name for j in world.joints}) == 2
    assert any("taken" in n.what and "a" in n.subjects for n in imported.notes)


def test_strict_import_fails_on_a_loss_alone(tmp_path, capsys):
    pytest.importorskip("mujoco")
    path, out = tmp_path / "model.xml", tmp_path / "scene.toml"
    body = "<body><joint name='knee' {}/><geom size='1'/></body>"
    path.write_text(f"<mujoco><worldbody><light/><camera/>{body.format('')}</worldbody></mujoco>")
    assert main(["import", str(path), "-o", str(out), "--strict"]) == 0 and out.exists()
    assert "note: " in capsys.readouterr().err, "what nobody misses is told"
    out.unlink()
    path.write_text(f"<mujoco><option density='3'/><worldbody>{body.format('')}</worldbody></mujoco>")
    assert main(["import", str(path), "-o", str(out), "--strict"]) == 2 and not out.exists()
    assert "medium" in capsys.readouterr().err
    assert main(["import", str(path), "-o", str(out)]) == 0 and out.exists()


def test_what_is_welded_to_the_world_does_not_push_its_children_out_of_their_joints(tmp_path):
    pytest.importorskip("mujoco")
    rng, path = np.random.default_rng(4), tmp_path / "base.xml"
    for depth in rng.uniform(0.02, 0.1, 6):
        # the base rests, so MuJoCo lets the arm meet it: softly, and so without a way out
        text = "<mujoco><worldbody><body name='base'><geom size='0.2'/><body name='arm' pos='0 0 {:.3f}'><joint axis='0 1 0'/><geom size='0.1' pos='0 0 0.1'/></body></body></worldbody></mujoco>"
        path.write_text(text.format(0.2 - depth))
        imported = importers.load(path)
        assert any("overlap" in n.what and n.subjects == ("base and arm",) for n in imported.notes)
        world = drystone.World(imported.scene)
        world.advance(steps=50)
        assert max(j.error[0] for j in world.joints) < 1e-6
    path.write_text(text.format(0.3))
    apart = importers.load(path)
    assert not apart.notes and meeting(apart.scene) == {frozenset(("base", "arm"))}


def test_models_of_nothing_and_slim_tensors_are_scenes(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "empty.xml"
    path.write_text("<mujoco><worldbody/></mujoco>")
    drystone.check(importers.load(path).toml())
    slim = "<inertial pos='0 0 0' mass='1e-9' diaginertia='3e-13 3e-13 3e-13'/><geom size='0.01'/>"
    path.write_text(f"<mujoco><worldbody><body><joint axis='1 1 0' armature='2'/>{slim}</body></worldbody></mujoco>")
    imported = importers.load(path)
    drystone.check(imported.toml())
    assert any("moments of inertia" in n.what and n.subjects == ("body1",) for n in imported.notes)


def test_urdf_with_odd_numbers_and_soft_bodies_is_read(tmp_path):
    path = tmp_path / "odd.urdf"
    origin = "<origin xyz='1 2 3 4' rpy='$(optenv TURN)'/>"
    path.write_text(
        f"<robot name='r'><link name='a'><collision>{origin}<geometry><sphere radius='1'/></geometry></collision></link></robot>"
    )
    imported = importers.load(path)
    assert imported.scene["bodies"][0]["shape"]["compound"]["parts"][0]["position"] == [1, 2, 3]
    assert {n.subjects for n in imported.notes if "wanted" in n.what} == {('xyz="1 2 3 4"',), ('rpy="$(optenv TURN)"',)}
    path.write_text("<robot name='r'/>")
    assert importers.load(path).scene["bodies"] == []
    path.write_text("<robot name='r'><deformable name='sponge'/></robot>")
    assert [n.subjects for n in importers.load(path).notes] == [("sponge",)]


def test_a_joint_whose_limits_leave_zero_out_starts_at_an_end(tmp_path):
    rng, path = np.random.default_rng(6), tmp_path / "elbow.urdf"
    solid = "<inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>"
    for lower in rng.uniform(0.2, 1.5, 5):
        path.write_text(
            f"<robot name='r'><link name='a'>{solid}</link><link name='b'>{solid}</link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
            f"<axis xyz='0 1 0'/><origin xyz='0.5 0 0'/><limit lower='{lower}' upper='2' effort='1' velocity='1'/></joint></robot>"
        )
        imported = importers.load(path, fixed_base=True)
        assert imported.scene["joints"][0]["limits"] == pytest.approx({"lower": 0, "upper": 2 - lower})
        assert [n.subjects for n in imported.notes if "leave zero out" in n.what] == [("joint j",)]
        assert importers.load(path, configuration={"j": 1.8}).scene["joints"][0]["limits"]["upper"] == pytest.approx(
            0.2
        )


def test_welded_links_are_one_body_with_the_mass_of_all(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    rng, path = np.random.default_rng(9), tmp_path / "welds.xml"

    def body(depth):
        pos, turn = (" ".join(f"{v:.3f}" for v in rng.uniform(-r, r, 3)) for r in (0.3, 90))
        size = " ".join(f"{v:.3f}" for v in rng.uniform(0.02, 0.1, 3))
        below = "".join(body(depth + 1) for _ in range(int(rng.integers(0, 3)))) if depth < 3 else ""
        joint = "<freejoint/>" if depth == 0 else ""
        return f"<body pos='{pos}' euler='{turn}'>{joint}<geom type='box' size='{size}' pos='{pos}'/>{below}</body>"

    for _ in range(8):
        path.write_text(f"<mujoco><worldbody>{body(0)}</worldbody></mujoco>")
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        (ours,) = importers.load(path).scene["bodies"]
        assert ours["mass"] == pytest.approx(model.body_subtreemass[1])
        # the mass matrix of a free joint has the tensor about the body's origin, in its axes
        full = np.zeros((6, 6))
        mujoco.mj_fullM(model, full, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, full)
        x, y, z = ours["center_of_mass"]
        (xx, yy, zz), (xy, xz, yz) = ours["inertia"], ours.get("products_of_inertia", (0, 0, 0))
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - ours["mass"] * cross @ cross
        np.testing.assert_allclose(tensor, full[3:, 3:], atol=1e-9)
