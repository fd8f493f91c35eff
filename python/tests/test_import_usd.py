"""USD physics: drives, joints of six axes, pairs that do not meet."""

import numpy as np
import pytest

import drystone
from drystone import importers

STAGE = """#usda 1.0
(metersPerUnit = 0.01
 upAxis = "Y")
def PhysicsScene "scene" {}
def Cube "base" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"]) {
    rel physics:filteredPairs = </far>
}
def Cube "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {
    double3 xformOp:translate = (0, 5, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 2
}
def Cube "far" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {
    double3 xformOp:translate = (9, 5, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 1
}
def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
    rel physics:body0 = </base>
    rel physics:body1 = </arm>
    point3f physics:localPos0 = (0, 5, 0)
    uniform token physics:axis = "Z"
    float drive:angular:physics:stiffness = 2
    float drive:angular:physics:damping = 0.5
    float drive:angular:physics:targetPosition = 90
}
def PhysicsJoint "rail" (prepend apiSchemas = ["PhysicsLimitAPI:transX", "PhysicsLimitAPI:transY", "PhysicsLimitAPI:rotX"]) {
    rel physics:body0 = </arm>
    rel physics:body1 = </far>
    point3f physics:localPos0 = (8, 0, 0)
    float limit:transX:physics:low = -3
    float limit:transX:physics:high = 4
    float limit:transY:physics:low = 1
    float limit:transY:physics:high = -1
    float limit:rotX:physics:low = -90
    float limit:rotX:physics:high = 45
}
"""


def test_drives_and_joints_of_six_axes(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "stage.usda"
    path.write_text(STAGE)
    imported = importers.load(path)
    joints = {j["name"]: j for j in imported.scene["joints"]}
    # gains are per degree, and lengths are centimetres
    scale = 180 / np.pi * 1e-4
    wanted = {"stiffness": 2 * scale, "damping": 0.5 * scale, "rest": np.pi / 2}
    assert joints["/hinge"]["spring"] == pytest.approx(wanted)
    rail = joints["/rail"]
    assert (
        rail["kind"] == "six-dof"
        and rail["translations"][1:] == ["locked", "free"]
        and rail["rotations"][1:] == ["free", "free"]
    )
    # it starts a centimetre along x
    assert rail["translations"][0] == pytest.approx([-0.04, 0.03]) and rail["rotations"][0] == pytest.approx(
        [-np.pi / 2, np.pi / 4]
    )
    assert imported.scene["ignore_pairs"] == [{"between": ["/base", "/far"]}]
    world = drystone.World(imported.scene)
    world.advance(0.005, steps=40)
    assert max(j.error[0] for j in world.joints) < 1e-4
