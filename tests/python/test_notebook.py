"""The notebook of the documents, executed as Jupyter does."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.time_limit(300)
@pytest.mark.filterwarnings("default")
def test_every_cell_of_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(ROOT / "docs" / "users" / "notebook.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3").execute(cwd=str(ROOT))
    shown = [each.data for cell in notebook.cells for each in cell.get("outputs", []) if "data" in each]
    pages = [each["text/html"] for each in shown if "text/html" in each]
    assert any("application/vnd.jupyter.widget-view+json" in each for each in shown), "the player is a widget"
    assert (sum("vegaEmbed" in each for each in pages), sum("<table" in each for each in pages)) == (3, 2)
