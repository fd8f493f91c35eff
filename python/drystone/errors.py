"""What the package raises: everything derives from :class:`DrystoneError`."""

from __future__ import annotations

from typing import Any

__all__ = ["DrystoneError", "InputError", "InternalError", "LcpError", "SceneError", "SimulationError"]


class DrystoneError(Exception):
    """Base of all errors of this package."""

    def __str__(self) -> str:
        # further arguments are attributes, and part of what is pickled
        return str(self.args[0]) if self.args else ""


class InputError(DrystoneError, ValueError):
    """A value, a name or an option that is not allowed; the message says what is."""


class SceneError(InputError):
    """A faulty scene.

    ``faults`` lists every fault found, each a dict with ``file``, ``line``, ``path``, ``subject`` (each may be ``None``) and
    ``message``.
    """

    def __init__(self, message: str, faults: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message, faults or [])

    @property
    def faults(self) -> list[dict[str, Any]]:
        return self.args[1]


class LcpError(InputError):
    """A complementarity problem, or a parameter of its solver, that is malformed."""


class SimulationError(DrystoneError, RuntimeError):
    """A step failed: the state is not finite, or a figure went beyond the world's limits.

    ``time`` (s), ``body`` (a name) and ``module`` say where; each may be ``None``.
    """

    def __init__(
        self, message: str, time: float | None = None, body: str | None = None, module: str | None = None
    ) -> None:
        super().__init__(message, time, body, module)

    @property
    def time(self) -> float | None:
        return self.args[1]

    @property
    def body(self) -> str | None:
        return self.args[2]

    @property
    def module(self) -> str | None:
        return self.args[3]


class InternalError(DrystoneError, RuntimeError):
    """The engine reached a state that it should never reach. Please report it."""
