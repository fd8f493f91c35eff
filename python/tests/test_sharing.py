"""A world among processes and threads: forked, pickled, shared, interrupted."""

import copy
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import drystone
from drystone.vector import VectorWorld

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def in_a_fork(work, seconds=60.0):
    """What ``work`` answers in a forked child, as text; it must end by itself."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = str(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writes, said.encode()[:4000])
        os._exit(0)
    os.close(writes)
    end = time.monotonic() + seconds
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reads)
            pytest.fail("the child stands still")
        time.sleep(0.01)
    with os.fdopen(reads) as pipe:
        return pipe.read()


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_world_goes_on_in_a_forked_child(threads):
    world = drystone.World("wall", threads=threads)
    world.advance(steps=5)

    def go_on():
        world.advance(steps=5)
        return world.state_hash

    child = in_a_fork(go_on)
    assert child == go_on()  # the parent has lost nothing, and both have the same bits
    assert in_a_fork(lambda: in_a_fork(go_on)) == in_a_fork(go_on)  # nor is a child's child worse


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_vector_of_worlds_goes_on_in_a_forked_child():
    worlds = VectorWorld("box-stack", 4, threads=2)
    worlds.reset(seed=1)
    worlds.step(np.zeros((4, 0)))

    def go_on():
        worlds.step(np.zeros((4, 0)))
        return [w.state_hash for w in worlds.worlds]

    child = in_a_fork(go_on)
    assert child == str(go_on())


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_world_that_was_at_work_is_refused_in_a_forked_child():
    world = drystone.World("wall", paradigm="velocity-lcp", settings={"lcp.iterations": 20000, "lcp.tolerance": 0.0})
    at_work = threading.Thread(target=world.advance, kwargs={"steps": 1})
    at_work.start()
    time.sleep(0.05)
    was_at_work = at_work.is_alive()
    said = in_a_fork(lambda: world.time)
    at_work.join()
    assert was_at_work and "InputError: this world was at work in another thread" in said
    assert world.time > 0.0


def test_what_belongs_to_a_world_is_not_pickled_and_says_what_is():
    world = drystone.World("box-stack")
    world.advance()
    joint = drystone.World("newtons-cradle").joints[0]
    body = world.bodies[1]
    for thing, says in (
        (world, "read_snapshot"),
        (world.snapshot(), "to_bytes"),
        (body, "its own world"),
        (joint, "its own world"),
        (world.add_timer(1.0), "its own world"),
    ):
        for way in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=says):
                way(thing)
    for thing in (world, world.snapshot()):
        with pytest.raises(TypeError, match="cannot be copied"):
            copy.copy(thing)
    assert copy.copy(body) is body


def test_what_is_data_is_pickled():
    world = drystone.World("box-stack", paradigm="velocity-lcp")
    report = world.advance(steps=3)
    with pytest.raises(drystone.InputError) as told:
        world.body("nobody")
    with pytest.raises(drystone.SceneError) as scene_told:
        drystone.World("[[bodies]]\nname = 3")
    contacts = world.contacts()
    for way in (copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))):
        assert way(report).to_dict() == report.to_dict()
        assert (way(contacts).separations == contacts.separations).all()
        for error in (told.value, scene_told.value):
            again = way(error)
            assert type(again) is type(error) and str(again) == str(error)
    for values in ({}, {**report.to_dict(), "contacts": "x"}, {**report.to_dict(), "seconds": {}}):
        with pytest.raises(drystone.InputError, match="StepReport"):
            drystone.StepReport.from_dict(values)


def _steps(scene, data, steps):
    world = drystone.World(scene)
    world.restore(world.read_snapshot(data))
    return world.advance(steps=steps), world.state_hash


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_snapshot_takes_a_world_to_another_process(method):
    world = drystone.World("box-stack")
    world.advance(steps=3)
    data = world.snapshot().to_bytes()
    with multiprocessing.get_context(method).Pool(1) as pool:
        report, state = pool.apply_async(_steps, ("box-stack", data, 4)).get(timeout=120)
    mine = world.advance(steps=4)
    assert state == world.state_hash and report.contacts == mine.contacts


def test_threads_that_share_a_world_take_turns():
    world, alone = drystone.World("wall", threads=2), drystone.World("wall")
    alone.advance(steps=80)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(lambda: [world.advance() for _ in range(20)]) for _ in range(4)]:
            done.result(timeout=120)
    assert world.state_hash == alone.state_hash


def test_threads_that_read_and_edit_a_world_that_runs():
    world = drystone.World("box-stack")
    over = threading.Event()

    def edit():
        while not over.is_set():
            ball = world.add_body({"sphere": {"radius": 0.1}}, position=[5, 5, 0])
            ball.linear_velocity = [1, 0, 0]
            ball.remove()

    def read():
        while not over.is_set():
            count = len(world)
            assert count in (26, 27) and world.positions.shape[0] in (26, 27)
            world.restore(world.read_snapshot(world.snapshot().to_bytes())) if count == 0 else world.contacts()

    with ThreadPoolExecutor(3) as pool:
        ended = [pool.submit(work) for work in (edit, read, read)]
        for _ in range(40):
            world.advance()
        over.set()
        for one in ended:
            one.result(timeout=60)
    assert len(world) == 26


@pytest.mark.skipif(sys.platform == "win32", reason="timers of the system")
def test_a_long_run_is_interrupted_and_the_world_goes_on():
    world = drystone.World("wall", paradigm="velocity-lcp")

    class Rung(Exception):
        pass

    def ring(*_):
        raise Rung

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Rung):
            world.advance(steps=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    came = world.time
    again = drystone.World("wall", paradigm="velocity-lcp")
    again.advance(steps=round(came / world.time_step))
    assert came > 0.0 and world.state_hash == again.state_hash  # between two steps, and no step lost
    world.advance()
    assert world.time > came


SLOW = """
scene = { name = "slow", duration = 1 }
simulation = { paradigm = "velocity-lcp", lcp = { iterations = 20000, tolerance = 0.0 } }
[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }
[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0.499, 0]
mass = 1
repeat = { count = [1, 10, 1], step = [0, 0.999, 0] }
"""


@pytest.mark.skipif(sys.platform == "win32", reason="timers of the system")
def test_ctrl_c_ends_the_present_step_and_the_world_goes_on():
    world = drystone.World(SLOW)
    begun = time.perf_counter()
    world.advance()
    step = time.perf_counter() - begun
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    ring = threading.Timer(2.5 * step, os.kill, [os.getpid(), signal.SIGINT])
    try:
        ring.start()
        with pytest.raises(KeyboardInterrupt):
            world.advance(steps=10**9)
    finally:
        ring.cancel()
        signal.signal(signal.SIGINT, before)
    done = round(world.time / world.time_step)
    assert 1 < done < 30  # it was asked during the third
    again = drystone.World(SLOW)
    again.advance(steps=done)
    assert world.state_hash == again.state_hash
    world.advance()


@pytest.mark.skipif(sys.platform == "win32", reason="timers of the system")
def test_a_signal_handler_that_asks_a_world_at_work_is_told_so():
    world, other = drystone.World("wall", paradigm="velocity-lcp"), drystone.World("box-stack")
    heard = []

    def ask(*_):
        heard.append(other.advance().contacts)
        with pytest.raises(drystone.InputError, match="in the middle of a run"):
            _ = world.time
        heard.append("told")

    before = signal.signal(signal.SIGALRM, ask)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        world.run(steps=600)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard[1:] == ["told"] and world.time == pytest.approx(600 * world.time_step)


class Broken:
    """An executor that takes some jobs and then fails."""

    def __init__(self, most):
        self.left, self.pool = most, ThreadPoolExecutor(1)

    def submit(self, function, *args):
        if self.left == 0:
            raise OSError("no more room here")
        self.left -= 1
        return self.pool.submit(function, *args)


def test_an_executor_that_fails_is_heard():
    grid = {"scene.duration": [0.01, 0.02, 0.03, 0.04]}
    with pytest.raises(OSError, match="no more room"):
        drystone.sweep("box-stack", grid, ["velocity-lcp"], executor=Broken(2), progress=False, chunk=1)
    rows = drystone.sweep("box-stack", grid, ["velocity-lcp"], executor=Broken(100), progress=False, chunk=1)
    assert len(rows) == 4


def test_an_array_outlives_its_world_and_a_step():
    world = drystone.World("box-stack")
    before = world.positions
    kept = before.copy()
    body = world.bodies[3]
    world.advance(steps=30)
    body.remove()
    rows = len(world)
    del world
    assert (before == kept).all() and rows == 25
    with pytest.raises(drystone.InputError, match="removed"):
        _ = body.position
