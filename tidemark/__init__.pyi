__version__: str

from tidemark import spark as spark
from tidemark.simulator.engine.values.errors import ScenarioError as ScenarioError
from tidemark.ui.extras import MissingExtra as MissingExtra
from tidemark.ui.python.frames import InputError as InputError
from tidemark.ui.python.queries import Query as Query
from tidemark.ui.python.queries import sql as sql
from tidemark.ui.python.runs import Change as Change
from tidemark.ui.python.runs import Reason as Reason
from tidemark.ui.python.runs import Run as Run
from tidemark.ui.python.runs import Scenario as Scenario
from tidemark.ui.python.runs import Why as Why
from tidemark.ui.python.scenarios import load as load
from tidemark.ui.python.scenarios import scenario as scenario
from tidemark.ui.python.sweeps import sweep as sweep
