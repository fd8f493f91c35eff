"""What tests share: the binary, where there is one."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import drystone

ROOT = Path(__file__).resolve().parents[2]

BOXES = {
    "scene": {"name": "boxes", "duration": 0.5},
    "bodies": [
        {"name": "ground", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0}}},
        {
            "name": "box",
            "shape": {"box": {"half_extents": [0.5, 0.5, 0.5]}},
            "position": [0, 0.5, 0],
            "repeat": {"count": [1, 3, 1], "step": [0, 1, 0]},
        },
    ],
    "simulation": {"paradigm": "velocity-lcp", "time_step": 0.01},
}


@pytest.fixture
def boxes():
    """Three boxes on the ground."""
    return BOXES


def binary() -> str | None:
    """The `drystone` of this workspace, or the one in DRYSTONE_BINARY."""
    given = os.environ.get("DRYSTONE_BINARY")
    if given:
        return given
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [p for p in (target / "release" / "drystone", target / "debug" / "drystone") if p.exists()]
    return str(built[0]) if built else shutil.which("drystone")


@pytest.fixture(scope="session")
def drystone_binary():
    found = binary()
    if found is None:
        pytest.skip("no drystone binary: cargo build --release -p drystone-cli, or DRYSTONE_BINARY")
    listed = subprocess.run([found, "list", "--json"], capture_output=True, text=True, check=True).stdout
    if json.loads(listed) != drystone.catalogue():
        pytest.fail(f"{found} is of another version than the package: cargo build --release -p drystone-cli")
    return found
