"""What the reader chooses on the page: files, columns and settings."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import streamlit as st
from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.versions import NEWEST, VERSIONS
from tidemark.simulator.limits import UPLOAD_MEGABYTES
from tidemark.simulator.scenario.tables.times import zone_of
from tidemark.simulator.words import words
from tidemark.ui.server.bridge import bridge
from tidemark.ui.server.screen import say
from tidemark.ui.spark.html import size
from tidemark.ui.spark.your_stream.visits import ENDINGS, FOLDER, PACKED, Chosen, Upload, offered, path_of, visit

# What the reader chose on the page, kept while the reader is on another one or loads it again.
#
# Streamlit forgets what a widget held as soon as a run does not draw it.


def restore(key: str, options: Any = None, first: Any = None) -> None:
    """Before the widget ``key`` is drawn: give it what it held, if Streamlit has forgotten it.

    ``options``: what it can hold now; anything else stays forgotten. ``first``: what it holds at first.
    """
    if key in st.session_state:
        return
    for held in (visit().kept.get(key), first):
        if held is not None and (options is None or held in options):
            st.session_state[key] = held
            return


def remember(key: str, value: Any) -> None:
    """After the widget ``key`` was drawn: keep what it holds."""
    visit().kept[key] = value


def is_kept(key: str) -> bool:
    """Whether the widget ``key`` comes back as the reader left it."""
    return key in visit().kept


ROLES = ("ts", "at", "key", "value", "channel")
UNITS = ("s", "ms", "us", "ns", "iso")

_UPLOAD = "own_stream_uploaded"


def choose() -> Chosen | None:
    """The files chosen here; None as long as there are none."""
    left, right = st.columns(2, gap="medium")
    with left, st.container(key="own_stream_upload"):
        texts = {name: json.dumps(words(f"own_page.{name}_files"), ensure_ascii=False) for name in ("upload", "drop")}
        st.html(f"<style>:root {{ --tm-upload: {texts['upload']}; --tm-drop: {texts['drop']}; }}</style>")
        uploaded = _uploaded()
    with right:
        of_folder = _of_folder(disabled=uploaded is not None)
    return uploaded or of_folder


def _uploaded() -> Chosen | None:
    kept: tuple[tuple[str, ...], Chosen] | None = st.session_state.get(_UPLOAD)
    if "own_stream_files" not in st.session_state:
        # The reader was on another page, or has loaded this one again: Streamlit has forgotten the files, and they are
        # still here. A link to a file of the folder means that file.
        before = visit().uploaded if kept is None and "file" not in st.query_params else kept and kept[1]
        kept = None if before is None else ((), before)
        if kept is not None:
            st.session_state[_UPLOAD] = kept
    types = [each[1:] for each in (*ENDINGS, *PACKED)]
    files = st.file_uploader(
        words("own_page.upload", most=UPLOAD_MEGABYTES), types, accept_multiple_files=True, key="own_stream_files",
        max_upload_size=UPLOAD_MEGABYTES,
    )  # fmt: skip
    ids = tuple(each.file_id for each in files)
    if kept is not None and kept[0] == ids:
        if not ids:
            name, remove = st.columns([3, 1])
            name.text(kept[1].subject)
            remove.button(words("own_page.remove"), key="own_stream_remove", on_click=_remove)
        return kept[1]
    if kept is not None:
        _remove()
    if not files:
        return None
    try:
        upload = Upload(files)
    except OSError as error:
        say(error.strerror or str(error))
        return None
    return take(upload, ", ".join(each.name for each in files), ids)


def take(upload: Upload, subject: str, ids: tuple[str, ...] = ()) -> Chosen:
    """The files of ``upload`` are what the reader has chosen from now on. ``ids``: those of the widget's own files."""
    chosen = Chosen((str(upload.folder),), subject, upload)
    st.session_state[_UPLOAD] = ids, chosen
    visit().uploaded = chosen
    return chosen


def _remove() -> None:
    _, chosen = st.session_state.pop(_UPLOAD)
    chosen.upload.remove()
    if visit().uploaded is chosen:
        visit().uploaded = None


def _of_folder(*, disabled: bool) -> Chosen | None:
    if FOLDER is None:
        st.caption(words("own_page.no_folder"))
        return None
    if disabled:  # what is uploaded is looked at, and nothing else is chosen
        st.query_params.pop("file", None)
        remember("own_stream_file", None)
        st.selectbox(words("own_page.folder"), [], key="own_stream_no_file", disabled=True,
                     index=None, placeholder=words("own_page.choose", folder=FOLDER.name))  # fmt: skip
        return None
    found = offered(FOLDER)
    names = [each.name for each in found]
    sizes = {each.name: size(each.size) for each in found}
    asked = st.query_params.get("file")
    if asked is not None and asked not in names:
        say(words("own_page.no_file", name=shown_in_message(asked)))
    if asked is None:
        restore("own_stream_file", names)
    name = st.selectbox(
        words("own_page.folder"), names, index=names.index(asked) if asked in names else None,
        format_func=lambda each: f"{each} · {sizes[each]}", key="own_stream_file",
        placeholder=words("own_page.choose" if names else "own_page.empty_folder", folder=FOLDER.name),
    )  # fmt: skip
    remember("own_stream_file", name)
    path = path_of(name, FOLDER) if name else None
    if name is None or path is None:
        return None
    st.query_params["file"] = name
    return Chosen((str(path),), name)


def columns_of(chosen: Chosen, names: Sequence[str], guess: Any) -> dict[str, str | None]:
    """The column for each role, and the unit and the zone, as the reader corrects the ``guess``."""
    found: dict[str, str | None] = {}
    places = st.columns(len(ROLES))
    options = ["", *dict.fromkeys(names)]  # as a choice, None would be none at all once it is restored
    files = "|".join(chosen.paths)
    for place, role in zip(places, ROLES, strict=True):
        guessed = getattr(guess, role)
        key = f"own_stream_{role}_{files}"
        with place:
            restore(key, [*options, guessed], guessed)
            named = st.selectbox(
                words(f"own_page.roles.{role}"),
                options if role != "ts" or guessed in options else [*options, guessed],
                format_func=lambda each: each or words("own_page.none"),
                key=key,
            )
        remember(key, named)
        found[role] = named or None
    unit, zone, *_ = st.columns(len(ROLES))
    with unit:
        key = f"own_stream_unit_{files}"  # another file, another unit
        restore(key)
        unit_of_ts = st.selectbox(
            words("own_page.roles.ts_unit"), ["", *UNITS], key=key,
            format_func=lambda each: words(f"own_files.units.{each}" if each else "own_page.guess_unit"),
        )  # fmt: skip
        remember(key, unit_of_ts)
        found["ts_unit"] = unit_of_ts or None
    with zone:
        key = f"own_stream_zone_{files}"
        restore(key)
        typed = st.text_input(words("own_page.roles.zone"), placeholder="UTC", key=key).strip()
        remember(key, typed)
        if typed and zone_of(typed) is None:
            say(words("own_files.problems.zone", zone=shown_in_message(typed)))
            typed = ""
        found["zone"] = typed or None
    doubled = next((found[role] for role in ROLES if list(names).count(found[role] or "") > 1), None)
    if doubled is not None:
        say(words("own_page.two_columns", name=shown_in_message(doubled)))
        found["ts"] = None
    elif found["ts"] is None:
        st.caption(words("own_page.name_time"))
    return found


def settings() -> dict[str, Any] | None:
    """The members of the question by name; None if one of them cannot be read, and that is said beside it."""
    bound, lateness, window, channels, target = st.columns(5)
    version, *_ = st.columns(5)
    with bound:
        bounds = _duration("bound", "", "0s")
    with lateness:
        allowed = _duration("lateness", "", "0s")
    with window:
        size_of_window = _duration("window", "1m", "1m")
    with channels:
        wanted = _whole("channels")
    with target:
        share = _share("target")
    with version:
        flink = _version()
    if any(each is False for each in (bounds, allowed, size_of_window, wanted, share)):
        return None
    return {
        "bounds": () if bounds is None else (bounds,),
        "lateness": allowed or 0,
        "window": size_of_window or None,
        "channels": wanted,
        "target": share,
        "flink": None if flink == NEWEST else flink,
    }


def _version() -> str:
    """The version that runs now: from an older one than the newest an upgrade is judged."""
    versions = list(reversed(VERSIONS))
    restore("own_stream_flink", versions, NEWEST)
    found: str = st.selectbox(
        words("own_page.flink"), versions, key="own_stream_flink", help=words("own_page.flink_help", newest=NEWEST)
    )
    remember("own_stream_flink", found)
    return found


def _duration(name: str, value: str, example: str) -> int | bool | None:
    text = _text(name, value, example)
    if not text:
        return None
    found = parse_duration(text)
    return _refused("duration", text) if found is None or found < 0 else found


def _whole(name: str) -> int | bool | None:
    text = _text(name, "", "")
    if not text:
        return None
    whole = text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) > 0
    return int(text) if whole else _refused("number", text)


def _share(name: str) -> Fraction | bool:
    text = _text(name, "0.1%", "0.1%")
    number, percent = (text[:-1], 100) if text.endswith("%") else (text, 1)
    try:
        found = (
            Fraction(number.strip() or "0") / percent if len(text) < 30 and "e" not in text.lower() else Fraction(-1)
        )
    except (ValueError, ZeroDivisionError):
        found = Fraction(-1)
    return found if 0 <= found <= 1 else _refused("share", text)


def _text(name: str, value: str, example: str) -> str:
    helped = words(f"own_page.{name}_help") if name in ("bound", "channels") else None
    key = f"own_stream_{name}"
    if is_kept(key):
        restore(key)
        value = ""
    found = st.text_input(words(f"own_page.{name}"), value, key=key, placeholder=example, help=helped, max_chars=40)
    remember(key, found)
    return found.strip()


def _refused(kind: str, text: str) -> bool:
    say(words(f"own_page.{kind}", text=shown_in_message(text)))
    return False


def files_of(chosen: Chosen, columns: dict[str, str | None]) -> Any:
    """What the bridge is to read."""
    pages = bridge().stream_page
    return pages.Files(chosen.paths, pages.Columns(**columns))
