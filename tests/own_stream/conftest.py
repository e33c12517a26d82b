"""The one Spark session of the tests of the bridge, also for streams of one's own."""

from tests.spark.conftest import java as java
from tests.spark.conftest import spark as spark
