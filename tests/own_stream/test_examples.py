"""The examples of the page *Your stream*: their stored profiles are those that Spark computes, word for word."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.words import speaking
from tidemark.spark_bridge.example_profiles.__main__ import profiled
from tidemark.spark_bridge.examples import EXAMPLES, PROFILES, as_text, stored_profile


def stored(name: str) -> str:
    return (PROFILES / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.spark
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_stored_profile_is_what_the_profile_computes(spark: Any, name: str) -> None:
    assert profiled(name) == stored(name), "python -m spark_bridge.example_profiles writes it again"


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_of_a_stored_profile_is_lost_on_the_way(name: str) -> None:
    assert as_text(stored_profile(name)) == stored(name)
    assert {each.stem for each in PROFILES.glob("*.json")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_has_something_wrong_with_it_and_says_so_in_the_readers_language(name: str) -> None:
    english = stored_profile(name).findings
    with speaking("zh"):
        chinese = stored_profile(name).findings
    assert len(english) == len(chinese) >= 1
    for one, other in zip(english, chinese, strict=True):
        assert one.text != other.text
        assert one.price != other.price
        assert one.cures == other.cures != {}


def test_a_stored_profile_is_shown_without_pyspark() -> None:
    code = (
        "import sys; from tidemark.spark_bridge.examples import EXAMPLES, stored_profile;"
        "[stored_profile(each) for each in EXAMPLES]; print('pyspark' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    shown = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"
