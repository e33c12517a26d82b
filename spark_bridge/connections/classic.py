"""A session in a Java process next to this one, whoever started that."""

from pyspark import SparkContext
from tidemark.spark_bridge.connections.base import Connection, Jobs
from tidemark.spark_bridge.execution.figures import Figures
from tidemark.spark_bridge.stages import Work


class ClassicJobs(Jobs):
    """The jobs of a Spark context that have the tag."""

    def __init__(self, context: SparkContext) -> None:
        super().__init__()
        self._context = context
        self._figures: Figures | None = None

    def begin(self) -> None:
        # The session's own tags (``addTag``) do not reach the jobs that a DataFrame's actions start.
        self._context.addJobTag(self.tag)
        self._context.setInterruptOnCancel(True)

    def end(self) -> None:
        self._context.removeJobTag(self.tag)
        self._context.setInterruptOnCancel(False)

    def cancel(self) -> None:
        self._context.cancelJobsWithTag(self.tag)

    def are_over(self) -> bool:
        executors = self._context._jsc.sc().statusTracker().getExecutorInfos()
        return not any(each.numRunningTasks() for each in executors)

    def have_workers(self) -> bool:
        if (self._context.master or "").startswith("local["):
            return True
        # The driver is in the list too.
        return int(self._context._jsc.sc().statusStore().executorList(True).size()) > 1

    def figures(self) -> Work:
        if self._figures is None:
            self._figures = Figures(self._context)
        return self._figures.now()


class Classic(Connection):
    """A session with a Spark context."""

    @property
    def java_version(self) -> str:
        """Asked of Java itself: a query, as behind a server, takes a third of a second."""
        java = self.session.sparkContext._jvm
        assert java is not None
        return str(java.System.getProperty("java.version"))

    def jobs(self) -> Jobs:
        return ClassicJobs(self.session.sparkContext)
