"""Fixtures for all tests of the app in this process."""

import pytest


@pytest.fixture(autouse=True)
def no_spark_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Spark page that opens here does not start Java, because no test asks it for a check."""
    monkeypatch.setattr("tidemark.spark_bridge.warm_up", lambda *_, **__: None)
