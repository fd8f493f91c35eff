"""Sweeps: nothing is lost, whoever runs them."""

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import drystone
from drystone.sweeps import read
from drystone.sweeps.jobs import expand, plan, run_jobs

pd = pytest.importorskip("pandas")
GRID = {"lcp.iterations": [1, 2, 3, 4], "materials.default.friction": [0.2, 0.4]}
#: What depends on the machine and its load.
TIMES = ("wall_seconds", "step_ms_", "awake_ms_", "phase_ms_", "gather_scatter_ms")


def without_times(frame):
    return frame[[c for c in frame.columns if not c.startswith(TIMES)]]


@pytest.fixture
def boxes(boxes):
    """Three boxes that slide: friction and iterations make a difference, as they do not to boxes at rest."""
    ground, box = boxes["bodies"]
    return boxes | {"bodies": [ground, box | {"linear_velocity": [1, 0, 0]}]}


@pytest.fixture
def serial(boxes):
    """What one thread finds."""
    with ThreadPoolExecutor(1) as threads:
        return drystone.sweep(boxes, GRID, ["velocity-lcp"], threads, steps=5, progress=False)


def test_rows_are_the_runs(boxes, serial):
    assert len(serial) == 8 and set(serial["status"]) == {"done"} and list(serial["number"]) == list(range(8))
    row = serial.iloc[5]
    assert row["set:lcp.iterations"] == 3 and row["set:materials.default.friction"] == 0.4
    figures = drystone.run(
        boxes, paradigm="velocity-lcp", settings={"lcp.iterations": 3, "materials.default.friction": 0.4}, steps=5
    )
    assert row["state_hash"] == figures["state_hash"] and row["energy_final"] == figures["energy"]["final"]
    assert row["momentum_linear_final_y"] == figures["momentum"]["linear_final"][1]
    assert serial["key"].is_unique and serial["state_hash"].is_unique


def test_processes_find_the_same(boxes, serial, tmp_path):
    found = drystone.sweep(boxes, GRID, ["velocity-lcp"], steps=5, workers=2, out=tmp_path / "out", progress=False)
    pd.testing.assert_frame_equal(without_times(found), without_times(serial))
    kept = read(tmp_path / "out")
    pd.testing.assert_frame_equal(without_times(kept), without_times(serial), check_dtype=False)
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_other_frames_have_the_same_rows(boxes, serial, tmp_path):
    arrow = drystone.sweep(
        boxes, GRID, ["velocity-lcp"], steps=5, workers=1, out=tmp_path / "out", progress=False, frame="arrow"
    )
    assert arrow.column("state_hash").to_pylist() == list(serial["state_hash"])
    polars = pytest.importorskip("polars")
    found = read(tmp_path / "out", frame="polars")
    assert isinstance(found, polars.DataFrame) and found["state_hash"].to_list() == list(serial["state_hash"])
    with pytest.raises(drystone.InputError, match="polars"):
        drystone.sweep(boxes, GRID, steps=5, frame="excel")


def test_failures_are_rows(boxes, tmp_path):
    grid = [{"lcp.iterations": 5}, {"lcp.iterationss": 5}, {"bodies.box.linear_velocity": [1e200, 0, 0]}]
    with ThreadPoolExecutor(1) as threads:
        found = drystone.sweep(boxes, grid, None, threads, steps=5, out=tmp_path, progress=False)
    assert list(found["status"]) == ["done", "invalid", "failed"]
    assert "iterationss" in found["error"][1] and found["error"][2]
    assert np.isfinite(found["energy_final"][0]) and found["energy_final"][1:].isna().all()


def test_keys_stand_for_all_that_decides(boxes):
    def key(scene=boxes, steps=5, grid=None, paradigm=None, seed=0):
        return expand(plan(scene, None, steps), [grid or {}], [paradigm], [seed])[0].key

    other = {**boxes, "scene": {"gravity": [0, -1, 0]}}
    keys = [
        key(), key(other), key(steps=6), key(grid={"lcp.iterations": 1}), key(paradigm="mechanism"), key(seed=1)
    ]  # fmt: skip
    assert len(set(keys)) == len(keys) and key() == keys[0]


class Counting(ThreadPoolExecutor):
    """Counts jobs that are given out."""

    jobs = 0

    def submit(self, function, *args):
        Counting.jobs += len(args[1])
        return super().submit(function, *args)


def test_what_is_there_is_not_run_again(boxes, tmp_path):
    with Counting(1) as threads:
        drystone.sweep(boxes, {"lcp.iterations": [1, 2]}, None, threads, steps=3, out=tmp_path, progress=False)
        assert Counting.jobs == 2
        found = drystone.sweep(
            boxes, {"lcp.iterations": [1, 2, 3]}, None, threads, steps=3, out=tmp_path, progress=False
        )
        assert Counting.jobs == 3 and len(found) == 3
        drystone.sweep(boxes, {"lcp.iterations": [1, 2, 3]}, None, threads, steps=4, out=tmp_path, progress=False)
        assert Counting.jobs == 6, "another length is another job"
    assert len(read(tmp_path)) == 6


def test_a_sweep_that_is_broken_off_keeps_its_rows(boxes, tmp_path):
    class Breaking(ThreadPoolExecutor):
        def submit(self, function, *args):
            if args[1][0].number >= 3:
                raise KeyboardInterrupt
            return super().submit(function, *args)

    grid = {"lcp.iterations": list(range(1, 9))}
    with Breaking(1) as threads:
        threads._max_workers = 1
        with pytest.raises(KeyboardInterrupt):
            drystone.sweep(boxes, grid, None, threads, steps=3, out=tmp_path, progress=False, chunk=1)
    before = len(read(tmp_path)) if any(tmp_path.glob("*.parquet")) else 0
    with ThreadPoolExecutor(1) as threads:
        found = drystone.sweep(boxes, grid, None, threads, steps=3, out=tmp_path, progress=False)
    assert len(found) == 8 and set(found["status"]) == {"done"} and before <= 3


class Killing:
    """A progress bar that kills a worker when the first rows come, or more than so many."""

    def __init__(self, victim, after=0):
        self.victim, self.after, self.rows, self.at = victim, after, 0, None

    def update(self, rows):
        if self.at is None and self.rows >= self.after:
            self.at = self.rows
            os.kill(self.victim(), signal.SIGKILL)
        self.rows += rows

    def close(self):
        pass


def killing(monkeypatch, victim, after=0):
    bar = Killing(victim, after)
    monkeypatch.setattr("drystone.sweeps.run._bar", lambda *_: bar)
    return bar


#: Long enough that most of it is left when the first rows come.
MANY = {"lcp.iterations": list(range(1, 61))}


TEN_THOUSAND = {
    "lcp.iterations": list(range(1, 101)),
    "materials.default.friction": [0.01 * k for k in range(1, 101)],
}


def nothing_is_lost(bar, found):
    """A worker was killed about half way, and each of the 10^4 runs has its row."""
    assert 5000 <= bar.at < 6000 and bar.rows == 10000
    assert len(found) == 10000 and set(found["status"]) == {"done"} and found["key"].is_unique
    assert list(found["number"]) == list(range(10000))


def workers(parent: int) -> list[int]:
    """Processes below a process that run Python's spawned workers."""
    found, parents = [], {parent}
    for _ in range(3):
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit() or int(folder.name) in parents:
                continue
            try:
                stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                command = (folder / "cmdline").read_text()
            except OSError:
                continue
            if int(stat[1]) in parents and stat[0] != "Z":
                parents.add(int(folder.name))
                if "resource_tracker" not in command:
                    found.append(int(folder.name))
    return [p for p in found if any(_parent(p) == q for q in found)] or found


def _parent(pid: int) -> int:
    try:
        return int((Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_killed_worker_loses_nothing(boxes, monkeypatch):
    bar = killing(monkeypatch, lambda: workers(os.getpid())[-1])
    found = drystone.sweep(boxes, MANY, steps=200, workers=2, chunk=2)
    assert bar.at == 0 and bar.rows == 60
    assert len(found) == 60 and set(found["status"]) == {"done"}
    assert found["state_hash"][7] == drystone.run(boxes, settings={"lcp.iterations": 8}, steps=200)["state_hash"]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_of_ten_thousand_jobs_none_is_lost(boxes, monkeypatch, tmp_path):
    bar = killing(monkeypatch, lambda: workers(os.getpid())[-1], after=5000)
    found = drystone.sweep(boxes, TEN_THOUSAND, steps=5, workers=2, out=tmp_path)
    nothing_is_lost(bar, found)
    assert len(read(tmp_path)) == 10000


def test_a_job_that_kills_its_worker_is_a_row(boxes, monkeypatch):
    from drystone.sweeps import run

    monkeypatch.setattr(run, "run_jobs", deadly)
    found = drystone.sweep(boxes, {"lcp.iterations": [1, 2, 3]}, steps=3, workers=1, chunk=1, progress=False)
    assert list(found["status"]) == ["done", "lost", "done"] and "died" in found["error"][1]


def deadly(plan, jobs):
    if any(job.settings["lcp.iterations"] == 2 for job in jobs):
        os.kill(os.getpid(), signal.SIGKILL)
    return run_jobs(plan, jobs)


def test_an_executor_is_asked_for_what_it_has(boxes):
    with pytest.raises(drystone.InputError, match="executor"):
        drystone.sweep(boxes, {}, executor=object(), steps=1, progress=False)
    with pytest.raises(drystone.InputError, match="list of values"):
        drystone.sweep(boxes, {"lcp.iterations": 3}, steps=1, progress=False)
    with ProcessPoolExecutor(1) as processes:
        assert len(drystone.sweep(boxes, {}, executor=processes, steps=1, progress=False)) == 1


@pytest.mark.long
def test_dask_finds_the_same_and_loses_nothing(boxes, serial, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "local_directory": str(tmp_path)}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as client:
        found = drystone.sweep(boxes, GRID, ["velocity-lcp"], client, steps=5, progress=False)
        pd.testing.assert_frame_equal(without_times(found), without_times(serial))
        # a worker is killed half way; its nanny brings another
        pids = list(client.run(os.getpid).values())
        bar = killing(monkeypatch, lambda: pids[0], after=5000)
        nothing_is_lost(bar, drystone.sweep(boxes, TEN_THOUSAND, None, client, steps=5))


@pytest.mark.long
def test_ray_finds_the_same_and_loses_nothing(boxes, serial, monkeypatch):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        found = drystone.sweep(boxes, GRID, ["velocity-lcp"], ray, steps=5, progress=False)
        pd.testing.assert_frame_equal(without_times(found), without_times(serial))
        bar = killing(monkeypatch, ray_worker)
        # long enough that one of them runs when a worker is looked for
        found = drystone.sweep(boxes, MANY, None, ray, steps=4000, chunk=2)
        assert bar.at == 0 and len(found) == 60 and set(found["status"]) == {"done"}
        bar = killing(monkeypatch, ray_worker, after=5000)
        nothing_is_lost(bar, drystone.sweep(boxes, TEN_THOUSAND, None, ray, steps=5))
    finally:
        ray.shutdown()
    with pytest.raises(drystone.InputError, match=r"ray\.init"):
        drystone.sweep(boxes, {}, executor=ray, steps=1, progress=False)


def ray_worker():
    """A process that runs one of this package's tasks; Ray names its workers by what they do."""
    for _ in range(200):
        for pid in workers(os.getpid()):
            if "run_jobs" in (Path("/proc") / str(pid) / "cmdline").read_text():
                return pid
        time.sleep(0.05)
    raise AssertionError("no worker of Ray runs a task")
