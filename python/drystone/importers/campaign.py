"""Every model of a folder, read and run for a while: what ``python -m drystone import-check`` prints."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DrystoneError
from ..world import World
from . import FORMATS, load
from .parts import Imported

__all__ = ["Row", "examine", "files", "survey", "table"]

#: A speed that no fall from rest reaches counts as an explosion: this many times that of the fall, and of the start (m/s).
FAST = 10.0
#: Time over which free motion is compared with MuJoCo's (s), and steps of both (s).
FREE_TIME, FREE_STEP, REFERENCE_STEP = 0.25, 5e-4, 2.5e-4
#: Joints that open further than this (m) are told.
OPEN = 1e-3


@dataclass
class Row:
    """What became of a file. Lengths in m, masses in kg, energies in J, times per step in ms; ``None`` where there is none."""

    file: str
    #: ``yes``, or why not.
    read: str = "yes"
    #: Notes, and those of them by which bodies can move otherwise.
    notes: int = 0
    losses: int = 0
    #: What the notes are about.
    about: str = ""
    bodies: int = 0
    joints: int = 0
    mass: float = 0.0
    #: Energy at the start, and its largest gain.
    energy: float | None = None
    gain: float | None = None
    #: The largest gap of a joint.
    gap: float | None = None
    #: Median of a step.
    step: float | None = None
    #: ``ok``, or how the run ended.
    run: str = ""
    #: MuJoCo's step, and how far bodies are from where its free motion has them.
    mujoco_step: float | None = None
    apart: float | None = None

    @property
    def failed(self) -> bool:
        return (self.read != "yes" and not self.read.startswith("not:")) or self.run not in ("", "ok")


def files(folder: Path, match: str = "*") -> list[Path]:
    """Models under a folder, by the endings of their names."""
    found = (p for p in folder.rglob("*") if p.suffix.lower() in FORMATS and p.is_file())
    return sorted(p for p in found if p.match(match))


def is_model(path: Path) -> bool:
    """False for an XML file of another kind: parts of models, and what has nothing to do with them."""
    if path.suffix.lower() != ".xml":
        return True
    head = path.read_text(encoding="utf-8", errors="replace")[:20000]
    return "<mujoco" in head.replace("<mujocoinclude", "") or "<robot" in head


def reference(path: Path) -> Any:
    """The model as MuJoCo reads it; ``None`` without MuJoCo or where it refuses."""
    try:
        import mujoco

        return mujoco.MjModel.from_xml_path(str(path))
    except Exception:
        return None


def examine(path: Path, seconds: float = 1.0, patience: float = 60.0) -> Row:
    """Reads and runs a file, for at most ``patience`` (s) of the clock."""
    row = Row(str(path))
    has_reference = path.suffix.lower() in (".xml", ".mjcf", ".urdf")
    if not is_model(path):
        row.read = "not: no model"
        return row
    model = reference(path) if has_reference else None
    try:
        imported = load(path)
        world = World(imported.scene)
    except (DrystoneError, RecursionError, MemoryError) as error:
        own = has_reference and model is None
        row.read = f"{'not: its own reader refuses too: ' if own else ''}{str(error).splitlines()[0][:160]}"
        return row
    row.notes, row.losses = len(imported.notes), sum(n.is_loss for n in imported.notes)
    row.about = " ".join(sorted({n.about for n in imported.notes if n.is_loss}))
    row.bodies, row.joints = len(imported.scene["bodies"]), len(imported.scene["joints"])
    row.mass = float(sum(b.mass for b in world.bodies if b.kind == "dynamic"))
    run(row, world, seconds, patience)
    if model is not None:
        row.mujoco_step = pace(model, seconds)
        urdf = "<robot" in path.read_text(encoding="utf-8", errors="replace")
        try:
            # MuJoCo holds the first link of a URDF file
            row.apart = difference(model, load(path, fixed_base=urdf) if urdf else imported)
        except DrystoneError:
            row.apart = None
    return row


def run(row: Row, world: World, seconds: float, patience: float) -> None:
    start, began = sum(world.energy), time.perf_counter()
    speed = float(np.abs(world.linear_velocities).max(initial=0.0))
    most = FAST * (1.0 + speed + float(np.linalg.norm(world.gravity)) * seconds)
    taken: list[float] = []
    row.energy, row.gain, row.gap, row.run = start, 0.0, 0.0, "ok"
    while world.time < seconds:
        before = time.perf_counter()
        try:
            world.advance()
        except DrystoneError as error:
            row.run = f"ended at {world.time:.3f} s: {str(error).splitlines()[0][:120]}"
            return
        taken.append(1e3 * (time.perf_counter() - before))
        row.gain = max(row.gain, sum(world.energy) - start)
        gaps = [joint.error[0] for joint in world.joints]
        row.gap = max(row.gap, *gaps) if gaps else 0.0
        if not np.abs(world.linear_velocities).max(initial=0.0) <= most:
            row.run = f"explodes at {world.time:.3f} s"
            break
        if time.perf_counter() - began > patience:
            row.run = "ok" if world.time > 0.1 * seconds else f"slow: {world.time:.3f} s"
            break
    row.step = float(np.median(taken))


def pace(model: Any, seconds: float) -> float:
    """MuJoCo's median step (ms)."""
    import mujoco

    data = mujoco.MjData(model)
    taken: list[float] = []
    while data.time < seconds and sum(taken) < 5e3:
        before = time.perf_counter()
        mujoco.mj_step(model, data)
        taken.append(1e3 * (time.perf_counter() - before))
    return float(np.median(taken))


def velocities(imported: Imported, twists: dict[str, Any]) -> dict[str, Any]:
    """Angular and linear velocities (rad/s, m/s) of bodies at their centres of mass.

    ``twists`` has angular and linear velocity of some of them, at a point. Bodies that are welded to one of these move with it.
    """
    twists, welds = dict(twists), [j["bodies"] for j in imported.scene["joints"] if j["kind"] == "fixed"]
    for _ in welds:
        for one, other in welds:
            twists |= {a: twists[b] for a, b in ((one, other), (other, one)) if a not in twists and b in twists}
    found = {}
    for body in imported.scene["bodies"]:
        if body["name"] in twists:
            angular, linear, point = twists[body["name"]]
            x, y, z, w = body["orientation"]
            center, q = np.array(body.get("center_of_mass", (0, 0, 0))), np.array([x, y, z])
            arm = center + 2 * np.cross(q, np.cross(q, center) + w * center) + body["position"] - point
            found[body["name"]] = (angular.tolist(), (linear + np.cross(angular, arm)).tolist())
    return found


def free(imported: Imported, moving: dict[str, Any]) -> World:
    """The scene with bodies that move (m/s, rad/s), without contact and without limits of joints."""
    scene = dict(imported.scene)
    scene["bodies"] = [{**b, "layer": -1 - k} for k, b in enumerate(scene["bodies"])]
    for body in scene["bodies"]:
        if body["name"] in moving and body.get("kind") is None:
            body["angular_velocity"], body["linear_velocity"] = moving[body["name"]]
    limited = [j for j in scene["joints"] if j["kind"] != "rope"]
    scene["joints"] = [{k: v for k, v in j.items() if k not in ("limits", "limits2")} for j in limited]
    return World(scene)


def difference(model: Any, imported: Imported) -> float | None:
    """The largest distance (m) of a body from where MuJoCo has it after some free motion; ``None`` where it has none.

    All coordinates begin with velocities drawn at random, of about 1 m/s or rad/s.
    """
    import mujoco

    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_LIMIT)
    model.opt.timestep, model.opt.integrator = REFERENCE_STEP, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(0).normal(size=model.nv)
    mujoco.mj_forward(model, data)
    bodies = [(i, model.body(i).name or f"body{i}") for i in range(1, model.nbody)]
    twists = {}
    for i, name in bodies:
        found = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, i, found, 0)
        twists[name] = (found[:3], found[3:], data.xpos[i].copy())
    world = free(imported, velocities(imported, twists))
    for _ in range(round(FREE_TIME / FREE_STEP)):
        world.advance(FREE_STEP)
    while data.time < FREE_TIME - REFERENCE_STEP / 2:
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    names = set(world.names)
    apart = [float(np.linalg.norm(world[n].position - data.xpos[i])) for i, n in bodies if n in names]
    return max(apart) if apart and np.isfinite(apart).all() else None


def survey(paths: Sequence[Path], seconds: float, patience: float) -> Iterator[Row]:
    """Examines each file in a process of its own, which a fault of a reader cannot take along."""
    for path in paths:
        command = [sys.executable, "-m", "drystone", "import-check", "--one", str(path)]
        command += ["--seconds", str(seconds), "--patience", str(patience)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=4 * patience + 60)
            yield Row(**json.loads(done.stdout.splitlines()[-1]))
        except subprocess.TimeoutExpired:
            yield Row(str(path), read="takes too long")
        except (ValueError, IndexError):
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            yield Row(str(path), read=f"ends with status {done.returncode}: {last[:120]}")


def as_json(row: Row) -> str:
    return json.dumps(asdict(row))


def table(rows: Sequence[Row], folder: Path) -> str:
    """The rows as a table, and counts of each folder below the one that was surveyed."""

    def shown(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    head = (
        "file",
        "read",
        "notes",
        "bodies",
        "joints",
        "mass",
        "energy",
        "gain",
        "gap mm",
        "ms",
        "MuJoCo",
        "apart mm",
        "run",
    )
    lines: list[tuple[str, ...]] = [head]
    for r in rows:
        apart, gap = (None if v is None else 1e3 * v for v in (r.apart, r.gap))
        name = str(Path(r.file).relative_to(folder)) if Path(r.file).is_relative_to(folder) else r.file
        numbers = [shown(r.energy, ".3g"), shown(r.gain, ".2g"), shown(gap, ".2g"), shown(r.step, ".3f")]
        numbers += [shown(r.mujoco_step, ".3f"), shown(apart, ".2g")]
        notes = f"{r.notes} ({r.losses})"
        lines.append((name, r.read, notes, str(r.bodies), str(r.joints), f"{r.mass:.4g}", *numbers, r.run))
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([*text, "", *summary(rows, folder)])


def summary(rows: Sequence[Row], folder: Path) -> list[str]:
    """One line for each collection."""
    collections: dict[str, list[Row]] = {}
    for r in rows:
        path = Path(r.file)
        inside = path.relative_to(folder).parts if path.is_relative_to(folder) else (path.name,)
        collections.setdefault(inside[0] if len(inside) > 1 else ".", []).append(r)
    lines = [
        "| collection | files | models | read | run | without loss | joints open | apart > 1 mm without loss of motion | step / MuJoCo |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for name, of in [*collections.items(), *([("all", list(rows))] if len(collections) > 1 else [])]:
        models = [r for r in of if not r.read.startswith("not:")]
        read = [r for r in models if r.read == "yes"]
        counts = [len(of), len(models), len(read), sum(r.run == "ok" for r in read), sum(not r.losses for r in read)]
        counts.append(sum((r.gap or 0.0) > OPEN for r in read))
        plain = [r for r in read if "motion" not in r.about and r.apart is not None]
        off = f"{sum((r.apart or 0.0) > 1e-3 for r in plain)} of {len(plain)}"
        ratios = [r.step / r.mujoco_step for r in read if r.step and r.mujoco_step]
        ratio = f"{np.median(ratios):.2g}, at most {max(ratios):.2g}" if ratios else "-"
        lines.append(f"| {name} | {' | '.join(map(str, counts))} | {off} | {ratio} |")
    return lines
