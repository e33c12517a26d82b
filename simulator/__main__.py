"""``python -m simulator``."""

import sys

from tidemark.simulator.commands import main

if __name__ == "__main__":
    sys.exit(main())
