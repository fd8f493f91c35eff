"""What a sweep consists of: jobs with keys, and what a worker does with them."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._native import __version__
from .._text import SceneLike, dumps, scene_source
from ..errors import DrystoneError, InputError, SimulationError

__all__ = ["Job", "Plan", "expand", "plan", "row_of", "run_jobs"]


@dataclass(frozen=True)
class Plan:
    """What all jobs of a sweep have in common."""

    source: str
    form: str
    duration: float | None
    steps: int | None

    def digest(self) -> str:
        """Stands for the scene: its text, or the file's."""
        path = Path(self.source)
        text = path.read_bytes() if self.form == "path" and path.is_file() else self.source.encode()
        return hashlib.sha256(text).hexdigest()


@dataclass(frozen=True)
class Job:
    """One run."""

    #: Place in the sweep.
    number: int
    #: Sixteen hexadecimal digits over all that decides the outcome.
    key: str
    paradigm: str | None
    settings: Mapping[str, Any]
    seed: int


def plan(scene: SceneLike, duration: float | None, steps: int | None) -> Plan:
    """The scene as workers find it: a file by its whole path."""
    source, form = scene_source(scene)
    if form == "path" and Path(source).is_file():
        source = str(Path(source).resolve())
    return Plan(source, form, duration, steps)


def expand(
    plan: Plan,
    grid: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]],
    paradigms: Sequence[str | None],
    seeds: Sequence[int],
) -> list[Job]:
    """Every preset with every combination of the grid and every seed, in that order, the last fastest."""
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise InputError(f"grid[{name!r}]: found {values!r}; allowed: a list of values")
        names = list(grid)
        points = [dict(zip(names, point)) for point in itertools.product(*(list(grid[n]) for n in names))]
    else:
        points = [dict(point) for point in grid]
    common = {"version": __version__, "scene": plan.digest(), "duration": plan.duration, "steps": plan.steps}
    jobs: list[Job] = []
    for paradigm, point, seed in itertools.product(paradigms, points, seeds):
        # texts of numbers are the shortest that mean them: the same on every machine
        settings = json.loads(dumps(point))
        what = {**common, "paradigm": paradigm, "settings": settings, "seed": int(seed)}
        key = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]
        jobs.append(Job(len(jobs), key, paradigm, settings, int(seed)))
    return jobs


def _flat(figures: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Tables within tables as one, keys joined by underscores; lists of bodies and joints are left out."""
    flat: dict[str, Any] = {}
    for key, value in figures.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{name}_")
        elif isinstance(value, list):
            if name not in ("final", "joints"):
                flat |= {f"{name}_{axis}": v for axis, v in zip("xyz", value)}
        else:
            flat[name] = value
    return flat


def row_of(job: Job, status: str, error: str | None, figures: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A row of the results: the job, its settings, how it ended, and its figures."""
    row = {"number": job.number, "key": job.key, "status": status, "error": error}
    row |= {"paradigm": job.paradigm, "seed": job.seed}
    row |= {f"set:{name}": value for name, value in job.settings.items()}
    flat = _flat(figures or {})
    if flat.get("paradigm"):
        # where the scene's own preset was asked for
        row["paradigm"] = flat["paradigm"]
    return row | {name: value for name, value in flat.items() if name not in ("seed", "paradigm")}


def run_jobs(plan: Plan, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """What a worker does: runs each job; a job that fails is a row that says why."""
    from ..world import World

    rows = []
    for job in jobs:
        try:
            world = World(plan.source, paradigm=job.paradigm, settings=job.settings, seed=job.seed)
            rows.append(row_of(job, "done", None, world.run(duration=plan.duration, steps=plan.steps)))
        except SimulationError as error:
            rows.append(row_of(job, "failed", str(error)))
        except DrystoneError as error:
            rows.append(row_of(job, "invalid", str(error)))
        except Exception as error:  # a row, whatever it was: the other jobs go on
            rows.append(row_of(job, "error", f"{type(error).__name__}: {error}"))
    return rows
