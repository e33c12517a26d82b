"""A quote that is never closed is found, and only that."""

import gzip
from pathlib import Path

import pytest
from tidemark.spark_bridge.files.reading import line_of_open_quote


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('ts,key\n1,"a,1\n2,b\n', 2),
        ('ts,key\n1,"a"\n2,"b\n\n3,c', 3),
        ('ts,key\n1, "a\nb"\n2,"c""d"\n', None),
        ('ts,key\n1,5" pipe\n2,b', None),
        ('ts,key\n1,"a""\n2,b', 2),
        ('ts,key\n1,"a"x"\n"2","b","c', 3),
        ("ts,key\n", None),
    ],
)
def test_the_line_of_a_quote_that_is_never_closed(tmp_path: Path, text: str, line: int | None) -> None:
    plain, packed = tmp_path / "a.csv", tmp_path / "a.csv.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    assert line_of_open_quote(str(plain), ",") == line_of_open_quote(str(packed), ",") == line
