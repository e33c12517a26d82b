"""A class ``Main`` that runs the scenario as Flink SQL with the Table API: for operators of the table runtime, and for
rows with columns."""

import json
from collections.abc import Iterator
from typing import Any, Final

from tidemark.simulator.programs.facts import Facts, NotExpressible
from tidemark.simulator.programs.java_text import (
    LONGEST_TEXT,
    OBJECT,
    head,
    imports,
    json_methods,
    list_method,
    literal,
    string,
)
from tidemark.simulator.programs.sql_columns import Cell, Members
from tidemark.simulator.programs.sql_queries import VIEW, Query
from tidemark.simulator.programs.sql_tables import checked, elements, records_of, settings_of, watermark
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import JOINT
from tidemark.simulator.words import words


def java_sql(scenario: model.Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Flink SQL cannot do what ``scenario`` does."""
    facts, query = checked(scenario)
    parts = [_main(facts, query)]
    parts += [_records(facts, query, each) for each in scenario.inputs]
    parts += [_TABLE, OBJECT]
    if query.view or "ms(row" in parts[0]:
        parts.append(_TIME)
    if query.view:
        parts.append(_VALUES.replace('"SIGN"', string(JOINT)))
    body = "\n\n".join([*parts, *json_methods(parts)])
    paragraphs = [words("programs.java.sql_about", language="en")]
    if len(scenario.inputs) > 1:
        paragraphs.append(words("programs.two_inputs", language="en"))
    return f"{head(scenario, *paragraphs)}\n{imports(body)}\n\npublic class Main {{\n{body}\n}}\n"


def _main(facts: Facts, query: Query) -> str:
    scenario = facts.scenario
    lines = [_MAIN]
    for name, value, why in settings_of(scenario):
        lines.append(f"        flink.getConfig().set({string(name)}, {string(value)});{f' // {why}' if why else ''}")
    lines += [f"        flink.getConfig().set({string(name)}, {string(value)});" for name, value in query.settings]
    for given in scenario.inputs:
        text = _lines(",\n".join(elements(facts, query, given)))
        lines += ["", f"        // {watermark(given)[1]}",
                  f"        table(flink, {string(given.name)}, {_method(facts, given)}(), {text});"]  # fmt: skip
    if query.view:
        lines += ["", f"        flink.executeSql({_lines(f'CREATE VIEW {VIEW} AS{chr(10)}{query.view}')});"]
    lines += ["", f"        // {query.comment}", f"        String query = {_lines(query.sql)};", ""]
    members = f",\n{24 * ' '}".join(_members(query.members))
    return "\n".join([*lines, _RESULTS.replace("MEMBERS", members)])


def _lines(sql: str) -> str:
    """``sql`` as an expression of Java, a string for each line."""
    texts = ",\n".join(f"                {string(line)}" for line in sql.split("\n"))
    return f'String.join("\\n",\n{texts})'


def _method(facts: Facts, given: model.InputSpec) -> str:
    """The method with the records of an input: an input may have any name."""
    return given.name if facts.scenario.operator.is_join else "events"


def _records(facts: Facts, query: Query, given: model.InputSpec) -> str:
    from tidemark.simulator.sql.times import time_text  # with the parser of SQL

    zone = "" if facts.scenario.operator.session_zone is None else "Z"
    lines = []
    for record in records_of(facts, query, given):
        columns = record.get("columns", {name: record[name] for name in "kv" if name in record})
        times = {
            name: f"{time_text(record[of], 3)}{zone}"
            for name, of in (("rt", "ts"), ("wm", "watermark"))
            if of in record
        }
        line = json.dumps({**columns, **times}, ensure_ascii=False)
        if len(line) > LONGEST_TEXT:
            raise NotExpressible("java_text", limit=LONGEST_TEXT)
        lines.append(string(line))
    said = words("programs.java.sql_records", language="en")
    return f"    /** {said} */\n{list_method('String', _method(facts, given), lines)}"


_CELLS: Final = {
    "value": "row.getField({0})", "plain": "plain(row.getField({0}))", "ms": "ms(row.getField({0}))",
    "json": "new Json((String) row.getField({0}))", "last": "ms(row.getField({0})) - 1",
    "latest": "Math.max(ms(row.getField({0})), ms(row.getField({1})))",
    "unless_null": "row.getField({0}) == null ? null : {members}", "change": "row.getKind().shortString()",
}  # fmt: skip
"""The ``Cell`` of each kind."""


def _printed(of: Any) -> str:
    """Java text of what is printed for ``row``."""
    if isinstance(of, Cell):
        if of.kind == "key":
            return f"key({', '.join(f'row.getField({column})' for column in of.columns)})"
        return _CELLS[of.kind].format(*of.columns, members=_printed(of.members))
    if isinstance(of, dict):
        return f"object({', '.join(_members(of))})"
    return literal(of)


def _members(of: Members) -> Iterator[str]:
    return (f"{string(name)}, {_printed(each)}" for name, each in of.items())


_MAIN: Final = """\
    public static void main(String[] args) throws Exception {
        TableEnvironment flink = TableEnvironment.create(EnvironmentSettings.inStreamingMode());"""

_RESULTS: Final = """\
        try (CloseableIterator<Row> results = flink.executeSql(query).collect()) {
            while (results.hasNext()) {
                Row row = results.next();
                System.out.println(json(object(
                        MEMBERS)));
            }
        }
    }"""

_TABLE: Final = """\
    /** Writes the records of an input to a file, and makes a table that reads it in order. */
    static void table(TableEnvironment flink, String name, List<String> records, String columns) throws Exception {
        Path file = Files.createTempFile("records", ".json");
        file.toFile().deleteOnExit();
        Files.write(file, records);
        flink.executeSql("CREATE TABLE `" + name.replace("`", "``") + "` (" + columns + ") WITH ("
                + "'connector' = 'filesystem', 'path' = '" + file.toUri() + "', "
                + "'format' = 'json', 'json.timestamp-format.standard' = 'SQL')");
    }"""

_TIME: Final = """\
    /** A time of a result in ms; null stays null. */
    static Long ms(Object time) {
        if (time instanceof Instant) {
            return ((Instant) time).toEpochMilli();
        }
        return time == null ? null : (Long) ((LocalDateTime) time).toInstant(ZoneOffset.UTC).toEpochMilli();
    }"""

_VALUES: Final = """\
    /** A value of a result as JSON has it: decimals and times are texts. */
    static Object plain(Object value) {
        if (value instanceof BigDecimal) {
            return ((BigDecimal) value).toPlainString();
        }
        if (value instanceof LocalDateTime || value instanceof Instant) {
            LocalDateTime time = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC).plus(Duration.ofMillis(ms(value)));
            return time.format(DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS")).replaceAll("[.]000$", "");
        }
        if (value instanceof Object[]) {
            List<Object> values = new ArrayList<>();
            for (Object each : (Object[]) value) {
                values.add(plain(each));
            }
            return values;
        }
        return value;
    }

    /** The key of a result; several parts are one text. */
    static Object key(Object... parts) {
        StringJoiner texts = new StringJoiner("SIGN");
        for (Object each : parts) {
            texts.add(each == null ? "NULL" : String.valueOf(plain(each)));
        }
        return parts.length == 1 && parts[0] != null ? plain(parts[0]) : texts.toString();
    }"""
