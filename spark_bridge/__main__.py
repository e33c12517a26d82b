"""``python -m spark_bridge``."""

import signal
import sys

from spark_bridge.command import main

# Even when it is ended from outside, it leaves no process and no temporary folder behind.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
sys.exit(main())
