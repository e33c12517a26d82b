"""Small Parquet files with huge cells: what is shown of them takes little memory."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.simulator.limits import SHOWN_COLUMN_BYTES, TYPED_CHARACTERS
from tidemark.spark_bridge.stream_page import first_rows

from tests.fuzz.running import Target, tried


def test_a_cell_of_many_megabytes_in_a_few_bytes_is_not_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "bomb.parquet"
    table = pa.table({"ts": [1_700_000_000_000], "a.b": ["x" * (2 * SHOWN_COLUMN_BYTES)], "c": ["y" * 10_000]})
    pq.write_table(table, file, compression="zstd", write_statistics=False)
    del table
    assert file.stat().st_size < 100_000
    pa.default_memory_pool().release_unused()
    before = pa.default_memory_pool().max_memory()
    found = []
    assert tried(Target("parquet", list, lambda path: found.append(first_rows([path]))), str(file)) is True
    assert found[0].names == ("ts", "a.b", "c")
    assert found[0].cells == (["1700000000000", "", "y" * TYPED_CHARACTERS],)
    assert pa.default_memory_pool().max_memory() == before, "less than the file was made from"
    assert pa.default_memory_pool().bytes_allocated() < SHOWN_COLUMN_BYTES
