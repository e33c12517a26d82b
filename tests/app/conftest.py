"""What holds for all tests of the app in this process."""

import pytest


@pytest.fixture(autouse=True)
def no_spark_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of Spark's that is opened here does not start Java: nobody is going to ask for a check."""
    monkeypatch.setattr("spark_bridge.warm_up", lambda *_, **__: None)
