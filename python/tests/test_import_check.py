"""Models against MuJoCo's motion, and whole folders of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from drystone import importers
from drystone.__main__ import main


def random_mechanism(rng):
    """Chains of bodies on hinges, slides and universal joints, with springs, dampers, servos and rotors at the first joint."""
    actuators = []

    def joint(name, axis, kind, root):
        spring = (
            f"stiffness='{rng.uniform(0, 20):.3f}' springref='{rng.uniform(-30, 30):.2f}'" if rng.random() < 0.5 else ""
        )
        damping = f"damping='{rng.uniform(0, 0.5):.3f}'" if rng.random() < 0.5 else ""
        rotor = f"armature='{rng.uniform(0, 0.1):.3f}'" if root else ""
        if rng.random() < 0.4:
            actuators.append(f"<position joint='{name}' kp='{rng.uniform(1, 20):.2f}' kv='{rng.uniform(0, 1):.3f}'/>")
        axis = " ".join(map(str, axis))
        return f"<joint name='{name}' type='{kind}' axis='{axis}' {spring} {damping} {rotor}/>"

    def body(depth, name):
        kind = rng.choice(["hinge", "slide", "universal"]) if depth else rng.choice(["hinge", "slide"])
        one, other = rng.normal(size=3), rng.normal(size=3)
        if kind == "universal":
            other -= one * (one @ other) / (one @ one)
            joints = joint(f"{name}u", one, "hinge", False) + joint(f"{name}v", other, "hinge", False)
        else:
            joints = joint(f"{name}j", one, kind, depth == 0)
        at = " ".join(f"{v:.3f}" for v in rng.uniform(-0.3, 0.3, 3))
        size = " ".join(f"{v:.3f}" for v in rng.uniform(0.03, 0.1, 3))
        below = body(depth + 1, f"{name}a") if depth < 2 else ""
        return f"<body name='{name}' pos='{at}'>{joints}<geom type='box' size='{size}' pos='{at}'/>{below}</body>"

    trees = "".join(body(0, f"t{k}") for k in range(2))
    return f"<mujoco><worldbody>{trees}</worldbody><actuator>{''.join(actuators)}</actuator></mujoco>"


def test_free_motion_is_mujocos_where_nothing_is_noted(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    from drystone.importers import campaign

    rng, apart, without = np.random.default_rng(8), [], []
    for _ in range(12):
        path = tmp_path / "mechanism.xml"
        path.write_text(random_mechanism(rng))
        imported = importers.load(path)
        assert not [n for n in imported.notes if n.about == "motion"]
        apart.append(campaign.difference(mujoco.MjModel.from_xml_path(str(path)), imported))
        for joint in imported.scene["joints"]:
            joint.pop("spring", None), joint.pop("spring2", None)
        without.append(campaign.difference(mujoco.MjModel.from_xml_path(str(path)), imported))
    assert max(apart) < 1e-3, apart
    assert max(without) > 1e-2, "without springs they would be elsewhere"


def test_a_folder_is_checked(tmp_path, capsys):
    pytest.importorskip("mujoco")
    (tmp_path / "good").mkdir(), (tmp_path / "bad").mkdir()
    (tmp_path / "good/pendulum.xml").write_text(
        "<mujoco><worldbody><body name='bob'><joint axis='0 1 0'/><geom size='0.1' pos='0.5 0 0'/></body></worldbody></mujoco>"
    )
    (tmp_path / "good/part.xml").write_text("<mujocoinclude><body/></mujocoinclude>")
    (tmp_path / "bad/broken.gltf").write_text('{"nodes": [')
    rows = tmp_path / "rows.jsonl"
    assert main(["import-check", str(tmp_path), "--seconds", "0.1", "--json", str(rows)]) == 1
    said = capsys.readouterr().out
    assert "good/pendulum.xml" in said and "cannot be read" in said and "no model" in said
    found = {Path(r["file"]).name: r for r in map(json.loads, rows.read_text().splitlines())}
    pendulum = found["pendulum.xml"]
    assert (
        pendulum["run"] == "ok" and pendulum["apart"] < 1e-4 and pendulum["gap"] < 1e-6 and pendulum["mujoco_step"] > 0
    )
    assert main(["import-check", str(tmp_path / "good"), "--seconds", "0.1"]) == 0
