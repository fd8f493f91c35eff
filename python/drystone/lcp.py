"""Complementarity problems on NumPy arrays and SciPy sparse matrices.

Find x with ``w = A x + b``, ``lo <= x <= hi``, and w_i >= 0 where x_i = lo_i, w_i <= 0 where x_i = hi_i, w_i = 0 between.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._text import real, text, whole
from .errors import InputError

__all__ = ["Solution", "solve", "solve_cone", "solvers"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """What a solver found for a problem of n rows."""

    #: The answer. (n,)
    x: Array
    #: A x + b. (n,)
    w: Array
    #: ``converged``, ``iteration-limit``, ``stagnated``, ``ray`` or ``failed``.
    status: str
    #: Sweeps, pivots or Newton steps.
    iterations: int
    #: Natural-map residual, infinity norm, computed anew from x with the same code for every solver.
    residual: float
    #: Wall time of the solve (s).
    seconds: float
    #: Residual at the start and after each iteration; empty unless asked for. (k + 1,)
    history: Array

    @property
    def converged(self) -> bool:
        """Whether the residual is at most the tolerance asked for."""
        return self.status == "converged"


@cache
def _listing() -> str:
    return _native.lcp_solvers()


def solvers(kind: str | None = None) -> list[dict[str, Any]]:
    """The solvers with method, source, cost, failures and parameters; those that take a ``kind`` (lcp, boxed, friction)."""
    everything = json.loads(_listing())
    return [s for s in everything if kind is None or kind in s["kinds"]]


def _numbers(value: Any, what: str) -> Array:
    """Real numbers as an array; complex ones are not cut."""
    try:
        given = np.asarray(value)
        if not np.iscomplexobj(given):
            return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{what}: found {type(value).__name__}; allowed: an array of real numbers")


def _matrix(a: Any) -> tuple[Array | None, tuple[NDArray[np.int64], NDArray[np.int64], Array] | None]:
    if hasattr(a, "tocoo"):
        coo = a.tocoo()
        _numbers(coo.data, "A")
        rows = np.ascontiguousarray(coo.row, dtype=np.int64)
        columns = np.ascontiguousarray(coo.col, dtype=np.int64)
        return None, (rows, columns, np.ascontiguousarray(coo.data, dtype=np.float64))
    dense = np.ascontiguousarray(_numbers(a, "A"))
    if dense.ndim != 2:
        raise InputError(f"A: found {dense.ndim} dimensions; allowed: 2")
    return dense, None


def _column(value: ArrayLike | None, n: int, what: str, dtype: Any = np.float64) -> Any:
    if value is None:
        return None
    try:
        array = np.asarray(value, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: found {value!r}; allowed: a number or {n} of them") from None
    if array.ndim == 0:
        array = np.full(n, array, dtype=dtype)
    if array.shape != (n,):
        raise InputError(f"{what}: found the shape {array.shape}; allowed: ({n},)")
    return np.ascontiguousarray(array)


def _call(a: Any, b: ArrayLike, x0: ArrayLike | None, how: tuple[Any, ...], **parts: Any) -> Solution:
    solver, parameters, tolerance, max_iterations, history = how
    b = _numbers(b, "b")
    if b.ndim != 1:
        raise InputError(f"b: found the shape {b.shape}; allowed: one dimension")
    n = len(b)
    dense, sparse = _matrix(a)
    if sparse is not None and a.shape != (n, n):
        raise InputError(f"A: found the shape {a.shape}; allowed: ({n}, {n}), as b has {n} entries")
    if not real(tolerance, "tolerance") >= 0.0:
        raise InputError(f"tolerance: found {tolerance}; allowed: zero or more")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InputError(f"parameters: found {parameters!r}; allowed: a mapping")
    settings = [(str(k).replace("_", "-"), real(v, str(k))) for k, v in (parameters or {}).items()]
    found = _native.lcp_solve(
        dense,
        sparse,
        np.ascontiguousarray(b),
        _column(parts.get("lo"), n, "lo"),
        _column(parts.get("hi"), n, "hi"),
        _column(parts.get("dependency"), n, "dependency", np.int64),
        _column(parts.get("mu"), n, "mu"),
        parts.get("cone_mu"),
        parts.get("dimension", 3),
        _column(x0, n, "x0"),
        text(solver, "solver"),
        settings,
        float(tolerance),
        whole(max_iterations, "max_iterations"),
        bool(history),
    )
    return Solution(*found)


def solve(
    A: Any,
    b: ArrayLike,
    *,
    lo: ArrayLike | None = None,
    hi: ArrayLike | None = None,
    dependency: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    x0: ArrayLike | None = None,
    solver: str = "projected-gauss-seidel",
    parameters: Mapping[str, float] | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    history: bool = False,
) -> Solution:
    """Solves a (boxed) linear complementarity problem of n rows.

    ``A`` is an array (n, n) or a SciPy sparse matrix, which stays sparse; ``b`` is (n,). ``lo`` (0 unless given) and ``hi``
    (none unless given) are numbers or arrays (n,). Where ``dependency[i]`` is a row j (-1: none), the bounds of row i are
    -+ ``mu[i]`` max(0, x_j): the friction pyramid. ``x0`` is the start value, zero unless given. ``solver`` is one of
    :func:`solvers`, ``parameters`` are its own; with ``history`` the residual after each iteration comes with the answer.
    Not converging is no error: see :attr:`Solution.status`.
    """
    how = (solver, parameters, tolerance, max_iterations, history)
    return _call(A, b, x0, how, lo=lo, hi=hi, dependency=dependency, mu=mu)


def solve_cone(
    M: Any,
    q: ArrayLike,
    mu: ArrayLike,
    *,
    dimension: int = 3,
    x0: ArrayLike | None = None,
    solver: str = "nonsmooth-gauss-seidel",
    parameters: Mapping[str, float] | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    history: bool = False,
) -> Solution:
    """Solves a frictional contact problem on second-order cones: u = M r + q, per contact the normal first.

    ``mu`` has a coefficient for each of the c contacts, (c,); ``M`` is (c d, c d) with ``dimension`` d = 3 (or 2, planar).
    """
    q = _numbers(q, "q")
    dimension = whole(dimension, "dimension", 2, 4)
    contacts = len(q) // dimension if q.ndim == 1 else 0
    how = (solver, parameters, tolerance, max_iterations, history)
    return _call(M, q, x0, how, cone_mu=_column(mu, contacts, "mu"), dimension=dimension)
