"""``python -m spark_bridge.example_profiles`` profiles the examples with Spark and writes what ``examples`` reads."""

from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from tidemark.spark_bridge import stream_page
from tidemark.spark_bridge.examples import EXAMPLES, MINUTE, PROFILES, as_text, write
from tidemark.spark_bridge.files.request import Files


def profiled(name: str) -> str:
    """The profile of an example, as text: of the columns that are guessed, with windows of one minute. Runs Spark."""
    with TemporaryDirectory() as folder:
        paths = (str(write(EXAMPLES[name](), Path(folder))),)
        files = Files(paths, stream_page.first_rows(paths).columns)
        request = stream_page.profile_request({"window": MINUTE})
        return as_text(stream_page.profile(files, request, lambda *_: None, Event()))


def main() -> None:
    """Write the profiles of all examples."""
    for name in EXAMPLES:
        (PROFILES / f"{name}.json").write_text(profiled(name), encoding="utf-8")


if __name__ == "__main__":
    main()
