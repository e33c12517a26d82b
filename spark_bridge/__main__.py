"""``python -m spark_bridge``."""

import sys

from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.spark.folders import end_with_process

end_with_process()
sys.exit(main())
