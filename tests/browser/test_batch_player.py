"""A scenario by Spark's rules in the player: batches instead of timers, the watermark between them, Why cards."""

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.ui.catalogue.walkable import walked

from tests.browser.player import ROOT, OpenPage

NAME = "spark-one-batch-behind"


def facts() -> timeline.Timeline:
    return timeline.build(*walked(scenarios.load(ROOT / "scenarios" / f"{NAME}.yaml")))


@pytest.mark.journey
def test_batches_replace_timers_and_the_output_names_them(open_player: OpenPage) -> None:
    run = facts()
    last = run.number_of_steps - 1
    page = open_player(f"/?scenario={NAME}&step={last}")
    assert page.locator('[data-table="timers"]').count() == 0
    rows = page.locator('[data-table="batches"] tbody tr').all()  # its card gives way to what the scenario showed
    shown = [row.locator("td").all_text_contents() for row in rows]
    batches = sorted(run.at(last, "batches")["batches"], key=lambda batch: -batch["number"])
    assert shown == [
        [
            str(batch["number"]),
            f"{batch['late_watermark'] / 1000:.3f}",
            f"{batch['watermark'] / 1000:.3f}",
            *(str(batch[name]) for name in ("rows_in", "rows_out", "state_rows")),
        ]
        for batch in batches
    ]
    output = page.locator('[data-table="output"] tbody tr').all_inner_texts()
    assert [row.split("\t")[-1] for row in output] == ["batch 3", "batch 2", "batch 1"]
    assert "dropped from [0, 10)" in output[1]
    assert page.locator(".tm-minimum").inner_text().split("\n") == ["of the batch", "21.000"]


def test_waiting_windows_are_counted_and_say_what_they_wait_for(open_player: OpenPage) -> None:
    run = facts()
    step = next(row["step"] for row in run.tables["steps"] if row["event"] == "PartialUpdated" and row["item"] == 2)
    page = open_player(f"/?scenario={NAME}&step={step}")
    assert page.locator(".tm-batches .tm-card-note").inner_text() == "batch 0 is running"
    page.keyboard.press("w")
    card = page.locator(".tm-reason").inner_text()
    assert "Why is window [10, 20) of key a still kept?" in card
    assert "It is not in state yet" in card
    assert "A record of 22.0 s or later" in card
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    assert page.locator(".tm-batches .tm-card-note").inner_text() == "1 record is waiting"
