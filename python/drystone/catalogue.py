"""Presets, modules with their parameters, and bundled scenes: what ``drystone list --json`` prints."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from . import _native

__all__ = ["bundled_scenes", "catalogue", "modules", "paradigms"]


@cache
def _text() -> str:
    return _native.catalogue()


def catalogue() -> dict[str, Any]:
    """``{"paradigms": […], "modules": {table: […]}, "scenes": […]}``; parameters come with type, default and range."""
    return json.loads(_text())


def paradigms() -> list[str]:
    """Names of the presets."""
    return [p["name"] for p in catalogue()["paradigms"]]


def modules() -> dict[str, list[str]]:
    """Per table of ``[simulation]`` the names of its implementations."""
    return {table: [m["name"] for m in all_of] for table, all_of in catalogue()["modules"].items()}


def bundled_scenes() -> list[str]:
    """Names of the scenes that come with the package."""
    return [s["name"] for s in catalogue()["scenes"]]
