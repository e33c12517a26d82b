"""What is open goes along: the links of the navigation name it, whichever page they lead to.

Only the browser knows the step, so ``place.ts`` does all of it; here it is mounted, in the frame of every page.
"""

from tidemark.ui.player.components import component


def mount_place() -> None:
    """Let the links of the navigation carry what is open."""
    component("place")(key="place", height=1)
