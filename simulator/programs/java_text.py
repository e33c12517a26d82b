"""Java as programs write it: texts and numbers of a scenario, imports, lists of records, and results as JSON."""

import re
from collections.abc import Sequence
from typing import Any, Final

from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.scenario.model import Scenario

# Texts and numbers of a scenario as Java writes them.
#
# A scenario's texts are anybody's. Java reads ``\uXXXX`` before anything else, in comments too, so no backslash of
# a text gets into a comment, and a string has every character that could matter as an escape. A program is ASCII
# throughout: it compiles whatever encoding the machine has.

LONGEST_TEXT: Final = 10_000
"""A string constant of a class file has at most 65,535 bytes, and a character takes up to six in an escape's stead."""

_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN: Final = {
    "\u2018": "'", "\u2019": "'", "\u201c": "'", "\u201d": "'", "\u2013": "-", "\u2014": "-", "\u2026": "...",
    "\u00d7": "x", "\u2192": "->",
}  # fmt: skip
_UNITS: Final = (("Days", 86_400_000), ("Hours", 3_600_000), ("Minutes", 60_000), ("Seconds", 1_000), ("Millis", 1))


def string(text: str) -> str:
    """``text`` as a string literal."""
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(_character(int.from_bytes(units[i : i + 2])) for i in range(0, len(units), 2)) + '"'


def _character(unit: int) -> str:
    """One UTF-16 unit. A control character is written in octal: its Unicode escape would be read too early."""
    character = chr(unit)
    if character in _ESCAPES:
        return _ESCAPES[character]
    if unit < 32 or unit == 127:
        return f"\\{unit:03o}"
    return character if unit < 127 else f"\\u{unit:04x}"


def comment(text: str) -> str:
    """``text`` on one line of a comment, which it cannot end; empty if ASCII cannot show it."""
    for original, plain in _PLAIN.items():
        text = text.replace(original, plain)
    line = " ".join(text.replace("\\", "/").replace("*/", "* /").split())
    return line if line.isascii() and line.isprintable() else ""


def long(number: int) -> str:
    """A 64-bit integer: ``5L``."""
    return f"{number}L"


def literal(value: Any) -> str:
    """A text, number, boolean or null."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return long(value)
    return repr(value) if isinstance(value, float) else string(value)


def duration(ms: Milliseconds) -> str:
    """``Duration.ofSeconds(5)``: in the largest unit of which ``ms`` is a whole number."""
    unit, length = next((unit, length) for unit, length in _UNITS if ms % length == 0) if ms else ("Millis", 1)
    number = ms // length
    return f"Duration.of{unit}({number if abs(number) < 2**31 else long(number)})"


def head(scenario: Scenario, *paragraphs: str) -> str:
    """The comment above a program: its title, and what is said of it."""
    title = comment((scenario.title or {}).get("en", "")) or scenario.name
    lines = "\n\n".join([title, *paragraphs]).splitlines()
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"])


_IN_A_METHOD: Final = 250
"""Records in one method: the code of a Java method has a limit of 64 KB."""


def list_method(kind: str, name: str, elements: Sequence[str]) -> str:
    """A method ``name`` that returns the ``elements``, which are of the class ``kind``."""
    if len(elements) <= _IN_A_METHOD:
        return _list(kind, name, elements)
    parts = [elements[i : i + _IN_A_METHOD] for i in range(0, len(elements), _IN_A_METHOD)]
    whole = [f"    static List<{kind}> {name}() {{", f"        List<{kind}> {name} = new ArrayList<>();"]
    whole += [f"        {name}.addAll({name}Part{number}());" for number in range(len(parts))]
    whole += [f"        return {name};", "    }"]
    return "\n\n".join(["\n".join(whole), *(_list(kind, f"{name}Part{n}", part) for n, part in enumerate(parts))])


def _list(kind: str, name: str, elements: Sequence[str]) -> str:
    body = ",\n".join(f"                {each}" for each in elements)
    return f"    static List<{kind}> {name}() {{\n        return Arrays.asList(\n{body});\n    }}"


_PACKAGES: Final = {
    "java.math": ("BigDecimal",),
    "java.nio.file": ("Files", "Path"),
    "java.time": ("Duration", "Instant", "LocalDateTime", "ZoneOffset"),
    "java.time.format": ("DateTimeFormatter",),
    "java.util": ("ArrayList", "Arrays", "LinkedHashMap", "List", "Map", "StringJoiner"),
    "org.apache.flink.api.common.eventtime": (
        "Watermark", "WatermarkGenerator", "WatermarkOutput", "WatermarkStrategy",
    ),
    "org.apache.flink.api.common.functions": ("AggregateFunction", "CoGroupFunction", "JoinFunction", "OpenContext"),
    "org.apache.flink.api.common.state": ("MapState", "MapStateDescriptor", "ValueState", "ValueStateDescriptor"),
    "org.apache.flink.api.common.typeinfo": ("TypeInformation", "Types"),
    "org.apache.flink.api.common.typeutils": ("TypeSerializer",),
    "org.apache.flink.api.java.tuple": ("Tuple2",),
    "org.apache.flink.streaming.api.datastream": ("DataStream", "SingleOutputStreamOperator"),
    "org.apache.flink.streaming.api.environment": ("StreamExecutionEnvironment",),
    "org.apache.flink.streaming.api.functions": ("KeyedProcessFunction", "ProcessFunction"),
    "org.apache.flink.streaming.api.functions.co": ("ProcessJoinFunction",),
    "org.apache.flink.streaming.api.functions.windowing": ("ProcessWindowFunction",),
    "org.apache.flink.streaming.api.functions.windowing.delta": ("DeltaFunction",),
    "org.apache.flink.streaming.api.operators": ("AbstractStreamOperator", "OneInputStreamOperator"),
    "org.apache.flink.streaming.api.windowing.assigners": (
        "EventTimeSessionWindows", "GlobalWindows", "SlidingEventTimeWindows", "TumblingEventTimeWindows",
    ),
    "org.apache.flink.streaming.api.windowing.evictors": ("CountEvictor", "DeltaEvictor", "TimeEvictor"),
    "org.apache.flink.streaming.api.windowing.triggers": (
        "ContinuousEventTimeTrigger", "CountTrigger", "DeltaTrigger", "EventTimeTrigger", "PurgingTrigger",
    ),
    "org.apache.flink.streaming.api.windowing.windows": ("GlobalWindow", "TimeWindow"),
    "org.apache.flink.streaming.runtime.streamrecord": ("StreamRecord",),
    "org.apache.flink.table.api": ("EnvironmentSettings", "TableEnvironment"),
    "org.apache.flink.types": ("Row",),
    "org.apache.flink.util": ("CloseableIterator", "Collector", "OutputTag"),
}  # fmt: skip

_NAME: Final = re.compile(r"(?<![.\w])[A-Z]\w*")
_STRING: Final = re.compile(r'"(?:\\.|[^"\\])*"?')


def imports(body: str) -> str:
    """The import statements for the classes that ``body``, the text of a class, names outside its strings."""
    named = set(_NAME.findall(_STRING.sub('""', body)))
    lines = [f"import {package}.{name};" for package, names in _PACKAGES.items() for name in names if name in named]
    return "\n".join(lines)


OBJECT: Final = """\
    /** An object of JSON: names and values in turn. */
    static Map<String, Object> object(Object... members) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < members.length; i += 2) {
            object.put((String) members[i], members[i + 1]);
        }
        return object;
    }"""

_JSON_CLASS: Final = """\
    /** A text that is JSON already. */
    static class Json {
        final String text;

        Json(String text) {
            this.text = text;
        }
    }"""

_JSON: Final = """\
    static String json(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
AS_JSON        if (value instanceof Map) {
            StringJoiner parts = new StringJoiner(", ", "{", "}");
            ((Map<?, ?>) value).forEach((name, member) -> parts.add(json(name) + ": " + json(member)));
            return parts.toString();
        }
        if (value instanceof List) {
            StringJoiner parts = new StringJoiner(", ", "[", "]");
            ((List<?>) value).forEach(each -> parts.add(json(each)));
            return parts.toString();
        }
        StringBuilder text = new StringBuilder();
        for (char each : value.toString().toCharArray()) {
            boolean plain = each >= ' ' && each <= '~' && each != '"' && each != BACKSLASH;
            text.append(plain ? String.valueOf(each) : String.format("ESCAPE", (int) each));
        }
        return '"' + text.toString() + '"';
    }"""


def json_methods(parts: Sequence[str]) -> list[str]:
    """What a class of ``parts`` needs to print its results: ``json``, and ``Json`` if a part names it."""
    texts = "        if (value instanceof Json) {\n            return ((Json) value).text;\n        }\n"
    as_json = any("new Json(" in each for each in parts)
    method = _JSON.replace("BACKSLASH", "'\\\\'").replace("ESCAPE", "\\\\u%04x")
    return [*([_JSON_CLASS] * as_json), method.replace("AS_JSON", texts if as_json else "")]
