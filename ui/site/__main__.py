"""``python -m ui.site OUT [--scenarios DIR]``: makes a site in the folder OUT."""

import sys
from pathlib import Path

from tidemark.simulator.words import words
from tidemark.ui.catalogue import ARGUMENT, wrong_folder
from tidemark.ui.site.build import SiteError, build, left_out


def main(arguments: list[str]) -> int:
    """Returns the exit code: 0 when the site is there and sound, 2 when none can be made.

    1: it is there, but files are not in it, or ``check`` refuses them; it says which, and why.
    """
    if not arguments or arguments[0].startswith("-") or not _is_folder_option(arguments[1:]):
        print(words("site_maker.usage"), file=sys.stderr)
        return 2
    try:
        if problem := wrong_folder():
            raise SiteError(problem)
        for language in build(Path(arguments[0])):
            print(words("site_maker.making", called=language))
    except SiteError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(words("site_maker.unwritten", folder=arguments[0], reason=error.strerror or error), file=sys.stderr)
        return 2
    print(words("site_maker.made", folder=arguments[0]))
    if problems := left_out():
        print("\n".join([words("site_maker.left_out"), *problems]), file=sys.stderr)
        return 1
    return 0


def _is_folder_option(rest: list[str]) -> bool:
    """Whether what follows is nothing, or the option that ``ui.catalogue`` reads."""
    return (
        not rest or (rest[0] == ARGUMENT and len(rest) == 2) or (rest[0].startswith(f"{ARGUMENT}=") and len(rest) == 1)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
