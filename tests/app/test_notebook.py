"""``show("scenario.yaml")``: the output of a notebook's cell, and what is said where there is none."""

import gzip
import json
import re
from base64 import b64decode
from html import unescape
from pathlib import Path

import pytest
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.ui.share.notebook import NotShownError, show

SCENARIO = Path(__file__).parents[2] / "scenarios" / "late-but-allowed.yaml"


def sent(output: str) -> str:
    """The facts in the frame of a cell, as JSON text."""
    page = unescape(output.split('srcdoc="')[1].split('"')[0])
    found = re.search(r'id="facts">([^<]+)<', page)
    assert found is not None
    return gzip.decompress(b64decode(found[1])).decode()


def test_a_cell_has_one_frame_that_may_run_but_reads_nothing() -> None:
    output = show(SCENARIO, step=80)._repr_html_()
    assert output.count("<iframe") == output.count("</iframe>") == 1
    assert 'sandbox="allow-scripts allow-downloads allow-popups"' in output
    assert 'height="520"' in output
    assert output.endswith(">Trust this notebook to see the walkthrough here, or run the cell.</iframe>")
    assert "http://" not in output.replace("http://www.w3.org/", "")
    assert json.loads(sent(output))["name"] == "late-but-allowed"
    assert len(repr(show(SCENARIO))) < 100, "a notebook keeps it beside the frame"


def test_a_student_edition_in_a_cell_has_no_answers() -> None:
    reason = "Being out of order is no reason"
    assert reason in sent(show(SCENARIO)._repr_html_())
    assert reason not in sent(show(SCENARIO, student=True)._repr_html_())


def test_a_title_cannot_leave_the_frame(tmp_path: Path) -> None:
    path = tmp_path / "late-but-allowed.yaml"
    text = SCENARIO.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^title:.*$", "title: '\"></iframe></script><b>'", text), encoding="utf-8")
    output = show(path)._repr_html_()
    assert output.count("</iframe>") == 1
    assert "<b>" not in output


def test_what_cannot_be_shown_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotShownError, match="no step 999: this run has the steps 0 to 160"):
        show(SCENARIO, step=999)
    with pytest.raises(NotShownError, match="no language fr; there are en, zh"):
        show(SCENARIO, language="fr")
    with pytest.raises(ScenarioError, match=r"nowhere\.yaml"):
        show(tmp_path / "nowhere.yaml")
