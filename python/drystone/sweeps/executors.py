"""Executors as a sweep sees them: tasks in, pairs of task and outcome back in any order."""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import Any, Protocol

from ..errors import InputError

__all__ = ["Backend", "WorkerLost", "backend_for", "cores"]


class WorkerLost(Exception):
    """The worker of a task died, and the task with it."""


class Backend(Protocol):
    """Where tasks run."""

    #: Tasks that may be under way at once.
    room: int

    def submit(self, number: int, function: Callable[..., Any], *args: Any) -> None: ...

    def next(self) -> tuple[int, Any]:
        """Waits for a task that has ended: its number, and its result or exception."""

    def close(self, cancel: bool) -> None: ...


class Futures:
    """Anything with ``submit`` that gives futures with ``add_done_callback``; pools of processes are made anew when they break."""

    def __init__(self, executor: Any, own: Callable[[], Any] | None, room: int) -> None:
        self.executor, self.own, self.room = executor, own, room
        self.ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.futures: dict[int, Any] = {}

    def submit(self, number: int, function: Callable[..., Any], *args: Any) -> None:
        try:
            future = self.executor.submit(function, *args)
        except BrokenExecutor:
            if self.own is None:
                raise
            self.executor = self.own()
            future = self.executor.submit(function, *args)
        self.futures[number] = future
        future.add_done_callback(lambda f: self.ended.put((number, f)))

    def next(self) -> tuple[int, Any]:
        number, future = self.ended.get()
        self.futures.pop(number, None)
        try:
            return number, future.result()
        except Exception as error:
            if self.own is None and isinstance(error, BrokenExecutor):
                raise
            return number, WorkerLost(str(error)) if _is_loss(error) else error

    def close(self, cancel: bool) -> None:
        if cancel:
            for future in self.futures.values():
                future.cancel()
        if self.own is not None:
            self.executor.shutdown(wait=True, cancel_futures=cancel)


def _is_loss(error: BaseException) -> bool:
    """Whether the worker died, not the task: the names that Dask gives it are not importable without it."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ in (
        "KilledWorker",
        "CommClosedError",
        "CancelledError",
    )


class RayTasks:
    """Ray's tasks, through the module ``ray`` as it is."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        if not ray.is_initialized():
            raise InputError("executor: Ray is not initialized; allowed: after ray.init()")
        self.room = max(2, 4 * int(ray.cluster_resources().get("CPU", 1)))
        self.remote: dict[Any, Any] = {}
        self.pending: dict[Any, int] = {}

    def submit(self, number: int, function: Callable[..., Any], *args: Any) -> None:
        if function not in self.remote:
            # a lost worker is told of at once; the sweep tries again itself
            self.remote[function] = self.ray.remote(max_retries=0)(function)
        self.pending[self.remote[function].remote(*args)] = number

    def next(self) -> tuple[int, Any]:
        (ended,), _ = self.ray.wait(list(self.pending), num_returns=1)
        number = self.pending.pop(ended)
        try:
            return number, self.ray.get(ended)
        except self.ray.exceptions.WorkerCrashedError as error:
            return number, WorkerLost(str(error))
        except self.ray.exceptions.RayError as error:
            return number, error

    def close(self, cancel: bool) -> None:
        if cancel:
            for task in self.pending:
                self.ray.cancel(task)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processes(workers: int) -> Callable[[], ProcessPoolExecutor]:
    # processes that begin fresh: none inherits a lock that a thread of this one holds
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    return lambda: ProcessPoolExecutor(workers, mp_context=context)


def backend_for(executor: Any, workers: int | None) -> Backend:
    """The backend of an executor: ``None`` for processes of one's own."""
    if executor is None:
        count = workers or cores()
        own = _processes(count)
        return Futures(own(), own, 4 * count)
    if hasattr(executor, "is_initialized") and hasattr(executor, "remote"):
        return RayTasks(executor)
    if hasattr(executor, "nthreads") and hasattr(executor, "get_executor"):
        # Dask: the client's executor, whose futures are those of concurrent.futures; it retries lost tasks itself
        count = sum(executor.nthreads().values()) or 1
        return Futures(executor.get_executor(pure=False), None, 4 * count)
    if hasattr(executor, "submit"):
        return Futures(executor, None, 4 * (getattr(executor, "_max_workers", None) or workers or 8))
    raise InputError(
        f"executor: found {executor!r}; allowed: None, an executor with submit, a Dask client, the module ray"
    )
