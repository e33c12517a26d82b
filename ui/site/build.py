"""Makes the folder of a site from the catalogue: pages, scripts, styles, and every scenario as it is shown."""

import gzip
import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.places import ROOT
from tidemark.simulator.scenario.languages import languages_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.teaching.lint import require_accepted
from tidemark.simulator.words import LANGUAGES, current_language, interface_language, section, speaking, words
from tidemark.simulator.words.tags import MOST_CHARACTERS, TAG
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.catalogue.lessons_file import Lessons
from tidemark.ui.catalogue.tours import LECTURE, OTHER_LECTURE, order, scenes, visit_of
from tidemark.ui.library.cards import Makings
from tidemark.ui.library.contents import contents as library_contents
from tidemark.ui.library.contents import problems_of_lessons, terms
from tidemark.ui.library.symptoms import contents as symptoms_contents
from tidemark.ui.pages import theme
from tidemark.ui.pages.opening import guide
from tidemark.ui.pages.opening.address import OPENS_WITH
from tidemark.ui.pages.opening.doors import LINKS, UNLISTED, WALKTHROUGH, doors, page_name
from tidemark.ui.pages.opening.guide import GUIDE
from tidemark.ui.payload.badges import proofs_stamp
from tidemark.ui.payload.charts.mounting import vega_module
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.player import components
from tidemark.ui.player.bundle import script
from tidemark.ui.player.styles import STYLES, style
from tidemark.ui.server.tags import COOKIE, LINK, name_of, tag
from tidemark.ui.share.lesson import own_parts
from tidemark.ui.share.page import font_faces, fonts, shell
from tidemark.ui.site.code import LIBRARY, BytecodeError, code, compiled
from tidemark.ui.site.files import FOLDER, Folder, replacing

# The HTML of a site, the same for each of its pages: ``main.js`` reads the manifest in it and draws what is shown.

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self'; "
    "base-uri 'self'; form-action 'none'"
)
"""Nothing comes from elsewhere, and no script stands in a page; styles do: the player sets them on what it draws."""

_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{name}">
<base href="{root}">
{about}
<link rel="icon" href="{logo}">
<link rel="stylesheet" href="{style}">
<link rel="modulepreload" href="{main}">
{first}
<script type="application/json" id="tidemark-site">{manifest}</script>
<script type="module" src="{main}"></script>
</head>
<body>
<noscript>{noscript}</noscript>
</body>
</html>
"""


def _early(path: str) -> str:
    """Has the browser fetch a file before a script asks for it."""
    how = "modulepreload" if path.endswith(".js") else 'preload" as="style'
    return f'<link rel="{how}" href="{path}">'


ADDRESS: Final = "TIDEMARK_SITE"
"""The environment variable with the address at which the site will lie. Whoever shows a preview of a link asks for the
whole address of its picture."""

PREVIEWS: Final = ROOT / "docs" / "images"
"""The pictures of previews: of each page what shows it, or ``_PREVIEW``."""

_PREVIEW: Final = "why-window.png"
_PREVIEW_OF: Final = {
    "guide": "visit-question.png",
    "author": "site.png",
    **dict.fromkeys(("practice", "inventory", "path"), "question.png"),
    **dict.fromkeys(("teach", "lessons", "vote"), "present-question.png"),
}


def about(title: str, description: str, picture: str) -> str:
    """What a tab, a search engine and a preview of a link say of a page. ``picture``: its path in the site."""
    base = os.environ.get(ADDRESS, "").rstrip("/")
    shown = {"title": title, "description": description}
    if picture:
        shown["image"] = f"{base}/{picture}" if base else picture
    graph = "".join(
        f'<meta property="og:{name}" content="{escape(said)}">'
        for name, said in {"type": "website", "site_name": words("app.name"), **shown}.items()
    )
    card = '<meta name="twitter:card" content="summary_large_image">'
    return f'<title>{escape(title)}</title><meta name="description" content="{escape(description)}">{graph}{card}'


def _about_page(folder: Folder, page: str) -> str:
    title = words("player.page_title", page=page_name(page)) if page else f"{words('app.name')}: {words('app.motto')}"
    said = words(f"app.doors.about.{LINKS[page]}") if page in LINKS and page else words("app.about")
    return about(title, said, _picture_of(folder, page))


def _picture_of(folder: Folder, page: str) -> str:
    """The path of the preview of a page; "" where the project's documents are not there."""
    file = PREVIEWS / _PREVIEW_OF.get(page, _PREVIEW)
    return folder.shared(file.name, file.read_bytes()) if file.is_file() else ""


def html(root: str, said: str, first: Sequence[str], files: Mapping[str, str], manifest: Mapping[str, Any]) -> str:
    """A page. ``root`` leads from it to the root of the site; ``said`` is what ``about`` returned.

    ``first``: the script and styles that it needs at once, if it does; ``files``: the paths of ``logo``, ``style`` and
    ``main``.
    """
    return _PAGE.format(
        language=tag(current_language()),
        policy=POLICY,
        name=escape(words("app.name")),
        root=root,
        about=said,
        first="\n".join(map(_early, first)),
        noscript=escape(words("site.noscript")),
        manifest=json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        **files,
    )


SHARED: Final[tuple[str, ...]] = ("words", "library", "visit")
"""The parts of a payload that are the same for all scenarios, or for nearly all."""


class Walkthrough(NamedTuple):
    """A scenario, what its payload has beside the common parts, and its number of steps."""

    name: str
    own: dict[str, Any]
    steps: int


def common(entries: Sequence[Entry], lessons: Lessons) -> dict[str, Any]:
    """The common parts, in the current language; {} for a library in which nothing can be run."""
    whole = next((payload for _, payload, _ in _payloads(entries, lessons)), {})
    shared = {name: whole[name] for name in SHARED if name in whole}
    return {**shared, "visit": json.loads(visit_of("", entries, lessons) or "null")} if shared else {}


def walkthroughs(
    entries: Sequence[Entry], lessons: Lessons, shared: dict[str, Any], names: Collection[str] | None = None
) -> Iterator[Walkthrough]:
    """Each scenario that can be run, in the current language. ``shared``: what ``common`` returned.

    ``names``: of these scenarios only.
    """
    for entry, payload, steps in _payloads(entries, lessons, names):
        own = {name: part for name, part in payload.items() if name not in shared or part != shared[name]}
        yield Walkthrough(entry.name, own, steps)


def further_languages(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """The languages of texts that the interface does not have, each with the names of its scenarios."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        for language in languages_of(entry.scenario) if entry.scenario else ():
            if language not in LANGUAGES:
                found.setdefault(language, []).append(entry.name)
    return found


def _payloads(
    entries: Sequence[Entry], lessons: Lessons, names: Collection[str] | None = None
) -> Iterator[tuple[Entry, dict[str, Any], int]]:
    choices = choices_of(entries)
    shown = [each for entry in entries if names is None or entry.name in names for each in entry.operators()]
    for entry in shown:
        if entry.scenario is not None:
            facts, steps = packed(entry, entry.name, entry.stamp, choices, visit_of(entry.name, entries, lessons))
            yield entry, json.loads(gzip.decompress(facts)), steps


UI: Final = Path(__file__).resolve().parents[1]

SCRIPTS: Final = {name: path for name, path in components.SCRIPTS.items() if name != "vote"}
"""The scripts of the components that a site mounts: the very ones of the app. A vote needs a server."""

AT_ONCE: Final = {
    WALKTHROUGH: "player",
    **dict.fromkeys(("library", "path", "teach"), "library"),
    "symptoms": "symptoms",
}
"""The pages that wait for nothing but files, with the component that each shows."""

PAGES: Final = tuple(page for page in (*LINKS, *UNLISTED) if page != WALKTHROUGH)
"""The pages in folders of their own. Those that need more than files say so (``main.ts``)."""

ENGINE: Final = UI.parent / "build" / "pyodide" / "node_modules" / "pyodide"
"""Where ``make site`` puts Python for the browser, after the lock file in ``ui/site/pyodide/``."""

PYODIDE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
"""What a browser needs of that package beside its library; the first file is the one to import."""

MARK: Final = "tidemark-site.txt"
"""The file by which a folder is known to be a site, so that it may be replaced."""


class SiteError(Exception):
    """No site can be made; the message says why."""


def build(out: Path, engine: Path = ENGINE) -> Iterator[str]:
    """Make a site in ``out``; an older one stays whole until this one is done (``swapping``), and then goes.

    Yields the languages as they are begun.

    ``engine``: the folder of the npm package pyodide; a site made without it shows what needs no computation.

    Raises ``SiteError`` if ``out`` holds something else, or nothing in the library can be run.
    """
    entries = library()
    if not any(each.scenario for each in entries):
        raise SiteError(words("site_maker.nothing"))
    _refuse_other_files(out)
    with replacing(out, FOLDER) as beside:
        yield from _made(Folder(beside), entries, engine)


def _made(folder: Folder, entries: Sequence[Entry], engine: Path) -> Iterator[str]:
    """Write the whole site into ``folder``; yields the languages as they are begun."""
    folder.page(MARK, f"{words('app.name')}\n")
    files = {
        "main": folder.shared("main.js", script(UI / "site" / "main.ts").encode()),
        "style": folder.shared("style.css", _styles(folder).encode()),
        "logo": folder.shared("logo.svg", theme.LOGO.read_bytes()),
    }
    scripts = {name: folder.shared(f"{name}.js", script(path).encode()) for name, path in SCRIPTS.items()}
    styles = {name: [_style(folder, each) for each in STYLES.get(name, ())] for name in SCRIPTS}
    parts: dict[str, dict[str, str]] = {}
    scenarios: dict[str, dict[str, Any]] = {}
    for language in LANGUAGES:
        yield language
        with speaking(language):
            parts[language] = _language(folder, language, scenarios, "made" if engine.is_dir() else None)
    for language, names in further_languages(entries).items():
        with speaking(language):
            with speaking(interface_language()):
                shared = common(entries, catalogue.lessons())
            _walkthroughs(folder, language, scenarios, shared, names)
    manifest = {
        "logo": files["logo"],
        "fonts": folder.shared("fonts.css", fonts()),
        "lesson": folder.data("lesson", dict(zip(("style", "script"), own_parts(), strict=True))),
        "scripts": scripts,
        "styles": styles,
        "languages": [{"language": each, "name": name_of(each), "tag": tag(each)} for each in LANGUAGES],
        "tags": {"pattern": TAG, "longest": MOST_CHARACTERS},
        "cookie": COOKIE,
        "link": LINK,
        "parts": parts,
        "scenarios": scenarios,
        "engine": _engine(folder, engine),
        "vega": folder.shared("vega.js", gzip.decompress(vega_module())),
        "scenes": scenes(entries, catalogue.lessons()),
        "opens_with": _opens_with(entries),
        "own": [each.name for each in entries if each.own and each.scenario],
    }
    about_pages = {page: _about_page(folder, page) for page in (WALKTHROUGH, *PAGES)}
    guides = _guides(folder, files["style"])
    version = manifest["version"] = _digest(folder.written)
    pages = [*guides]
    for page in (WALKTHROUGH, *PAGES):
        shown = AT_ONCE.get(page)
        first = (scripts[shown], *styles[shown]) if shown else ()
        pages.append(html("../" if page else "./", about_pages[page], first, files, manifest))
        folder.page(f"{page}/index.html" if page else "index.html", pages[-1])
    at_once = [*files.values(), *scripts.values(), *(path for paths in styles.values() for path in paths)]
    at_once += [part[name] for part in parts.values() for name in ("common", "library")]
    _keeper(folder, at_once, pages, version)
    if manifest["engine"] is not None:
        folder.page("engine.json", json.dumps(manifest["engine"]))
        folder.page("tidemark.js", script(UI / "site" / "api.ts"))


GUIDES: Final = {each: f"{GUIDE}/" if each == LANGUAGES[0] else f"{GUIDE}/{each}/" for each in LANGUAGES}
"""Where the guide lies in each language."""


def _guides(folder: Folder, style: str) -> Iterator[str]:
    """Write the guide in each language; yields the pages."""
    scripts = f'<script type="module" src="{folder.shared("guide.js", script(guide.SCRIPT).encode())}"></script>'
    picture = _picture_of(folder, GUIDE)
    for language, here in GUIDES.items():
        with speaking(language):
            texts = section("guide")
            head = (
                f'<meta http-equiv="Content-Security-Policy" content="{POLICY}; frame-src \'self\'">'
                f"{about(words('player.page_title', page=texts['title']), texts['description'], picture)}"
                f'<link rel="stylesheet" href="{style}"><style>{guide.style()}</style>'
            )
            page = guide.html(guide.Place("../" * here.count("/"), here, GUIDES), head, scripts)
        folder.page(f"{here}index.html", page)
        yield page


def left_out() -> list[str]:
    """What is wrong with files that are not in the site, with one's own that are, and with its lessons."""
    entries = library()
    return [
        *(each.problem or each.name for each in entries if not each.scenario),
        *(problem for each in entries if each.scenario and each.own for problem in _refused(each.scenario)),
        *problems_of_lessons(list(entries), catalogue.lessons()),
    ]


def _refused(scenario: Scenario) -> list[str]:
    """What ``check`` says against a scenario that can be walked through."""
    try:
        require_accepted(scenario)
    except ScenarioError as error:
        return [str(each) for each in error.problems if not each.warning]
    return []


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _keeper(folder: Folder, at_once: Sequence[str], pages: Sequence[str], made: str) -> None:
    """Write the service worker, which keeps the files ``at_once`` first; it is another one when any file or page is.

    ``made``: the version that the pages name, which cannot contain the digest of themselves.
    """
    kept = {
        "version": _digest([*folder.written, *pages]),
        "made": made,
        "pages": ["./", *(f"{page}/" for page in PAGES), *GUIDES.values()],
        "first": [path for path in folder.written if path in at_once or path.endswith(".woff2")],
        "later": [path for path in folder.written if path not in at_once and not path.endswith(".woff2")],
        "folder": f"{FOLDER}/",
    }
    folder.page("keep.js", f"globalThis.tidemarkKept = {json.dumps(kept)};\n{script(UI / 'site' / 'keep.ts')}")


def _engine(folder: Folder, engine: Path) -> dict[str, Any] | None:
    """Write what Python needs in the browser; the paths are those of ``EngineFiles`` in ``types.ts``."""
    if not engine.is_dir():
        return None
    version = json.loads((engine / "package.json").read_text(encoding="utf-8"))["version"]
    for name in PYODIDE:
        folder.copy(engine / name, f"pyodide-{version}/{name}")
    try:
        library, packed = compiled(code(), engine)
    except BytecodeError as error:
        raise SiteError(words("site_maker.not_compiled", reason=error)) from error
    sizes = {f"{FOLDER}/pyodide-{version}/{name}": _sent((engine / name).read_bytes()) for name in PYODIDE}
    paths = {"library": folder.shared(LIBRARY, library), "code": folder.shared("code.bin", packed)}
    return {
        "worker": folder.shared("worker.js", script(UI / "site" / "worker.ts").encode()),
        "glue": f"{FOLDER}/pyodide-{version}/{PYODIDE[0]}",
        "folder": f"{FOLDER}/pyodide-{version}/",
        **paths,
        "sizes": {**sizes, paths["library"]: _sent(library), paths["code"]: _sent(packed)},
    }


def _sent(content: bytes) -> int:
    """How many bytes a server sends of a file that it compresses."""
    return len(gzip.compress(content, 6))


def _refuse_other_files(out: Path) -> None:
    if out.exists() and not (out / MARK).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise SiteError(words("site_maker.not_a_site", folder=out))


def _style(folder: Folder, of: Path) -> str:
    """Write a style sheet, or those of a folder, once for all components that have them; returns the path."""
    return folder.shared(f"{of.stem}.css", style(of).encode())


def _styles(folder: Folder) -> str:
    faces = font_faces(lambda name, file: folder.shared(f"{name}.woff2", file.read_bytes()).removeprefix(f"{FOLDER}/"))
    return "\n".join([faces, theme.sheet(), (UI / "site" / "site.css").read_text(encoding="utf-8")])


def _opens_with(entries: Sequence[Entry]) -> str:
    sound = [each.name for each in entries if each.scenario]
    return OPENS_WITH if OPENS_WITH in sound else sound[0]


def _language(
    folder: Folder, language: str, scenarios: dict[str, dict[str, Any]], packages: str | None
) -> dict[str, str]:
    """Write everything of one language; the walkthroughs are entered into ``scenarios``.

    ``packages``: how the library has lessons made to take away.
    """
    entries, lessons = library(), catalogue.lessons()
    shared = common(entries, lessons)
    _walkthroughs(folder, language, scenarios, shared)
    makings = Makings(proofs_stamp())
    for _ in makings.make([each for each in entries if each.scenario]):
        pass
    made = {
        "common": {"payload": shared, "site": _frame()},
        "library": library_contents(
            entries, lessons, makings.ready, packages=packages, ordering=packages is not None, refused=False
        ),
        "symptoms": symptoms_contents("", terms()),
        "lectures": _lectures(entries, lessons, makings),
        "kit": shell(),
    }
    return {name: folder.data(f"{name}-{language}", contents) for name, contents in made.items()}


def _walkthroughs(
    folder: Folder,
    language: str,
    scenarios: dict[str, dict[str, Any]],
    shared: dict[str, Any],
    names: Sequence[str] | None = None,
) -> None:
    """Write the walkthroughs of one language, those of ``names`` only if there are any."""
    for name, own, steps in walkthroughs(library(), catalogue.lessons(), shared, names):
        path = folder.data(f"{name}-{language}", own)
        scenarios.setdefault(name, {"steps": steps})[language] = path


def _doors() -> dict[str, Any]:
    """The header, which leads to the guide in the current language."""
    said = doors()
    for link in (link for door in said["doors"] for link in door["links"] if link["address"] == GUIDE):
        link["address"] = GUIDES[interface_language()]
    return said


def _frame() -> dict[str, Any]:
    """What stands around the pages."""
    return {
        "name": words("app.name"),
        "title": section("player")["page_title"],
        "languages": words("app.languages"),
        "controls": section("app.controls"),
        "losses": {"words": section("app.storage"), "comma": words("app.comma")},
        "doors": _doors(),
        "names": {page: page_name(page) for page in (*LINKS, *UNLISTED)},
        "words": section("site"),
    }


def _lectures(entries: Sequence[Entry], lessons: Lessons, makings: Makings) -> dict[str, Any]:
    pictures = {
        each.name: made["picture"] for each in entries if each.scenario and (made := makings.ready(each)) is not None
    }
    names = [LECTURE, OTHER_LECTURE, *(each.id for each in lessons.lessons)]
    return {name: found for name in names if (found := order(name, entries, lessons, pictures)) is not None}
