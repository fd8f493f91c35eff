"""Body-steps per second and core of a vector of worlds.

    python python/benches/vector.py [--worlds N] [--steps S] [--threads T,T…] [--paradigm P]

A body-step is one dynamic body through one step. Time is processor time of this process, so that other work on the machine
counts little; on more than one thread it is the sum over them.
"""

import argparse
import time

import numpy as np

from drystone.vector import BodyWrench, VectorWorld

GROUND = {"name": "ground", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0}}}
BOX = {"half_extents": [0.5, 0.5, 0.5]}

SCENES = {
    # nothing touches: what the border and a step cost at least
    "16 balls in flight": [
        {
            "name": "ball",
            "shape": {"sphere": {"radius": 0.2}},
            "position": [0, 1000, 0],
            "repeat": {"count": [16, 1, 1], "step": [1, 0, 0]},
        }
    ],
    "16 boxes on the ground": [
        {
            "name": "box",
            "shape": {"box": BOX},
            "position": [0, 0.5, 0],
            "repeat": {"count": [4, 1, 4], "step": [2, 0, 2]},
        }
    ],
    "4 stacks of 4 boxes": [
        {
            "name": "box",
            "shape": {"box": BOX},
            "position": [0, 0.5, 0],
            "repeat": {"count": [2, 4, 2], "step": [2, 1, 2]},
        }
    ],
}


def measure(bodies, worlds, steps, threads, paradigm):
    first = "ball[0]" if bodies[0]["name"] == "ball" else "box[0]"
    scene = {"bodies": [GROUND, *bodies], "simulation": {"time_step": 0.01}}
    vector = VectorWorld(scene, worlds, [BodyWrench(first, "fx fz")], threads=threads, paradigm=paradigm)
    vector.reset()
    actions = np.random.default_rng(0).normal(size=(worlds, 2))
    for _ in range(10):
        vector.step(actions)
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(steps):
        vector.step(actions)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    count = worlds * steps * (len(vector.worlds[0]) - 1)
    return count / processor, count / wall


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--paradigm", default="velocity-lcp")
    options = parser.parse_args()
    print(f"{options.worlds} worlds, {options.steps} steps of 0.01 s, preset {options.paradigm}")
    print(f"{'scene':<26} {'threads':>7} {'body-steps/s and core':>22} {'body-steps/s (wall)':>20}")
    for name, bodies in SCENES.items():
        for threads in map(int, options.threads.split(",")):
            per_core, per_wall = measure(bodies, options.worlds, options.steps, threads, options.paradigm)
            print(f"{name:<26} {threads:>7} {per_core:>22.3g} {per_wall:>20.3g}")


if __name__ == "__main__":
    main()
