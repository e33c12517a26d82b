"""The report on a class: files in, gains out; what is no file of answers is left out with its reason."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.inventory.__main__ import lines, main
from tidemark.simulator.inventory.choices import HELD, answers_by
from tidemark.simulator.inventory.gain import (
    RUNNABLE,
    AnswersError,
    beliefs_csv,
    gain,
    learners_csv,
    read_answers,
    report_of,
    simulated_class,
    written,
)
from tidemark.simulator.inventory.items import edition


def test_thirteen_learners_with_one_belief_each_are_all_diagnosed() -> None:
    report = report_of(simulated_class(RUNNABLE, keeping=["wall-clock"]))
    assert [each.graded["A"].held for each in report.learners] == [(belief,) for belief in RUNNABLE]
    assert [each.graded["B"].held for each in report.learners if each.graded["B"].held] == [("wall-clock",)]
    of_beliefs = {each.belief: each for each in report.beliefs}
    for belief in RUNNABLE:
        assert of_beliefs[belief].held == (1, int(belief == "wall-clock"))
        assert of_beliefs[belief].gain == (0.0 if belief == "wall-clock" else 1.0)
    assert of_beliefs["keeps-everything"].gain is None
    assert (report.mean("A"), report.mean("B")) == (12.0, 15 - 3 / 13)
    assert report.gain == pytest.approx(12 / 13)
    print("\n" + "\n".join(lines(report)))


def test_the_gain_is_the_part_of_what_could_be_gained() -> None:
    assert gain(5, 10, 15) == 0.5
    assert gain(10, 5, 15) == -1.0
    assert gain(15, 15, 15) is None


def test_two_files_of_one_learner_are_a_pair_and_a_copy_changes_nothing() -> None:
    before, after = (written("k7qm-3wxt", {form: answers_by(form)}) for form in "AB")
    report = report_of([("a.json", before), ("b.json", after), ("b (1).json", after)])
    assert len(report.pairs) == len(report.learners) == 1
    assert report.refused == ()
    alone = report_of([("a.json", before)])
    assert (len(alone.learners), alone.pairs, alone.mean("A"), alone.gain) == (1, (), None, None)


def test_of_too_many_files_the_first_ones_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.simulator.inventory.gain.ANSWERS_FILES", 2)
    files = [(f"{id}.json", written(id, {"A": answers_by("A")})) for id in ("aaaa-2222", "bbbb-2222", "cccc-2222")]
    report = report_of(files)
    assert [each.id for each in report.learners] == ["aaaa-2222", "bbbb-2222"]
    assert [name for name, _ in report.refused] == ["cccc-2222.json"]


def test_other_answers_under_the_same_id_are_refused() -> None:
    files = [("a.json", "wall-clock"), ("b.json", "end-inclusive")]
    report = report_of([(name, written("k7qm-3wxt", {"A": answers_by("A", belief)})) for name, belief in files])
    assert report.learners[0].graded["A"].held == ("wall-clock",)
    assert report.refused == (("b.json", "other answers of k7qm-3wxt to the same form are in another file"),)


GOOD: dict[str, Any] = {
    "tidemark": "inventory",
    "edition": edition(),
    "id": "k7qm-3wxt",
    "forms": {"A": {"answers": [0] * 15}},
}
WRONG = [
    ("", "not a JSON file"),
    ("[" * 100_000, "larger than 20 KiB"),
    ("[" * 20_000, "not a JSON file"),
    ('{"tidemark": NaN}', "not a file of answers"),
    ("[]", "not a file of answers"),
    (GOOD | {"tidemark": "lecture"}, "not a file of answers"),
    (GOOD | {"id": "<img src=x onerror=alert(1)>"}, "it has no valid code"),
    (GOOD | {"id": "=1+1-aaaa"}, "it has no valid code"),
    (GOOD | {"id": 7}, "it has no valid code"),
    (GOOD | {"edition": "00000000"}, "the answers belong to another edition of the questions"),
    (GOOD | {"forms": {}}, "neither form A nor form B is in it"),
    (GOOD | {"forms": {"C": {"answers": [0] * 15}}}, "neither form A nor form B is in it"),
    (GOOD | {"forms": {"A": [0] * 15}}, "form A does not have 15 answers"),
    (GOOD | {"forms": {"A": {"answers": [0] * 14}}}, "form A does not have 15 answers"),
    (GOOD | {"forms": {"A": {"answers": [0] * 14 + [4]}}}, "form A, question 15: not one of the choices"),
    (GOOD | {"forms": {"A": {"answers": [-1] + [0] * 14}}}, "form A, question 1: not one of the choices"),
    (GOOD | {"forms": {"A": {"answers": [True] + [0] * 14}}}, "form A, question 1: not one of the choices"),
    (GOOD | {"forms": {"A": {"answers": ["0"] + [0] * 14}}}, "form A, question 1: not one of the choices"),
]


@pytest.mark.parametrize(("content", "why"), WRONG)
def test_a_bad_file_is_left_out_with_its_reason(content: Any, why: str) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    good = written("abcd-2345", {"A": answers_by("A")})
    report = report_of([("bad.json", text), ("good.json", good)])
    assert report.refused == (("bad.json", why),)
    assert len(report.learners) == 1


def test_a_forged_score_changes_nothing() -> None:
    forged = GOOD | {"score": 15, "forms": {"A": {"answers": [None] * 15, "score": 15, "right": 15}}}
    report = report_of([("forged.json", json.dumps(forged))])
    assert report.learners[0].graded["A"].right == 0


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(AnswersError):
        read_answers(text)


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
        lambda each: st.lists(each, max_size=15),
    )
)
def test_any_json_in_the_place_of_answers_is_read_or_refused(value: Any) -> None:
    report = report_of([("a.json", json.dumps(GOOD | {"forms": {"A": {"answers": value}}}))])
    assert len(report.learners) + len(report.refused) == 1


def test_the_csv_has_a_line_for_each_learner_and_each_belief() -> None:
    report = report_of(simulated_class(RUNNABLE))
    learners = list(csv.DictReader(io.StringIO(learners_csv(report))))
    assert [row["score_A"] for row in learners] == ["12"] * 13
    assert (learners[6]["wall-clock_A"], learners[6]["wall-clock_B"]) == ("3", "0")
    rows = {row["belief"]: row for row in csv.DictReader(io.StringIO(beliefs_csv(report)))}
    assert list(rows) == list(HELD)
    assert rows["wall-clock"] == {
        "belief": "wall-clock", "items": "3", "pairs": "13", "held_A": "1", "held_B": "0",
        "answers_A": "3", "answers_B": "0", "gain": "1.00",
    }  # fmt: skip


def test_how_many_chose_what() -> None:
    report = report_of(simulated_class(RUNNABLE))
    counts = report.chosen("A")
    assert all(sum(each) == 13 for each in counts)
    assert sum(each[-1] for each in counts) == 0


def test_the_command_reports_on_files_and_on_a_simulated_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in simulated_class(["wall-clock"]):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    (tmp_path / "other.json").write_bytes(b"\xff")
    assert main([str(tmp_path / name) for name in ("wall-clock.json", "notes.txt", "other.json")]) == 0
    said, complaints = capsys.readouterr()
    shown = said.splitlines()
    assert shown[0] == "learners: 1, with both forms: 1"
    assert any(line.startswith("wall-clock") and "1 → 0" in line and line.endswith("1.00") for line in shown)
    assert shown[-1].endswith("notes.txt: not a JSON file")
    assert "other.json: cannot be read" in complaints
    assert main([str(tmp_path / "notes.txt")]) == 2
    capsys.readouterr()
    assert main([]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "15 of 15 learners are diagnosed with exactly the misconception that they hold"
    )
