"""A Python program that runs the scenario as Flink SQL, in PyFlink."""

import json
from typing import Any, Final

from tidemark.simulator.programs.facts import Facts, facts_of, title_of
from tidemark.simulator.programs.sql_columns import Cell
from tidemark.simulator.programs.sql_queries import VIEW, Query, query_of
from tidemark.simulator.programs.sql_tables import checked, elements, records_of, settings_of, watermark
from tidemark.simulator.scenario import model
from tidemark.simulator.words import words


def pyflink_sql(scenario: model.Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Flink SQL cannot do what ``scenario`` does."""
    facts, query = checked(scenario)
    settings = "".join(
        f"flink.get_config().set({json.dumps(name)}, {json.dumps(value)}){f'  # {why}' if why else ''}\n"
        for name, value, why in settings_of(scenario)
    )
    parts = [
        _head(facts),
        _records(facts, query),
        _TABLES.replace("SETTINGS", settings),
        *(_table(facts, query, each) for each in scenario.inputs),
        _query(query),
        _PRINT.replace("MEMBERS", _printed(query.members)),
    ]
    text = "\n".join(parts)
    if scenario.operator.session_zone is not None:  # an instant, which ends in Z in the file
        text = text.replace('.isoformat(" ", "milliseconds")', '.isoformat(" ", "milliseconds") + "Z"')
    return _with_helpers(text) if query.view else text


def sql_lines(scenario: model.Scenario) -> list[str]:
    """What decides in SQL, line by line: watermarks, settings and the query. Raises ``NotExpressible``."""
    facts = facts_of(scenario, whole=False, columns=True)
    query = query_of(facts)
    tables = [
        line
        for each in scenario.inputs
        for line in (f"CREATE TABLE {each.name} (…,", f"  WATERMARK FOR rt AS {watermark(each)[0]})")
    ]
    settings = [f"SET '{name}' = '{value}'" for name, value in query.settings]
    view = [f"CREATE VIEW {VIEW} AS", *query.view.splitlines()] if query.view else []
    return [*tables, *settings, *view, *query.sql.splitlines()]


def _head(facts: Facts) -> str:
    scenario = facts.scenario
    lines = [f'"""{title_of(scenario)}', "", words("programs.pyflink.about", language="en")]
    if len(scenario.inputs) > 1:
        lines += ["", words("programs.two_inputs", language="en")]
    return "\n".join([*lines, '"""', "", _IMPORTS])


def _records(facts: Facts, query: Query) -> str:
    """The records, one a line, each with the watermark that follows it where the scenario says so."""
    lines = [f"# {words('programs.pyflink.records', language='en')}", "RECORDS = {"]
    for given in facts.scenario.inputs:
        rows = records_of(facts, query, given)
        lines += [f"    {given.name!r}: [", *(f"        {row!r}," for row in rows), "    ],"]
    return "\n".join([*lines, "}", ""])


def _table(facts: Facts, query: Query, given: model.InputSpec) -> str:
    body = _text("    " + ",\n    ".join(elements(facts, query, given)))
    return f"# {watermark(given)[1]}\ntable({given.name!r}, {body})\n"


def _query(query: Query) -> str:
    settings = "".join(f'flink.get_config().set("{name}", "{value}")\n' for name, value in query.settings)
    if query.view:
        settings += f"flink.execute_sql({f'CREATE VIEW {VIEW} AS{chr(10)}{query.view}'!r})\n"
    return f"# {query.comment}\n{settings}QUERY = {_text(query.sql)}\n"


def _text(sql: str) -> str:
    """``sql`` as a literal of Python: line by line, unless some character of it means something there."""
    plain = '"""' not in sql and "\\" not in sql and all(each == "\n" or each.isprintable() for each in sql)
    return f'"""\n{sql}\n"""' if plain else repr(f"\n{sql}\n")


_CELLS: Final = {
    "value": "row[{0}]", "plain": "plain(row[{0}])", "json": "json.loads(row[{0}])", "ms": "ms(row[{0}])",
    "last": "ms(row[{0}]) - 1", "latest": "max(ms(row[{0}]), ms(row[{1}]))",
    "unless_null": "None if row[{0}] is None else {members}",
    "change": '{{RowKind.INSERT: "+I", RowKind.UPDATE_BEFORE: "-U", RowKind.UPDATE_AFTER: "+U"}}[row.get_row_kind()]',
}  # fmt: skip
"""The ``Cell`` of each kind."""


def _printed(of: Any) -> str:
    """Python text of what is printed for ``row``."""
    if isinstance(of, Cell):
        if of.kind == "key":
            return f"key({', '.join(f'row[{column}]' for column in of.columns)})"
        return _CELLS[of.kind].format(*of.columns, members=_printed(of.members))
    if isinstance(of, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_printed(each)}" for name, each in of.items()) + "}"
    return json.dumps(of) if isinstance(of, str) and of.isascii() else repr(of)


_IMPORTS: Final = """\
import json
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment

EPOCH = datetime(1970, 1, 1)
"""

_TABLES: Final = '''\
settings = EnvironmentSettings.in_streaming_mode()
flink = TableEnvironment.create(settings)
SETTINGSfiles = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # it goes when the program ends
folder = Path(files.name)


def timestamp(ms):
    """A time in ms as SQL writes it; None stays None."""
    return None if ms is None else (EPOCH + timedelta(milliseconds=ms)).isoformat(" ", "milliseconds")


def table(name, columns):
    """Write the records of an input to a file, and make a table that reads it."""
    rows = ({**row.get("columns", {each: row.get(each) for each in "kv"}),
             "rt": timestamp(row["ts"]), "wm": timestamp(row.get("watermark"))} for row in RECORDS[name])
    path = folder / f"{list(RECORDS).index(name)}.json"
    path.write_text("".join(json.dumps(row) + "\\n" for row in rows))
    flink.execute_sql(f"""
        CREATE TABLE `{name.replace("`", "``")}` ({columns}) WITH (
            'connector' = 'filesystem', 'path' = '{path.as_uri()}', 'format' = 'json',
            'json.timestamp-format.standard' = 'SQL'
        )
    """)


'''

_PRINT: Final = '''\

def ms(time):
    """A timestamp of a result in ms; None stays None. PyFlink's datetimes can be a microsecond short."""
    return None if time is None else round((time - EPOCH) / timedelta(milliseconds=1))


with flink.execute_sql(QUERY).collect() as results:
    for row in results:
        print(json.dumps(MEMBERS, ensure_ascii=False))
'''


def _with_helpers(program: str) -> str:
    """``program`` with the functions that print values of columns."""
    more = f"{_DATETIME.replace('import ', 'import date, ')}from decimal import Decimal\n"
    return program.replace(_DATETIME, more, 1).replace("\ndef ms(time):", f"{_HELPERS}\ndef ms(time):", 1)


_DATETIME: Final = "from datetime import datetime, timedelta\n"
_HELPERS: Final = '''
def plain(value):
    """A value of a result as JSON has it: decimals and times are texts."""
    if isinstance(value, datetime):
        return timestamp(ms(value)).removesuffix(".000")
    if isinstance(value, (Decimal, date)):
        return str(value)
    return [plain(each) for each in value] if isinstance(value, list) else value


def key(*parts):
    """The key of a result; several parts are one text."""
    texts = ["NULL" if each is None else plain(each) for each in parts]
    return texts[0] if len(texts) == 1 else " · ".join(map(str, texts))

'''
