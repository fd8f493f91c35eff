"""What Python writes is there whole or not at all, whatever ends the program."""

import subprocess
import sys
import time

import numpy as np
import pytest

from drystone._files import replacing

#: Writes files of one letter each, one after the other, until it is killed.
ENDLESS = """
import sys
from drystone._files import replacing
for k in range(10**9):
    with replacing(sys.argv[1]) as part:
        part.write_text("ab"[k % 2] * 10**6, encoding="utf-8")
    print(k, flush=True)
"""


def test_a_program_that_is_killed_at_any_time_leaves_a_whole_file(tmp_path):
    rng, path = np.random.default_rng(54), tmp_path / "motion.mcap"
    for _ in range(10):
        with subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE) as program:
            program.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.05))
            program.kill()
        text = path.read_text(encoding="utf-8")
        assert text in ("a" * 10**6, "b" * 10**6)


def test_an_error_keeps_the_former_file_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "motion.usda"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(ValueError, match="halfway"), replacing(path) as part:
        assert part.suffix == ".usda"
        part.write_text("half of it", encoding="utf-8")
        raise ValueError("halfway")
    assert path.read_text(encoding="utf-8") == "before"
    # the control: what is written without an error replaces it
    with replacing(path) as part:
        part.write_text("after", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "after"
    assert list(tmp_path.iterdir()) == [path]
