"""``python -m simulator``."""

import sys

from simulator.commands import main

if __name__ == "__main__":
    sys.exit(main())
