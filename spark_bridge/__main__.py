"""``python -m spark_bridge``."""

import atexit
import signal
import sys

from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.spark.folders import end

# Even when it is ended from outside, it leaves no process and no temporary folder behind. After `nohup` the end of the
# terminal is ignored, and stays so.
for _number in (signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_DFL:
        signal.signal(_number, lambda number, frame: sys.exit(128 + number))
# Last of all: a signal may arrive when a folder is there and nobody knows of it yet.
atexit.register(end)
sys.exit(main())
