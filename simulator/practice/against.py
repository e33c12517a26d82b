"""What speaks against a wrong answer to what fires next, in the numbers of the run: for each expected result."""

from collections.abc import Iterable, Sequence

from tidemark.simulator.explore.fired import Fired
from tidemark.simulator.explore.runs import Ran, watermark_after
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.practice import reasons
from tidemark.simulator.practice.believed import results
from tidemark.simulator.practice.levels import FORM
from tidemark.simulator.practice.reasons import Value, as_values, results_text
from tidemark.simulator.words import words


def against(item: Item, truth: Ran, moment: int, expected: Sequence[Value], fires: Iterable[Fired]) -> list[str]:
    """Why ``expected`` is not what fires at ``moment``, where ``fires`` is what fires next in truth; never empty.

    An answer that comes too late needs no other reason than that something fires before it.
    """
    right = list(fires)
    if moment > right[0].moment:
        return [words("practice.fires.later", moment=reasons.inside(item, right[0].moment))]
    together = right if moment == right[0].moment else []
    said = [each for value in expected for each in _of_result(item, truth, moment, value, together)]
    theirs = {_window(value) for value in expected}
    missing = as_values(each for each in together if _window(each) not in theirs)
    said = said or [words("practice.fires.missing", results=_told(item, truth, missing))]
    return list(dict.fromkeys(said))[: reasons.MOST]


def _of_result(item: Item, truth: Ran, moment: int, value: Value, together: Sequence[Fired]) -> list[str]:
    """What speaks against one result."""
    same = next((each for each in together if _window(each) == _window(value)), None)
    if same is not None:
        return _of_records(item, truth, set(same.value) ^ set(value.records))
    fired = [each for each in results(truth) if _window(each) == _window(value)]
    before = [each for each in fired if each.moment < moment]
    if before:
        known = {record for each in before for record in each.value}
        return [_already(item, truth, before[-1]), *_of_records(item, truth, set(value.records) - known)]
    watermark = watermark_after(truth.watermarks, moment)
    too_early = watermark is None or watermark < value.end - 1
    # At the moment of the right answer a window that never exists is a better reason than a watermark.
    if too_early and (fired or not together):
        return [reasons.of_watermark(item, truth, moment)]
    return _of_records(item, truth, value.records)


def _window(each: Fired | Value) -> tuple[str, int, int]:
    return str(each.key), each.start, each.end


def _of_records(item: Item, truth: Ran, records: Iterable[int]) -> list[str]:
    return [reasons.of_record(item, truth, record) for record in sorted(records)]


def _already(item: Item, truth: Ran, each: Fired) -> str:
    told = _told(item, truth, as_values([each]))
    return words("practice.fires.already", results=told, moment=reasons.inside(item, each.moment))


def _told(item: Item, truth: Ran, values: Sequence[Value]) -> str:
    return results_text(truth.scenario, values, keys=len(item.forms[FORM].keys) > 1)
