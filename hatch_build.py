"""Builds what the browser runs into the wheel, so that an installed package needs no Bun."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ScriptsHook(BuildHookInterface[Any]):
    """Joins the TypeScript before the files of a wheel are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the scripts, and have the wheel carry them where ``ui.player.bundle`` looks for them."""
        sys.path.insert(0, self.root)
        from tidemark.ui.player import bundle

        bundle.script()
        below = bundle.BUILT.relative_to(Path(self.root)).as_posix()
        build_data["force_include"][str(bundle.BUILT)] = f"tidemark/{below}"
