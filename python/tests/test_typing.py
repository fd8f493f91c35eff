"""The stubs hold: what the README, the book and the notebooks show passes a strict type checker."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
#: What the pieces of text take as given.
GIVEN = """import drystone
import numpy as np

A, b = np.eye(2), np.array([-1.0, 1.0])
"""
#: What a checker has to find, so that one that looks at nothing does not pass.
WRONG = """import drystone

world = drystone.World(5)
world.advance(steps="ten")
world.positions.shape.nothing
world["a"].mas
"""


def pieces():
    for path in sorted((HERE / "notebooks").glob("*.ipynb")):
        cells = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
        yield path.stem, "\n\n".join("".join(c["source"]) for c in cells)
    for path in (HERE / "README.md", HERE.parent / "docs" / "src" / "python.md"):
        blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
        for i, block in enumerate(blocks):
            yield f"{path.stem}_{i}", GIVEN + block


def check(folder, name, text):
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    # the package as it is installed, by the stubs that come with it
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--ignore-missing-imports",
        "--cache-dir",
        str(folder / "cache"),
    ]
    return subprocess.run([*command, file.name], cwd=folder, capture_output=True, text=True, check=False)


def test_what_is_shown_is_typed(tmp_path):
    pytest.importorskip("mypy")
    shown = dict(pieces())
    assert len(shown) >= 6
    for name, text in shown.items():
        told = check(tmp_path, name, text)
        assert told.returncode == 0, f"{name}:\n{told.stdout}{told.stderr}"


def test_what_is_wrong_is_found(tmp_path):
    pytest.importorskip("mypy")
    told = check(tmp_path, "wrong", WRONG)
    found = {int(line.split(":")[1]) for line in told.stdout.splitlines() if ": error:" in line}
    assert found == {3, 4, 5, 6}, told.stdout
