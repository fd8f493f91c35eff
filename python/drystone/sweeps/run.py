"""The sweep itself."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._text import SceneLike
from ..errors import InputError
from .executors import WorkerLost, backend_for
from .frame import Store, check_kind, frame_of
from .jobs import Job, Plan, expand, plan, row_of, run_jobs

__all__ = ["sweep"]

#: Seconds between two writes of results.
FLUSH = 5.0
#: How often a job is tried alone after its worker died.
TRIES = 3


def _bar(total: int, done: int, progress: bool) -> Any:
    """A progress bar; none where it is not wanted, or tqdm not installed."""
    if not progress:
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, initial=done, unit="run")


def sweep(
    scene: SceneLike,
    grid: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]],
    paradigms: Sequence[str] | None = None,
    executor: Any = None,
    *,
    duration: float | None = None,
    steps: int | None = None,
    seeds: Sequence[int] = (0,),
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    chunk: int | None = None,
    retry: Sequence[str] = ("lost",),
    progress: bool = True,
    frame: str = "pandas",
) -> Any:
    """Runs a scene with every combination of settings, presets and seeds; gives a frame with a row for each: of ``pandas``, of
    ``polars``, or a table of ``arrow``.

    ``grid`` maps settings, as :class:`~drystone.World` takes them, to the values they shall have
    (``{"lcp.iterations": [5, 10, 20]}``), or lists the points themselves. ``executor`` is anything like an executor of
    ``concurrent.futures``, a Dask ``Client``, or the module ``ray`` after ``ray.init()``; without one, ``workers`` processes
    of their own run the jobs, by default one a core.

    With ``out``, results are kept in that folder as Parquet, written every few seconds, and a sweep that was broken off goes
    on where it was: jobs whose key is there are not run again, except those that ended with a status in ``retry``. The key
    stands for the version, the scene's text, preset, settings, seed and length of the run; a job's figures depend on nothing
    else, wall times aside. Scenes that name further files are read on the workers.

    Each row has ``number``, ``key``, ``status``, ``error``, ``paradigm``, ``seed``, the settings as ``set:NAME`` and the
    figures of ``drystone run --json``, tables within tables joined by underscores. ``status`` is ``done``, ``failed`` (the
    simulation failed), ``invalid`` (the scene refused the setting), ``error``, or ``lost`` (its worker died each time it was tried).
    Jobs go out ``chunk`` at a time.
    """
    if duration is not None and steps is not None:
        raise InputError("duration and steps: allowed: one of them")
    check_kind(frame)
    common = plan(scene, duration, steps)
    jobs = expand(common, grid, list(paradigms) if paradigms is not None else [None], seeds)
    store = Store(out) if out is not None else None
    wanted = {job.key: job for job in jobs}
    rows = {}
    for row in store.read() if store else []:
        if row["key"] in wanted and row["status"] not in retry:
            rows[row["key"]] = row
    left = [job for job in wanted.values() if job.key not in rows]
    bar = _bar(len(wanted), len(rows), progress)
    if left:
        try:
            for done in _finished(common, left, executor, workers, chunk):
                rows |= {row["key"]: row for row in done}
                if bar is not None:
                    bar.update(len(done))
                if store is not None:
                    store.add(done, FLUSH)
        finally:
            if store is not None:
                store.flush()
            if bar is not None:
                bar.close()
    if store is not None:
        store.compact()
    # jobs that are alike are run once; each has its row
    return frame_of([{**rows[job.key], "number": job.number} for job in jobs], frame)


def _finished(
    common: Plan, jobs: list[Job], executor: Any, workers: int | None, chunk: int | None
) -> Iterable[list[dict[str, Any]]]:
    """Gives out the jobs, and their rows as they come.

    When a worker dies, tasks beside it may be lost with it. All of them are given out again one by one, with nothing beside
    them, so that a job that kills its worker takes no other with it.
    """
    size = chunk or max(1, min(64, len(jobs) // 64))
    fresh = deque(jobs[i : i + size] for i in range(0, len(jobs), size))
    suspects: deque[tuple[list[Job], int]] = deque()
    backend = backend_for(executor, workers)
    under_way: dict[int, tuple[list[Job], int]] = {}
    number, clean = 0, False
    try:
        while fresh or suspects or under_way:
            while (fresh and not suspects and len(under_way) < backend.room) or (suspects and not under_way):
                under_way[number] = suspects.popleft() if suspects else (fresh.popleft(), 0)
                backend.submit(number, run_jobs, common, under_way[number][0])
                number += 1
            ended, outcome = backend.next()
            task, tries = under_way.pop(ended)
            if not isinstance(outcome, Exception):
                yield outcome
            elif not isinstance(outcome, WorkerLost):
                yield [row_of(job, "error", f"{type(outcome).__name__}: {outcome}") for job in task]
            elif tries < TRIES:
                alone = [[job] for job in task] if tries > 0 else [task]
                suspects.extend((part, tries + 1) for part in alone)
            else:
                yield [row_of(job, "lost", f"its worker died {tries} times: {outcome}") for job in task]
        clean = True
    finally:
        backend.close(cancel=not clean)
