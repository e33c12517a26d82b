"""Every regular expression of the tree takes a time that grows with its text, not with the square of it."""

import ast
import gc
import html
import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.sql.parsing import grammar
from tidemark.simulator.teaching.topics import DENIED, TOPICS
from tidemark.ui.pages.asking import your_stream
from tidemark.ui.server.bridge import connect

from tests.architecture import read
from tests.hostile.patterns import FURTHER, ROOT, WAYS, Pattern, attacks, found
from tidemark import spark_bridge

CHARACTERS: Final = 4_000
"""A linear pattern needs a fraction of a millisecond for a text of so many, one with a square in it the hundredfold."""

MOST_S: Final = 0.032
"""Timers of processor time tick every 4 ms."""

MOST_TEXTS: Final = 800

HARMLESS: Final = {
    ("simulator/scenario/reading/yaml.py", "findall"): "only within what PAIRS has matched, where each pair matches",
}

all_found = cache(found)
"""The patterns of the tree, and the places that hold others. To look for them takes seconds, so collecting does not."""

PARTS: Final = 12


class Slow(BaseException):
    """A text took more than ``MOST_S`` of processor time: the ``re`` module asks for signals as it goes."""


@contextmanager
def limited() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Slow

    before = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()  # a callback of the collector would swallow the exception
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


def _is_slow(compiled: re.Pattern[Any], way: str, text: Any) -> bool:
    try:
        with limited():
            tried(compiled, way, text)
    except Slow:
        return True
    return False


def slow_texts(pattern: Pattern) -> list[str]:
    """By way, the first text that is too slow: its beginning, what is repeated, its end."""
    compiled = re.compile(pattern.text, pattern.flags)
    texts = list(attacks(pattern.text, pattern.flags))
    slow = []
    for way in sorted(pattern.ways):
        if (pattern.where.partition(":")[0], way) in HARMLESS:
            continue
        for begin, repeated, end in texts[:: len(texts) // MOST_TEXTS + 1]:
            text: Any = begin + repeated * (CHARACTERS // len(repeated)) + end
            if isinstance(pattern.text, bytes):
                text = text.encode()
            if all(_is_slow(compiled, way, text) for _ in range(3)):
                slow.append(f"{pattern.where} {way} {pattern.text!r}: {begin!r} + {repeated!r} * n + {end!r}")
                break
    return slow


def tried(compiled: re.Pattern[Any], way: str, text: Any) -> None:
    called: Callable[..., Any] = getattr(compiled, way)
    found = called(text[:0], text) if way in ("sub", "subn") else called(text)
    if way == "finditer":
        list(found)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_patterns_of_the_tree_are_linear(part: int) -> None:
    patterns, _ = all_found()
    assert [slow for each in patterns[part::PARTS] for slow in slow_texts(each)] == []


def test_all_are_found() -> None:
    patterns, unknown = all_found()
    assert len(patterns) > 150
    assert {each.partition(":")[0] for each in unknown} == FURTHER.keys(), "say in FURTHER what is tried instead"


def test_the_patterns_of_the_schema_are_linear() -> None:
    schema = json.loads((ROOT / "scenarios/schema.json").read_text(encoding="utf-8"))
    patterns = set(patterns_in(schema))
    assert len(patterns) > 5
    ways = frozenset(("search",))
    assert [slow for each in sorted(patterns) for slow in slow_texts(Pattern("schema.json", each, 0, ways))] == []


def patterns_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (value for name, value in schema.items() if name == "pattern" and isinstance(value, str))
        yield from schema.get("patternProperties", {})
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from patterns_in(each)


def test_the_terminals_of_sql_are_linear() -> None:
    terminals = [(each.name, each.pattern.to_regexp()) for each in grammar().terminals]
    assert len(terminals) > 50
    ways = frozenset(("match",))
    assert [slow for name, text in terminals for slow in slow_texts(Pattern(name, text, 0, ways))] == []


def test_words_that_are_looked_for_in_texts_are_found_in_linear_time() -> None:
    spoken = [pattern for topic in TOPICS for pattern in topic.spoken.values()]
    said = [Pattern("topics", each, re.IGNORECASE, frozenset(("search",))) for each in (*spoken, *DENIED.values())]
    assert [slow for each in said for slow in slow_texts(each)] == []


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (r"[^\n]*\S[^\n]*", "fullmatch"), (r"\s+$", "search"), (r"(?:a|a)*b", "match"), (r"(a+)+b", "match"),
        (r"\d+-?\d+x", "match"), (r"\s*(\d{1,15})\s*([a-z]*)\s*", "fullmatch"), (r'"(?:\\.|[^"\\])*"', "sub"),
        (r"<(.*?)>", "findall"),
    ],
)  # fmt: skip
def test_a_pattern_that_is_not_is_found(text: str, way: str) -> None:
    assert way in WAYS
    assert slow_texts(Pattern("planted", text, 0, frozenset((way,))))


OF_SPARK: Final = ("files.times", "over_files.records", "files.opening", "files.reading")
"""The modules that have Spark hold patterns against the cells of a file. Java's matcher goes back as Python's does."""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _patterns_of_spark(name: str) -> set[str]:
    """Those of its constants, and those that are written in a call."""
    module = import_module(f"tidemark.spark_bridge.{name}")
    texts = {text for each, value in vars(module).items() if each.isupper() for text in _strings(value)}
    for node in ast.walk(
        ast.parse((ROOT / "spark_bridge" / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8"))
    ):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SPARKS:
            argument = node.args[SPARKS[node.func.attr]]
            if isinstance(argument, ast.Constant | ast.JoinedStr):
                texts.add(eval(compile(ast.Expression(argument), name, "eval"), vars(module)))
    return {each.replace(r"\z", r"\Z") for each in texts if re.search(r"[*+{]", each) and re.search(r"[\\^$\[(]", each)}


SPARKS: Final = {"rlike": 0, "regexp_replace": 1, "regexp_extract": 1}
"""Spark's functions, and which of their arguments is the pattern."""


@pytest.mark.parametrize("name", OF_SPARK)
def test_the_patterns_that_spark_holds_against_cells_are_linear(name: str) -> None:
    patterns = _patterns_of_spark(name)
    assert patterns
    assert [
        each for text in sorted(patterns) for each in slow_texts(Pattern(name, text, 0, frozenset(("search",))))
    ] == []


# Nothing from outside becomes Markdown or HTML: Streamlit's messages and labels show words of the catalogue alone.

HOSTILE = (
    "[x](http://e.example)", "**b**", "`", "`[Sign in](http://e.example)**b**", ":red[x]", ":material/home:", "$x$",
    "$$x$$", "<b>b</b>", "<img src=x onerror=alert(1)>", "![i](http://e.example/i.png)", "~~s~~", "# h", "- l", "1. l",
    "> q", "http://e.example", "www.e.example", "a@e.example", ":smile:", "\\", "\\`", "a\nb", "a\n\n    b",
    "|a|b|\n|-|-|", "&lt;b&gt;", "[x]: http://e.example", "->", "---", "[^1]", "<http://e.example>",
    ":blue-background[x]", "'\"><script>alert(1)</script>",
)  # fmt: skip

READS = frozenset({
    "markdown", "caption", "error", "warning", "info", "success", "exception", "write", "toast", "header", "subheader",
    "title", "metric", "button", "link_button", "page_link", "download_button", "checkbox", "toggle", "radio",
    "selectbox", "multiselect", "select_slider", "slider", "text_input", "text_area", "number_input", "file_uploader",
    "expander", "popover", "tabs", "status", "progress", "spinner", "pills", "segmented_control", "badge", "dialog",
    "date_input", "time_input", "color_picker", "form_submit_button", "write_stream", "latex", "table", "menu_button",
    "camera_input", "audio_input", "chat_input", "chat_message",
})  # fmt: skip
"""What reads Markdown: its first argument, and the arguments ``NAMED``."""

NAMED = ("label", "body", "text", "help", "title", "caption", "value", "delta")
LINKS = "page_link"
"""The first argument of a link is the page that it leads to."""

OTHERS = {"_LOG", "html", "views", "cards"}
"""What has a function of such a name, and is not Streamlit's."""


def faults(path: str, source: str) -> list[str]:
    """The places of a module where Streamlit reads Markdown in anything but words of the catalogue."""
    tree = ast.parse(source)
    if "import streamlit as st" not in source:
        return []
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    within: dict[ast.AST, list[ast.AST]] = {}
    for function in functions:
        for node in ast.walk(function):
            within.setdefault(node, []).append(function)
    return [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _is_plain(node, within)
    ]


def _is_plain(call: ast.Call, within: dict[ast.AST, list[ast.AST]]) -> bool:
    assert isinstance(call.func, ast.Attribute)
    name, of = call.func.attr, call.func.value
    if any(each.arg == "unsafe_allow_html" for each in call.keywords):
        return False
    if name not in READS or (isinstance(of, ast.Name) and of.id in OTHERS):
        return True
    named = [
        each.value for each in call.keywords if each.arg in NAMED and not (name == "text_input" and each.arg == "value")
    ]
    read = named if name == LINKS else [*call.args[: 3 if name == "metric" else 1], *named]
    return all(any(_is_ours(each, scope) for scope in within.get(call, [call])) for each in read)


def _is_ours(node: ast.expr, scope: ast.AST) -> bool:
    """Whether the text is made of constants, numbers, and words of the catalogue with nothing else put into them."""
    match node:
        case ast.Constant() | ast.Starred(value=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id="words"), args=[key], keywords=into):
            return _is_key(key) and all(_is_number(each.value) for each in into)
        case ast.IfExp(body=body, orelse=other):
            return _is_ours(body, scope) and _is_ours(other, scope)
        case ast.JoinedStr(values=parts):
            return all(_is_ours(part.value if isinstance(part, ast.FormattedValue) else part, scope) for part in parts)
        case ast.List(elts=each) | ast.Tuple(elts=each):
            return all(_is_ours(one, scope) for one in each)
        case ast.ListComp(elt=element):
            return _is_ours(element, scope)
        case ast.Name(id=name):
            given = [
                each.value
                for each in ast.walk(scope)
                if isinstance(each, ast.Assign) and [name] == [t.id for t in each.targets if isinstance(t, ast.Name)]
            ]
            return bool(given) and all(_is_ours(each, scope) for each in given)
    return False


def _is_key(node: ast.expr) -> bool:
    """A key of the catalogue, perhaps one of several: whatever is put into it, the catalogue has it or refuses."""
    return isinstance(node, ast.Constant | ast.IfExp | ast.JoinedStr)


def _is_number(node: ast.expr) -> bool:
    """A limit, written in capitals as everywhere."""
    return isinstance(node, ast.Name) and node.id.isupper()


def test_streamlit_reads_markdown_in_words_of_the_catalogue_alone() -> None:
    sources = read(ROOT, "app.py", "ui/**/*.py")
    offers = ["ui/pages/kit.py", "ui/server/screen.py"]
    found = [each for path, source in sources.items() if path not in offers for each in faults(path, source)]
    assert found == []
    # Both show one parameter, and whoever calls them gives words of the catalogue.
    assert [each.partition(": ")[2] for path in offers for each in faults(path, sources[path])] == [
        "st.caption(offer)", "st.caption(more)",
    ]  # fmt: skip
    for source in sources.values():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("notice", "_notice"):
                assert all(_is_ours(each, node) for each in node.args[1:2]), ast.unparse(node)


@pytest.mark.parametrize(
    "line",
    [
        "st.error(str(error))", "st.caption(words('a.b', name=name))", "left.markdown(f'**{name}**')", "st.write(x)",
        "st.button(name)", "st.button('a', help=text)", "st.tabs([name for name in names])", "st.tabs(names)",
        "st.selectbox(label=name, options=[])", "st.metric('a', value)", "st.info(words(name))", "st.toast(a + b)",
        "st.markdown('a', unsafe_allow_html=True)", "st.expander(words('a.b') if x else y)", "st.warning(say)",
    ],
)  # fmt: skip
def test_the_rule_finds_what_is_against_it(line: str) -> None:
    assert faults("a.py", f"import streamlit as st\ndef f(name, error):\n    {line}")


@pytest.mark.parametrize(
    "line",
    ["st.error(words('a.b'))", "st.button(words('a' if x else 'b'), key=name)", "st.upload(words('a', most=LIMIT))",
     "label = words('a')\n    st.button(label)", "st.markdown(f\"**{words(f'a.{name}')}**\")"],
)  # fmt: skip
def test_the_rule_lets_words_of_the_catalogue_pass(line: str) -> None:
    assert faults("a.py", f"import streamlit as st\ndef f(name, error):\n    {line}") == []


def test_no_script_makes_html_of_a_text() -> None:
    makes = re.compile(
        r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTML"
    )
    sources = read(ROOT, "ui/**/*.ts")
    assert len(sources) > 100
    assert [path for path, source in sources.items() if makes.search(source)] == []


# --- rendered ---------------------------------------------------------------------------------------------------------


def texts_read_as_markdown(app: AppTest) -> list[str]:
    """Every text of a page that Streamlit reads as Markdown, and labels and helps."""
    found: list[str] = []

    def walk(node: Any) -> None:
        for child in getattr(node, "children", {}).values():
            proto = getattr(child, "proto", None)
            if child.type not in ("html", "text", "code"):
                found.extend(str(getattr(proto, name, "")) for name in ("body", "label", "help", "text"))
            walk(child)

    walk(app._tree)
    return [each for each in found if each]


def html_of(app: AppTest) -> str:
    return "\n".join(each.proto.body for each in app.get("html"))


def test_a_message_shows_each_character_as_itself() -> None:
    def page(texts: list[str]) -> None:
        from tidemark.ui.server.screen import say

        for text in texts:
            say(text)

    app = AppTest.from_function(page, args=(list(HOSTILE),)).run(timeout=60)
    for text, shown in zip(HOSTILE, app.get("html"), strict=True):
        begin = '<p class="tm-said" data-kind="problem" role="alert">'
        inside = shown.proto.body.removeprefix(begin).removesuffix("</p>")
        assert not re.search(r"[<>]", inside)
        assert html.unescape(inside) == text


@pytest.mark.app
def test_no_file_column_or_address_is_markup_on_the_page_of_a_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "**b** `[x](http:)"
    folder.mkdir()
    columns = [text.replace('"', "").replace("\n", " ") for text in HOSTILE]
    head = ",".join(f'"{each}"' for each in [*columns, "ts", "arrived", "<i>twice</i>", "<i>twice</i>"])
    row = ",".join([*(["1"] * len(columns)), "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "1", "2"])
    (folder / "[x](http:) **b**.csv").write_text(f"{head}\n{row}\n{row}\n", encoding="utf-8")
    (folder / "**broken** [x](http:).parquet").write_bytes(b"PAR1 <b>no</b>")
    monkeypatch.setattr("tidemark.ui.spark.your_stream.questions.FOLDER", folder)
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.FOLDER", folder)
    monkeypatch.setattr("tidemark.ui.spark.your_stream.page.is_teacher", lambda: True)
    connect(spark_bridge)
    asked = [*(each.name for each in folder.iterdir()), HOSTILE[3], HOSTILE[9]]
    for name in asked:
        app = AppTest.from_function(your_stream)
        app.query_params["file"] = name
        app.run(timeout=60)
        assert not app.exception
        read_as_markdown = texts_read_as_markdown(app)
        assert "From the folder" in read_as_markdown
        for text in read_as_markdown:
            assert not re.search(r"http:|\[x\]|\*\*b|<|:red|:smile|\$x", text), text
        if name in HOSTILE:
            assert "There is no file" in html_of(app)
    assert "<b>no" not in html_of(app)
