"""Scenes and settings of any form as the texts that the engine reads."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError

#: A scene: a path, the name of a bundled scene, TOML or JSON text, or the same tables as a mapping.
SceneLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]
#: Settings: ``{"lcp.iterations": 50}``, ``{"lcp": {"iterations": 50}}``, or paths from the scene's root as with ``--set``.
Settings = Mapping[str, Any]

TABLES = (
    "time_control",
    "motion_solver",
    "constraint_solver",
    "collision_solver",
    "broad_phase",
    "narrow_phase",
    "contact_determination",
    "stc_analysis",
    "lcp",
    "sleep_policy",
)


def _plain(value: Any) -> Any:
    """What JSON does not know, as what it knows."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    name = getattr(value, "name", None)
    if isinstance(name, str):  # a body stands for its name
        return name
    raise InputError(f"a scene: found {value!r}; allowed: texts, numbers, lists, tables, arrays, bodies")


def dumps(value: Any) -> str:
    """A mapping as JSON; arrays are lists, bodies their names."""
    try:
        return json.dumps(value, default=_plain, allow_nan=True)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"a scene: {error}") from None


def scene_source(scene: SceneLike) -> tuple[str, str]:
    """The text or path of a scene, and which of ``path``, ``toml``, ``json`` it is."""
    if isinstance(scene, Mapping):
        return dumps(scene), "json"
    if isinstance(scene, os.PathLike):
        return os.fspath(scene), "path"
    if not isinstance(scene, str):
        raise InputError(f"a scene: found {type(scene).__name__}; allowed: a path, a text, a bundled name, a mapping")
    if scene.lstrip().startswith("{"):
        return scene, "json"
    if "\n" in scene or ("=" in scene and not Path(scene).exists()):
        return scene, "toml"
    return scene, "path"


def toml_value(value: Any) -> str:
    """A value as TOML spells it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(str(k))} = {toml_value(v)}" for k, v in value.items()) + " }"
    raise InputError(f"a setting: found {value!r}; allowed: a number, a text, a truth value, a list, a table")


def settings_paths(settings: Settings | None) -> list[tuple[str, Any]]:
    """Settings as paths from the scene's root with their values, in the order given."""
    paths: list[tuple[str, Any]] = []
    if settings is not None and not isinstance(settings, Mapping):
        raise InputError(f"settings: found {settings!r}; allowed: a mapping, as {{'lcp.iterations': 50}}")
    for key, value in (settings or {}).items():
        text(key, "settings")
        head = key.split(".")[0]
        path = f"simulation.{key}" if head in TABLES else key
        if head in TABLES and isinstance(value, Mapping) and "." not in key:
            paths += [(f"{path}.{inner}", v) for inner, v in value.items()]
        else:
            paths.append((path, value))
    return paths


def settings_list(settings: Settings | None) -> list[str]:
    """Settings as ``--set`` takes them."""
    return [f"{path}={toml_value(value)}" for path, value in settings_paths(settings)]


def module_choices(settings: Settings | None) -> str:
    """Settings as choices of modules, for a world that runs."""
    tables: dict[str, tuple[str | None, dict[str, Any]]] = {}
    for path, value in settings_paths(settings):
        parts = path.split(".")
        if len(parts) != 3 or parts[0] != "simulation" or parts[1] not in TABLES:
            raise InputError(
                f"settings: found '{path}'; allowed: a module's, as lcp.iterations, of {', '.join(TABLES)}"
            )
        name, values = tables.get(parts[1], (None, {}))
        if parts[2] in ("kind", "solver") and (parts[2] == "kind" or parts[1] == "lcp"):
            name = str(value)
        else:
            values[parts[2]] = value
        tables[parts[1]] = (name, values)
    return dumps([[table, name, values] for table, (name, values) in tables.items()])


def real(value: Any, what: str) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: found {value!r}; allowed: a number") from None


def whole(value: Any, what: str, least: int = 0, below: int = 1 << 63) -> int:
    """A whole number within bounds."""
    try:
        number = int(value)
        if number == value and least <= number < below:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{what}: found {value!r}; allowed: a whole number, {least} to {below - 1}")


def text(value: Any, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InputError(f"{what}: found {value!r}; allowed: a text")
    return value


def vector(value: ArrayLike, length: int, what: str) -> list[float]:
    """A list of as many numbers."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (length,):
        raise InputError(f"{what}: found {value!r}; allowed: {length} numbers")
    return array.tolist()


def vectors(value: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array (k, 3)."""
    try:
        array = np.atleast_2d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        array = np.empty((0, 0))
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{what}: found {value!r}; allowed: an array (k, 3)")
    return np.ascontiguousarray(array)
