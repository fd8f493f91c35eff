"""USD physics, read by Pixar's own library: rigid bodies, colliders, masses, materials, joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade

from ..errors import InputError
from .parts import Imported, JointPart, Link, Parts, hull, limits, plane, transform, turn

__all__ = ["read_usd"]

Array = NDArray[np.float64]
AXES = {"X": np.array([1.0, 0, 0]), "Y": np.array([0, 1.0, 0]), "Z": np.array([0, 0, 1.0])}
#: Turns the y axis, along which a scene's round shapes lie, onto an axis of USD.
ALONG = {"X": turn((0, 0, 1), -np.pi / 2), "Y": np.eye(3), "Z": turn((1, 0, 0), np.pi / 2)}


def read_usd(path: Path, fixed_base: bool) -> Imported:
    try:
        stage = Usd.Stage.Open(str(path))
    except Exception as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return Reader(path, stage, fixed_base).read()


def _matrix(m: Gf.Matrix4d) -> Array:
    """For columns, as everywhere here."""
    return np.array(m, dtype=float).T


def _rotation(q: Any) -> Array:
    return np.array(Gf.Matrix3d(Gf.Rotation(Gf.Quatd(q))), dtype=float).T


class Reader:
    def __init__(self, path: Path, stage: Usd.Stage, fixed_base: bool):
        self.stage, self.fixed_base = stage, fixed_base
        self.metre = UsdGeom.GetStageMetersPerUnit(stage)
        self.kilogram = UsdPhysics.GetStageKilogramsPerUnit(stage)
        self.cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        self.parts = Parts(path.stem, self.gravity())
        self.links: dict[str, Link] = {}
        #: What the scene shall compute from shapes: masses (kg) without inertias, densities (kg/m^3).
        self.mass: dict[str, float] = {}
        self.velocity: dict[str, tuple[list[float], list[float]]] = {}
        #: The coordinate of the joint that is read, at the start (rad, m).
        self.now = 0.0

    def gravity(self) -> Array:
        up = AXES[str(UsdGeom.GetStageUpAxis(self.stage))]
        for prim in self.stage.Traverse():
            if prim.IsA(UsdPhysics.Scene):
                scene = UsdPhysics.Scene(prim)
                along = np.array(scene.GetGravityDirectionAttr().Get() or (0, 0, 0), dtype=float)
                size = float(scene.GetGravityMagnitudeAttr().Get())
                direction = along / np.linalg.norm(along) if along.any() else -up
                return direction * (9.81 if not np.isfinite(size) or size < 0 else size * self.metre)
        return -9.81 * up

    def world(self, prim: Usd.Prim) -> tuple[Array, Array]:
        """Pose in the world (m) without scale, and the scale along the axes of the prim."""
        m = _matrix(self.cache.GetLocalToWorldTransform(prim))
        scale = np.linalg.norm(m[:3, :3], axis=0)
        if np.linalg.det(m[:3, :3]) < 0:
            scale[0] = -scale[0]
        rotation = m[:3, :3] / scale
        if not np.allclose(rotation.T @ rotation, np.eye(3), atol=1e-6):
            self.parts.note("sheared: taken without the shear", str(prim.GetPath()))
            u, _, v = np.linalg.svd(rotation)
            rotation = u @ v
        return transform(rotation, m[:3, 3] * self.metre), scale

    def read(self) -> Imported:
        prims = [p for p in self.stage.Traverse(Usd.TraverseInstanceProxies()) if p.IsActive()]
        for prim in prims:
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                self.body(prim)
        for prim in prims:
            if prim.HasAPI(UsdPhysics.CollisionAPI):
                self.collider(prim)
        if not self.links and not self.parts.planes:
            raise InputError("USD: found no prim with PhysicsRigidBodyAPI or PhysicsCollisionAPI; a scene needs one")
        for prim in prims:
            if prim.IsA(UsdPhysics.Joint):
                self.joint(prim)
            if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                self.filtered(prim)
        self.parts.links = list(self.links.values())
        imported = self.parts.imported(homogeneous=True)
        for entry in imported.scene["bodies"]:
            if entry["name"] in self.mass and entry.get("kind") != "fixed":
                entry["mass"] = self.mass[entry["name"]]
            if entry["name"] in self.velocity:
                entry["linear_velocity"], entry["angular_velocity"] = self.velocity[entry["name"]]
        return imported

    def filtered(self, prim: Usd.Prim) -> None:
        """Pairs that do not meet."""
        for target in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
            pair = [self.stage.GetPrimAtPath(path) for path in (prim.GetPath(), target)]
            owners = [self.owner(one) if one else None for one in pair]
            names = [str((o or one).GetPath()) for o, one in zip(owners, pair) if o or one]
            if len(names) == 2 and names[0] != names[1] and all(name in self.links for name in names):
                self.parts.ignored.append((names[0], names[1]))
            else:
                self.parts.note(
                    f"a pair that does not meet, with {target}, is left out", str(prim.GetPath()), "contact"
                )

    def body(self, prim: Usd.Prim) -> None:
        api = UsdPhysics.RigidBodyAPI(prim)
        name = str(prim.GetPath())
        pose, _ = self.world(prim)
        held = api.GetRigidBodyEnabledAttr().Get() is False or (self.fixed_base and not self.links)
        if api.GetKinematicEnabledAttr().Get():
            held = True
            self.parts.note("kinematic: held where it is", name, "control")
        link = Link(name, pose, fixed=held)
        self.links[name] = link
        if held:
            return
        self.masses(prim, link)
        # velocities are in the space that the prim is placed in
        parent, scale = self.world(prim.GetParent()) if prim.GetParent() else (np.eye(4), np.ones(3))
        linear = parent[:3, :3] @ (np.array(api.GetVelocityAttr().Get() or (0, 0, 0), dtype=float) * scale) * self.metre
        angular = parent[:3, :3] @ np.radians(np.array(api.GetAngularVelocityAttr().Get() or (0, 0, 0), dtype=float))
        if linear.any() or angular.any():
            self.velocity[name] = (linear.tolist(), angular.tolist())

    def masses(self, prim: Usd.Prim, link: Link) -> None:
        if not prim.HasAPI(UsdPhysics.MassAPI):
            return
        api = UsdPhysics.MassAPI(prim)
        mass = float(api.GetMassAttr().Get() or 0.0) * self.kilogram
        diagonal = np.array(api.GetDiagonalInertiaAttr().Get() or (0, 0, 0), dtype=float)
        if mass > 0 and (diagonal > 0).all():
            axes = (
                _rotation(api.GetPrincipalAxesAttr().Get())
                if api.GetPrincipalAxesAttr().HasAuthoredValue()
                else np.eye(3)
            )
            link.mass = mass
            link.inertia = axes @ np.diag(diagonal * self.kilogram * self.metre**2) @ axes.T
            center = np.array(api.GetCenterOfMassAttr().Get() or (0, 0, 0), dtype=float)
            _, scale = self.world(prim)
            link.center = (center if np.isfinite(center).all() else np.zeros(3)) * scale * self.metre
        elif mass > 0:
            self.mass[link.name] = mass
            self.parts.note("a mass without an inertia: that of its shapes, homogeneous", link.name)
        elif api.GetDensityAttr().Get():
            density = float(api.GetDensityAttr().Get()) * self.kilogram / self.metre**3
            link.material = self.material({"density": density}, f"density {density:g}")

    def material(self, keys: dict[str, float], name: str) -> str:
        self.parts.materials.setdefault(name, keys)
        return name

    def surface(self, prim: Usd.Prim) -> str | None:
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not bound or not bound.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            return None
        api = UsdPhysics.MaterialAPI(bound.GetPrim())
        name = str(bound.GetPath())
        still, slides = (float(a.Get() or 0.0) for a in (api.GetStaticFrictionAttr(), api.GetDynamicFrictionAttr()))
        if still != slides:
            self.parts.note("static and dynamic friction differ: the dynamic one is taken", name, "contact")
        keys = {"friction": slides, "restitution": float(api.GetRestitutionAttr().Get() or 0.0)}
        density = float(api.GetDensityAttr().Get() or 0.0)
        if density > 0:
            keys["density"] = density * self.kilogram / self.metre**3
        return self.material(keys, name)

    def owner(self, prim: Usd.Prim) -> Usd.Prim | None:
        while prim and not prim.IsPseudoRoot():
            if str(prim.GetPath()) in self.links and prim.HasAPI(UsdPhysics.RigidBodyAPI):
                return prim
            prim = prim.GetParent()
        return None

    def collider(self, prim: Usd.Prim) -> None:
        name = str(prim.GetPath())
        if UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() is False:
            self.parts.note("a collider that is off", name, "view")
            return
        pose, scale = self.world(prim)
        owner = self.owner(prim)
        material = self.surface(prim)
        if prim.IsA(UsdGeom.Plane):
            normal = pose[:3, :3] @ AXES[str(UsdGeom.Plane(prim).GetAxisAttr().Get())]
            if owner is not None and not self.links[str(owner.GetPath())].fixed:
                self.parts.note("a plane on a body that moves: it stays where it is", name, "contact")
            self.parts.planes.append(plane(name, normal, float(normal @ pose[:3, 3]), material))
            return
        made = self.shape(prim, np.abs(scale) * self.metre, scale * self.metre)
        if made is None:
            return
        shape, at = made
        if owner is None:
            self.links[name] = Link(name, pose, shapes=[(shape, at)], fixed=True, material=material)
            return
        link = self.links[str(owner.GetPath())]
        link.shapes.append((shape, np.linalg.inv(link.pose) @ pose @ at))
        if material is not None and link.material in (None, material):
            link.material = material
        elif material is not None:
            self.parts.note("several materials on a body: the first counts", link.name, "contact")

    def shape(self, prim: Usd.Prim, size: Array, signed: Array) -> tuple[dict[str, Any], Array] | None:
        """A shape and its place in the prim's unscaled frame; `size` is metres a unit along its axes."""
        name = str(prim.GetPath())
        if prim.IsA(UsdGeom.Cube):
            half = 0.5 * float(UsdGeom.Cube(prim).GetSizeAttr().Get()) * size
            return {"box": {"half_extents": half.tolist()}}, np.eye(4)
        if prim.IsA(UsdGeom.Sphere):
            self.even(name, size)
            return {
                "sphere": {"radius": float(UsdGeom.Sphere(prim).GetRadiusAttr().Get()) * float(size.mean())}
            }, np.eye(4)
        for kind, schema in (("capsule", UsdGeom.Capsule), ("cylinder", UsdGeom.Cylinder), ("cone", UsdGeom.Cone)):
            if prim.IsA(schema):
                made = schema(prim)
                axis = str(made.GetAxisAttr().Get())
                along = AXES[axis] > 0
                self.even(name, size if kind == "capsule" else size[~along])
                keys = {
                    "radius": float(made.GetRadiusAttr().Get()) * float(size[~along].mean()),
                    "half_height": 0.5 * float(made.GetHeightAttr().Get()) * float(size[along][0]),
                }
                return {kind: keys}, transform(ALONG[axis])
        if prim.IsA(UsdGeom.Mesh):
            points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(), dtype=float).reshape(-1, 3) * signed
            found = hull(points)
            if found is None:
                self.parts.note("a mesh without volume is left out", name, "contact")
                return None
            self.parts.note("a mesh: its convex hull", name, "contact")
            return found, np.eye(4)
        self.parts.note(f"a {prim.GetTypeName()} is no shape of a scene: left out", name, "contact")
        return None

    def even(self, name: str, size: Array) -> None:
        if not np.allclose(size, size[0], rtol=1e-6):
            self.parts.note("round and scaled unevenly: the mean of its radii", name, "contact")

    def ends(self, joint: UsdPhysics.Joint) -> list[tuple[str, Array, Array]] | None:
        """The two bodies, and the joint's frame on each: place (m) and rotation in the world."""
        found = []
        sides = (
            (joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
            (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr()),
        )
        for body, place, rotation in sides:
            targets = body.GetTargets()
            prim = self.stage.GetPrimAtPath(targets[0]) if targets else self.stage.GetPseudoRoot()
            if not prim:
                self.parts.note(f"a joint to {targets[0]}, which is not there: left out", str(joint.GetPath()))
                return None
            owner = self.owner(prim)
            local = np.array([*(place.Get() or (0, 0, 0)), 1.0])
            full = _matrix(self.cache.GetLocalToWorldTransform(prim))
            pose, _ = self.world(prim)
            turned = pose[:3, :3] @ (_rotation(rotation.Get()) if rotation.Get() is not None else np.eye(3))
            found.append((str(owner.GetPath()) if owner else "world", (full @ local)[:3] * self.metre, turned))
        return found

    def joint(self, prim: Usd.Prim) -> None:
        name, joint = str(prim.GetPath()), UsdPhysics.Joint(prim)
        if joint.GetJointEnabledAttr().Get() is False:
            self.parts.note("a joint that is off", name, "view")
            return
        ends = self.ends(joint)
        if ends is None:
            return
        (a, anchor, frame), (b, other, turned) = ends
        kind, keys = self.kind(prim, anchor, frame, other, turned)
        if kind is None:
            self.parts.note(f"a {prim.GetTypeName()} is no joint of a scene: left out", name)
            return
        for key, attribute, unit in (
            ("break_force", joint.GetBreakForceAttr(), self.kilogram * self.metre),
            ("break_torque", joint.GetBreakTorqueAttr(), self.kilogram * self.metre**2),
        ):
            if attribute.Get() is not None and np.isfinite(attribute.Get()):
                keys[key] = float(attribute.Get()) * unit
        if joint.GetCollisionEnabledAttr().Get():
            keys["collide"] = True
        for schema in prim.GetAppliedSchemas():
            if schema.startswith("PhysicsDriveAPI:"):
                self.drive(prim, schema.partition(":")[2], kind, keys)
        self.parts.joints.append(JointPart(name, kind, (a, b), keys))

    def drive(self, prim: Usd.Prim, along: str, kind: str, keys: dict[str, Any]) -> None:
        """A drive towards a place is a spring and damper of the joint's coordinate."""
        api, name = UsdPhysics.DriveAPI(prim, along), str(prim.GetPath())
        # per degree, and per unit of the stage
        unit = {"angular": np.degrees(self.kilogram * self.metre**2), "linear": self.kilogram}.get(along)
        numbers = (
            api.GetStiffnessAttr(),
            api.GetDampingAttr(),
            api.GetTargetPositionAttr(),
            api.GetTargetVelocityAttr(),
        )
        stiffness, damping, target, speed = (float(a.Get() or 0.0) for a in numbers)
        if not stiffness and not damping:
            self.parts.note("a drive without gains is left out: Joint.drive commands a joint", name, "control")
            return
        if unit is None or kind not in ("hinge", "slider") or speed or str(api.GetTypeAttr().Get()) == "acceleration":
            self.parts.note("a drive other than a spring and damper of a hinge or slider is left out", name)
            return
        if np.isfinite(float(api.GetMaxForceAttr().Get() or np.inf)):
            self.parts.note("the bound on the force of a drive is left out", name)
        rest = (np.radians(target) if along == "angular" else target * self.metre) - self.now
        keys["spring"] = {"stiffness": stiffness * unit, "damping": damping * unit, "rest": float(rest)}

    def kind(
        self, prim: Usd.Prim, anchor: Array, frame: Array, other: Array, turned: Array
    ) -> tuple[str | None, dict[str, Any]]:
        if prim.IsA(UsdPhysics.RevoluteJoint):
            joint = UsdPhysics.RevoluteJoint(prim)
            axis = AXES[str(joint.GetAxisAttr().Get())]
            between = frame.T @ turned
            # the angle about the axis that is left between the two frames
            skew = np.array(
                [between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]]
            )
            now = float(np.arctan2(0.5 * skew @ axis, 0.5 * (np.trace(between) - 1)))
            self.now = now
            low, high = (np.radians(float(a.Get())) for a in (joint.GetLowerLimitAttr(), joint.GetUpperLimitAttr()))
            return "hinge", {"anchor": anchor, "axis": frame @ axis, **limits(low, high, now)}
        if prim.IsA(UsdPhysics.PrismaticJoint):
            joint = UsdPhysics.PrismaticJoint(prim)
            axis = frame @ AXES[str(joint.GetAxisAttr().Get())]
            low, high = (float(a.Get()) * self.metre for a in (joint.GetLowerLimitAttr(), joint.GetUpperLimitAttr()))
            self.now = float(axis @ (other - anchor))
            return "slider", {"anchor": other, "axis": axis, **limits(low, high, self.now)}
        if prim.IsA(UsdPhysics.SphericalJoint):
            cone = float(UsdPhysics.SphericalJoint(prim).GetConeAngle0LimitAttr().Get())
            keys: dict[str, Any] = {"anchor": anchor}
            if 0 < cone < 180:
                keys |= {
                    "cone": float(np.radians(cone)),
                    "axis": frame @ AXES[str(UsdPhysics.SphericalJoint(prim).GetAxisAttr().Get())],
                }
            return "ball", keys
        if prim.IsA(UsdPhysics.DistanceJoint):
            joint = UsdPhysics.DistanceJoint(prim)
            low, high = (float(a.Get()) * self.metre for a in (joint.GetMinDistanceAttr(), joint.GetMaxDistanceAttr()))
            if high <= 0:
                return None, {}
            if low <= 0:
                return "rope", {"anchor": anchor, "anchor2": other, "length": high}
            if low == high:
                return "distance", {"anchor": anchor, "anchor2": other, "length": high}
            return None, {}
        if prim.IsA(UsdPhysics.FixedJoint):
            return "fixed", {}
        return self.free_joint(prim, anchor, frame, other, turned)

    def free_joint(
        self, prim: Usd.Prim, anchor: Array, frame: Array, other: Array, turned: Array
    ) -> tuple[str | None, dict[str, Any]]:
        """A joint of no kind holds the coordinates whose limits cross, and bounds those that have some."""
        found: dict[str, Any] = {}
        for along in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
            if not prim.HasAPI(UsdPhysics.LimitAPI, along):
                found[along] = "free"
                continue
            api = UsdPhysics.LimitAPI(prim, along)
            unit = self.metre if along.startswith("trans") else np.radians(1.0)
            low, high = (float(a.Get()) * unit for a in (api.GetLowAttr(), api.GetHighAttr()))
            # coordinates are zero at the start
            now = float(frame[:, "XYZ".index(along[-1])] @ (other - anchor)) if along.startswith("trans") else 0.0
            bounds = [float(np.clip(v - now, -1e6, 1e6)) for v in (low, high)]
            endless = not np.isfinite(low) and not np.isfinite(high)
            found[along] = "free" if endless else "locked" if low >= high else bounds
        if all(v == "free" for v in found.values()):
            return None, {}
        if np.trace(frame.T @ turned) < 2.99 and any(found[k] != "free" for k in ("rotX", "rotY", "rotZ")):
            self.parts.note(
                "bounds of rotations count from the start, where the frames are turned", str(prim.GetPath())
            )
        keys: dict[str, Any] = {"anchor": other, "axis": frame[:, 0], "axis2": frame[:, 1]}
        keys["translations"] = [found[f"trans{k}"] for k in "XYZ"]
        keys["rotations"] = [found[f"rot{k}"] for k in "XYZ"]
        return "six-dof", keys
