"""The example notebooks run from their first cell to their last."""

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs(path, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel"), pytest.importorskip("matplotlib")
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pages = [o for c in notebook.cells for o in c.get("outputs", []) if "text/html" in o.get("data", {})]
    if path.stem == "worlds":
        assert any("<iframe srcdoc=" in o["data"]["text/html"] for o in pages)
        assert any("image/png" in o.get("data", {}) for c in notebook.cells for o in c.get("outputs", []))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 2
