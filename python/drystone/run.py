"""Whole runs: a scene in, figures out."""

from __future__ import annotations

import json
from typing import Any

from . import _native
from ._text import SceneLike, Settings, scene_source
from .world import World

__all__ = ["check", "load_scene", "run"]


def run(
    scene: SceneLike,
    *,
    paradigm: str | None = None,
    settings: Settings | None = None,
    duration: float | None = None,
    steps: int | None = None,
    threads: int = 1,
    seed: int = 0,
) -> dict[str, Any]:
    """Simulates a scene and gives its figures: what ``drystone run --json`` prints, and ``drift`` (m), as a dict.

    The same scene, preset, settings, seed and version give the same ``state_hash`` on every run, on any number of threads.
    """
    world = World(scene, paradigm=paradigm, settings=settings, threads=threads, seed=seed)
    return world.run(duration=duration, steps=steps)


def check(scene: SceneLike) -> None:
    """Reads a scene and simulates nothing; raises :class:`~drystone.SceneError` with every fault found."""
    _native.check_scene(*scene_source(scene))


def load_scene(scene: SceneLike) -> dict[str, Any]:
    """A scene as tables, as it was written: nothing is filled in or checked, see :func:`check`.

    What comes out can be changed and given to :class:`~drystone.World`, :func:`run` or ``json.dump``; files that it names are relative to
    the working folder.
    """
    return json.loads(_native.scene_json(*scene_source(scene)))
