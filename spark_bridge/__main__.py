"""``python -m spark_bridge``."""

import sys

from spark_bridge.command import main

sys.exit(main())
