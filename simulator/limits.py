"""Every limit of what comes from outside, and of the work that it makes: one place, so that messages and docs agree.

Below each number: what it is the most of, and where it helps, what happens beyond it. Sizes whose names end in
``BYTES`` are in bytes, times whose names end in ``_S`` in seconds. ``make reference`` writes LIMITS.md from it.
"""

from typing import Final

# --- Scenario files -----------------------------------------------------------------------------------------------

SCENARIO_BYTES: Final = 512 * 1024
"""A scenario file, a draft, the scenario in a link. A larger one is refused; `stream: generate:` makes long streams."""

SCENARIO_PROBLEMS: Final = 100
"""Problems of a file that are reported one by one; the rest is counted."""

SCENARIO_DEPTH: Final = 64
"""How deep mappings and lists may be nested."""

SCENARIO_ITEMS: Final = 100_000
"""Items in one list."""

SCENARIO_CHANNELS: Final = 1_000
"""Channels of an input."""

CHAIN_OPERATORS: Final = 6
"""Operators of a scenario."""

GENERATED_RECORDS: Final = 10**9
"""Records of a generated stream, also with `--events`."""

WINDOWS_OF_A_RECORD: Final = 10_000
"""Windows that one record may belong to."""

PANES_OF_A_WINDOW: Final = 100_000
"""Panes of a sliding window; in the table runtime a pane is as long as the gcd of size and slide."""

CLOCK_TICKS: Final = 1_000_000
"""Periodic watermarks and idleness probes of a run, over all channels."""

# --- Runs ---------------------------------------------------------------------------------------------------------

FIRINGS_WITHIN_AN_ITEM: Final = 1_000_000
"""Firings of one key and window within one stream item. The run ends with an error."""

FIRINGS_OF_A_TIMER: Final = 20
"""Firings of one timer within one stream item. The run ends with an error."""

TRACE_STEPS: Final = 500_000
"""Micro-steps of a trace in memory."""

COUNTED_STEPS: Final = 2_000_000
"""Micro-steps of a run whose rows or events are counted for goals: some 250,000 records. A longer run is refused."""

WALK_STEPS: Final = 100_000
"""Micro-steps of a walkthrough. A longer run is cut after its last whole item, and the page says so."""

DRAFT_STEPS: Final = 3_000
"""Micro-steps that the Author page follows at each edit. Of a longer run it shows the first whole items."""

TRIED_STEPS: Final = 20_000
"""Micro-steps of a run in which a number is changed or a record moved on the walkthrough."""

SEARCHED_STEPS: Final = 5_000
"""Micro-steps of a run that is searched for the smallest change: each value to try takes a run of its own."""

COMPARED_ITEMS: Final = 20_000
"""Items of a stream that is compared with Spark's rules side by side: nobody could read the result of a longer one."""

SWEEP_VALUES: Final = 24
"""Values of a sweep."""

SWEEP_RUNS: Final = 400
"""Runs with which a sweep looks for the values where something changes; scenarios of a few records need 150."""

SHRINK_RUNS: Final = 2_000
"""Runs of a search for the fewest records; after these, the fewest so far are the result."""

STREAM_SEARCH_S: Final = 5.0
"""Processor time in which a page looks for the smallest stream on which two scenarios differ."""

UPGRADE_RECORDS: Final = 20_000
"""Records of one's own stream that a profile runs by the rules of two versions of Flink."""

CELL_STEPS: Final = 20_000
"""Micro-steps of a run that the player shows in a cell of a notebook. A longer one is refused."""

TABLE_ROWS: Final = 1_000
"""Rows that `run` shows as a table; the rest is counted."""

# --- Long work on a server ----------------------------------------------------------------------------------------

QUICK_STEPS: Final = 4_000
"""Micro-steps of a run that is worked on at once. Longer runs, sweeps and searches wait in line for a process."""

ORDER_S: Final = 60.0
"""How long such work may take."""

ORDER_BYTES: Final = 3 * 2**30
"""The memory of such a process; the largest walkthrough of a link takes a quarter of it."""

ORDERS_WAITING: Final = 20
"""Orders that wait in line. Further ones are refused at once."""

# --- Tables on the Author page ------------------------------------------------------------------------------------

TABLE_RECORDS: Final = 5_000
"""Records that are taken from a table: a scenario is made to be followed record by record."""

TABLE_COLUMNS: Final = 100
"""Columns of a table in which columns are guessed."""

TABLE_FILTERS: Final = 8
"""Filters of the wizard."""

TABLE_DEPTH: Final = 8
"""Levels of a JSON object whose members are read. What lies deeper is kept as text."""

TABLE_PIECE_BYTES: Final = 1024 * 1024
"""A piece of a file that the browser sends at once. It sends a larger file piece by piece."""

TABLE_PIECE_ROWS: Final = 10_000
"""Rows of such a piece, whose lines the browser counts. What lies beyond it in one line is not looked at."""

PASTED_ROWS: Final = 500
"""Rows that are pasted at once."""

PASTED_CHARACTERS: Final = 200_000
"""Characters that are pasted at once."""

TYPED_CHARACTERS: Final = 2_000
"""Characters typed into one field."""

# --- Streams in files ---------------------------------------------------------------------------------------------

LINE_CHARACTERS: Final = 1_000_000
"""Characters of a line, so that a file without line ends does not fill the memory."""

STREAM_CHANNELS: Final = 10_000
"""Channels of a stream in files."""

UPLOAD_MEGABYTES: Final = 200
"""An upload on the page *Your stream*. Larger files are read from the folder."""

SHOWN_COLUMN_BYTES: Final = 64 * 2**20
"""A column of a row group in Parquet. A larger one that swells when unpacked, or has huge cells, is not shown."""

OFFERED_FILES: Final = 500
"""Files of the folder that the page offers."""

SAMPLED_KEYS: Final = 10**6
"""Keys of which `check --keys` takes one."""

REPLAYED_ITEMS: Final = 1_000_000
"""Items that are sent again after a restore, in a check by Spark."""

CLOCKED_RECORDS: Final = 5_000_000
"""Records of a stream in files under an operator with processing-time timers: every task gets all their clocks."""

# --- SQL and programs ---------------------------------------------------------------------------------------------

SQL_CHARACTERS: Final = 64 * 1024
"""Characters of a text in SQL."""

SQL_DEPTH: Final = 100
"""Parentheses, or operations, within one another."""

SQL_VIEWS: Final = 20
"""Views that are built on one another."""

SQL_RECORD_BYTES: Final = 4 * 1024 * 1024
"""A file of records for a query."""

SQL_TEXT: Final = 64 * 1024
"""Characters of a text that an expression computes."""

SQL_PATTERN_WORK: Final = 1_000_000
"""Characters of a text, times the parts of the regular expression that it is held against."""

PROGRAM_RECORDS: Final = 2_000
"""Records of a scenario that is written as a program, which holds them; longer streams are for the Spark bridge."""

# --- Links and exports --------------------------------------------------------------------------------------------

LINK_CHARACTERS: Final = 8_000
"""The scenario in a link, packed. Browsers take four times as many, mail and chat programs cut far earlier."""

EXPORT_BYTES: Final = 40 * 1024 * 1024
"""A SCORM package, a page or a table that is exported; many LMS take no larger ones."""

# --- Lessons and the inventory ------------------------------------------------------------------------------------

LESSONS_BYTES: Final = 512 * 1024
"""A file `lessons.toml`."""

LESSONS_ENTRIES: Final = 1_000
"""Lessons, topics or scenarios in one list."""

LESSONS_CHARACTERS: Final = 2_000
"""Characters of a text in it."""

LESSON_ID_CHARACTERS: Final = 60
"""Characters of a lesson's `id`."""

LECTURE_MINUTES: Final = 1_000
"""Minutes of a lecture."""

ANSWERS_BYTES: Final = 20 * 1024
"""A file of answers, which usually has less than one KiB."""

ANSWERS_FILES: Final = 1_000
"""Files of answers in one report."""

# --- Questions to a class -----------------------------------------------------------------------------------------

ROOMS: Final = 100
"""Rooms of a server. A new one replaces the room that its teacher used longest ago, if it rests."""

ROOM_RESTS_S: Final = 600.0
"""A room rests when its teacher has not used it for so long."""

ROOM_LIFE_S: Final = 3 * 3600.0
"""A room that nobody has used for so long ends."""

VOTERS: Final = 500
"""Voters in one vote. Further ones are refused."""

VOTES_OF_A_VOTER: Final = 40
"""Answers that a voter may send in one vote: somebody who hesitates needs fewer, a script more."""

VOTE_CHOICES: Final = 12
"""Choices of a question."""

VOTE_WINDOWS: Final = 12
"""Windows that can be tapped: more of them do not fit on a phone."""

ROOM_QUESTIONS: Final = 100
"""Questions whose counts a room keeps; the oldest go first."""

CODES_OF_A_PAGE: Final = 20
"""Codes that one open page may try, so that nobody goes through all of them."""

CODE_TRIES: Final = 60
"""Tries of a machine at once: a class behind one address enters its code at the same time."""

CODE_TRIES_PER_S: Final = 1.0
"""New tries of a machine. At this rate half of all codes take three weeks."""

DOOR_CHARACTERS: Final = 300
"""Characters of the address in the QR code; the modules of a longer one are too small to scan across a room."""

BELIEVED_STEPS: Final = 3_000
"""Micro-steps of a run that is run again as the class believes it to be."""

DRAGGED_ITEMS: Final = 400
"""Items before a record that can be dragged in a vote."""
