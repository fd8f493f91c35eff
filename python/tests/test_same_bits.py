"""The package computes what the binary does, bit for bit."""

import json
import subprocess

import numpy as np
import pytest

import drystone

TIMES = ("wall_seconds", "step_ms", "awake_ms", "phase_ms", "gather_scatter_ms")


def binary_figures(binary, scene, *options):
    done = subprocess.run([binary, "run", scene, "--json", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("paradigm", drystone.paradigms())
@pytest.mark.parametrize("scene", ["two-balls", "box-stack"])
def test_figures_are_those_of_the_binary(drystone_binary, scene, paradigm):
    expected = binary_figures(drystone_binary, scene, "--paradigm", paradigm, "--steps", "60")
    found = drystone.run(scene, paradigm=paradigm, steps=60)
    assert found["state_hash"] == expected["state_hash"]
    for key in expected.keys() - set(TIMES):
        assert found[key] == expected[key], key


def test_settings_are_those_of_the_command_line(drystone_binary):
    options = ["--set", "simulation.lcp.iterations=3", "--set", "scene.gravity=[0, -1.5, 0]", "--steps", "50"]
    expected = binary_figures(drystone_binary, "box-stack", *options)
    settings = {"lcp": {"iterations": 3}, "scene.gravity": np.array([0, -1.5, 0])}
    found = drystone.run("box-stack", settings=settings, steps=50)
    assert found["state_hash"] == expected["state_hash"]
    # the negative control: another number of iterations has other bits
    assert (
        drystone.run("box-stack", settings={"lcp.iterations": 4, "scene.gravity": [0, -1.5, 0]}, steps=50)["state_hash"]
        != expected["state_hash"]
    )


def test_bits_do_not_depend_on_threads_nor_on_how_it_is_stepped():
    one = drystone.run("box-stack", steps=40)
    assert drystone.run("box-stack", steps=40, threads=3)["state_hash"] == one["state_hash"]
    world = drystone.World("box-stack")
    for _ in range(40):
        world.advance()
    assert world.state_hash == one["state_hash"]
    world = drystone.World("box-stack")
    world.advance(steps=40)
    assert world.state_hash == one["state_hash"]


def test_a_world_by_hand_has_the_bits_of_the_scene(boxes):
    scene = drystone.World(boxes)
    hand = drystone.World(paradigm="velocity-lcp")
    hand.add_body({"plane": {"normal": [0, 1, 0], "offset": 0}}, kind="fixed")
    for i in range(3):
        hand.add_body({"box": {"half_extents": np.full(3, 0.5)}}, position=[0, 0.5 + i, 0])
    for _ in range(30):
        scene.advance(0.01)
        hand.advance(0.01)
    assert hand.state_hash == scene.state_hash
    np.testing.assert_array_equal(hand.positions, scene.positions)
