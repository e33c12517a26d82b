"""The imports of a Java program: what its text names."""

import re
from typing import Final

_PACKAGES: Final = {
    "java.time": ("Duration",),
    "java.util": ("ArrayList", "Arrays", "LinkedHashMap", "List", "Map", "StringJoiner"),
    "org.apache.flink.api.common.eventtime": (
        "Watermark", "WatermarkGenerator", "WatermarkOutput", "WatermarkStrategy",
    ),
    "org.apache.flink.api.common.functions": ("AggregateFunction", "CoGroupFunction", "JoinFunction", "OpenContext"),
    "org.apache.flink.api.common.state": ("MapState", "MapStateDescriptor"),
    "org.apache.flink.api.common.typeinfo": ("TypeInformation", "Types"),
    "org.apache.flink.api.common.typeutils": ("TypeSerializer",),
    "org.apache.flink.api.java.tuple": ("Tuple2",),
    "org.apache.flink.streaming.api.datastream": ("DataStream", "SingleOutputStreamOperator"),
    "org.apache.flink.streaming.api.environment": ("StreamExecutionEnvironment",),
    "org.apache.flink.streaming.api.functions": ("KeyedProcessFunction", "ProcessFunction"),
    "org.apache.flink.streaming.api.functions.co": ("ProcessJoinFunction",),
    "org.apache.flink.streaming.api.functions.windowing": ("ProcessWindowFunction",),
    "org.apache.flink.streaming.api.functions.windowing.delta": ("DeltaFunction",),
    "org.apache.flink.streaming.api.operators": ("AbstractStreamOperator", "OneInputStreamOperator"),
    "org.apache.flink.streaming.api.windowing.assigners": (
        "EventTimeSessionWindows", "GlobalWindows", "SlidingEventTimeWindows", "TumblingEventTimeWindows",
    ),
    "org.apache.flink.streaming.api.windowing.evictors": ("CountEvictor", "DeltaEvictor", "TimeEvictor"),
    "org.apache.flink.streaming.api.windowing.triggers": (
        "ContinuousEventTimeTrigger", "CountTrigger", "DeltaTrigger", "EventTimeTrigger", "PurgingTrigger",
    ),
    "org.apache.flink.streaming.api.windowing.windows": ("GlobalWindow", "TimeWindow"),
    "org.apache.flink.streaming.runtime.streamrecord": ("StreamRecord",),
    "org.apache.flink.util": ("Collector", "OutputTag"),
}  # fmt: skip

_NAME: Final = re.compile(r"(?<![.\w])[A-Z]\w*")
_STRING: Final = re.compile(r'"(?:\\.|[^"\\])*"?')


def imports(body: str) -> str:
    """The import statements for the classes that ``body``, the text of a class, names outside its strings."""
    named = set(_NAME.findall(_STRING.sub('""', body)))
    lines = [f"import {package}.{name};" for package, names in _PACKAGES.items() for name in names if name in named]
    return "\n".join(lines)
