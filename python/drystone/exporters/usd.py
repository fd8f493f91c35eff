"""USD: a mesh for each body, with its place sampled over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pxr import Gf, Sdf, Tf, Usd, UsdGeom, Vt

from ..errors import InputError
from .motion import Motion

if TYPE_CHECKING:
    from ..world import World

__all__ = ["write_usd"]

#: Time codes a second.
RATE = 1000.0


def write_usd(world: World, path: Path) -> None:
    motion = Motion.of(world)
    # built in memory: a file that is open elsewhere, or was, is no hindrance
    layer = Sdf.Layer.CreateAnonymous(path.name)
    stage = Usd.Stage.Open(layer)
    gravity = world.gravity
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z if abs(gravity[2]) > abs(gravity[1]) else UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(RATE)
    stage.SetStartTimeCode(RATE * float(motion.time[0]))
    stage.SetEndTimeCode(RATE * float(motion.time[-1]))
    root = UsdGeom.Xform.Define(stage, "/world")
    stage.SetDefaultPrim(root.GetPrim())
    taken: set[str] = set()
    for b, (name, surface) in enumerate(zip(motion.names, motion.surfaces)):
        plain = Tf.MakeValidIdentifier(name)
        own = plain
        while own in taken:
            own = f"{plain}_{len(taken)}"
        taken.add(own)
        mesh = UsdGeom.Mesh.Define(stage, f"/world/{own}")
        mesh.GetPrim().SetDisplayName(name)
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(surface.points))
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray([3] * len(surface.triangles)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray(surface.triangles.ravel().tolist()))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        low, high = surface.points.min(axis=0).tolist(), surface.points.max(axis=0).tolist()
        mesh.CreateExtentAttr(Vt.Vec3fArray([Gf.Vec3f(*low), Gf.Vec3f(*high)]))
        move = mesh.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
        turn = mesh.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
        moves = bool((motion.positions[:, b] != motion.positions[0, b]).any())
        moves = moves or bool((motion.orientations[:, b] != motion.orientations[0, b]).any())
        for i, time in enumerate(motion.time.tolist() if moves else [None]):
            code = Usd.TimeCode.Default() if time is None else Usd.TimeCode(RATE * time)
            x, y, z, w = motion.orientations[i, b].tolist()
            move.Set(Gf.Vec3d(*motion.positions[i, b].tolist()), code)
            turn.Set(Gf.Quatd(w, x, y, z), code)
    if not layer.Export(str(path)):
        raise InputError(f"{path}: cannot be written")
