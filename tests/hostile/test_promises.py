"""What SECURITY.md promises, sentence by sentence: each has tests that show it, and a new one without is found."""

import ast
import re
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]

SECTIONS: Final = ("Who can do what", "What holds")

SHOWN_BY: Final = {
    "`make run`, and `streamlit run app.py`, start": """
        app/test_roles.py::test_an_app_for_its_own_machine_answers_under_its_names
        app/test_roles.py::test_and_under_no_other_name_so_that_no_page_of_the_internet_can_use_it""",
    "Whoever sits there": """
        app/test_roles.py::test_an_app_for_its_own_machine_has_no_secret_and_everybody_there_may_do_everything""",
    "A page of another server cannot": """
        hostile/test_origins.py::test_a_page_of_another_server_opens_no_connection_and_sends_nothing
        hostile/test_origins.py::test_a_page_of_another_server_is_refused_and_nobody_on_the_internet_is_asked""",
    "A program that is no browser": "hostile/test_origins.py::test_a_program_that_is_no_browser_names_no_page",
    "Any page may show the small view": """
        hostile/test_origins.py::test_any_page_may_show_a_walkthrough_and_a_lesson_for_students_in_a_frame""",
    "No other page of the app": """
        hostile/test_origins.py::test_no_page_of_another_server_shows_the_others
        hostile/test_origins.py::test_nobody_is_the_teacher_in_a_frame""",
    "`make run ADDRESS=0.0.0.0` lets": """
        app/test_roles.py::test_the_teachers_address_becomes_a_cookie_and_an_address_without_the_secret""",
    "The **teacher's address** ends": """
        app/test_roles.py::test_an_app_that_others_can_reach_makes_a_secret_of_its_own_at_each_start""",
    "A browser that has opened it": """
        app/test_roles.py::test_the_teachers_address_becomes_a_cookie_and_an_address_without_the_secret
        app/test_roles.py::test_only_the_secret_itself_makes_a_teacher""",
    "These environment variables": """
        app/test_roles.py::test_a_secret_of_ones_own_is_taken_also_behind_a_proxy_and_a_short_one_is_refused
        hostile/test_origins.py::test_a_proxy_that_changes_the_name_says_where_it_shows_the_app
        hostile/test_origins.py::test_only_a_proxy_that_was_named_is_believed_whom_it_speaks_for""",
    "A site of static files": "test_architecture.py::test_the_browser_sends_no_requests",
    "What a scenario, a link": """
        hostile/test_bombs.py::test_a_bomb_is_refused_in_time
        hostile/test_doors.py::test_no_link_and_no_file_is_a_bomb""",
    "It is never executed": """
        hostile/test_patterns.py::test_streamlit_reads_markdown_in_words_of_the_catalogue_alone
        hostile/test_patterns.py::test_no_script_makes_html_of_a_text
        hostile/test_patterns.py::test_no_file_column_or_address_is_markup_on_the_page_of_a_stream""",
    "Whatever comes from outside": """
        hostile/test_bombs.py::test_a_bomb_is_refused_in_time
        hostile/test_doors.py::test_no_message_with_a_bomb_in_it_holds_the_others_up
        hostile/test_doors.py::test_no_text_that_is_a_bomb_holds_the_others_up
        hostile/test_doors.py::test_no_file_on_your_stream_is_a_bomb
        hostile/test_patterns.py::test_the_patterns_of_the_tree_are_linear
        app/test_sharing.py::test_a_bomb_is_refused_before_it_takes_memory""",
    "`make fuzz` tries damaged input": "fuzz/test_fuzz.py::test_whatever_comes_is_read_or_refused_with_a_message",
    "A name can never lead out": """
        app/test_own_stream.py::test_no_name_reaches_outside_the_folder
        app/test_author_store.py::test_symbolic_links_are_not_followed
        app/test_saving_killed.py::test_the_library_follows_no_link_out_of_the_folder""",
    "A file is saved whole": """
        app/test_saving_killed.py::test_a_save_that_is_killed_is_whole_or_not_there
        app/test_saving_killed.py::test_a_disk_that_takes_only_a_part_leaves_the_folder_as_it_was
        app/test_author_store.py::test_the_second_of_two_authors_sees_the_conflict_and_can_choose""",
    "Names that differ only in case": """
        app/test_saving_killed.py::test_a_name_that_some_system_takes_for_another_is_taken""",
    "Nothing leaves the machine": """
        test_architecture.py::test_the_browser_sends_no_requests
        app/test_roles.py::test_every_answer_forbids_the_browser_to_ask_other_servers
        hostile/test_origins.py::test_a_page_of_another_server_is_refused_and_nobody_on_the_internet_is_asked""",
    "Uploads are removed": "app/test_own_stream.py::test_what_a_visitor_uploaded_goes_when_the_visitor_has_left",
    "A room code cannot be found": """
        app/test_rooms.py::test_a_machine_that_tries_codes_has_to_wait_and_the_others_have_not""",
    "A browser has one vote": """
        app/test_rooms.py::test_an_open_page_votes_once_and_tries_few_codes
        app/test_rooms.py::test_a_new_room_replaces_the_one_that_rested_longest_and_never_one_in_use""",
    "Votes have no names": "app/test_rooms.py::test_closing_a_question_forgets_who_chose_what",
    "Long work": """
        app/test_jobs.py::test_a_short_run_is_worked_on_at_once_and_a_long_one_is_ordered
        app/test_jobs.py::test_an_order_that_takes_too_long_is_ended_and_the_next_one_is_done
        app/test_jobs.py::test_an_order_that_needs_too_much_memory_is_refused
        hostile/test_doors.py::test_records_that_are_in_thousands_of_windows_are_left_to_another_process""",
    "The line takes turns": "app/test_jobs.py::test_the_line_goes_round_the_machines",
    "Whoever waits sees": """
        app/test_jobs.py::test_those_who_wait_know_their_place_and_a_new_order_takes_the_place_of_the_old
        app/test_jobs.py::test_a_visitor_who_leaves_ends_what_was_begun_for_them""",
    "Spark has a line of its own": """
        app/test_opening.py::test_lessons_are_made_one_at_a_time_and_of_very_many_the_last_are_refused""",
    "What a visitor took of the memory": """
        app/test_own_stream.py::test_the_session_of_a_visitor_who_has_left_ends_after_what_was_to_be_done
        app/test_author_edits.py::test_only_a_limited_number_of_drafts_and_runs_is_cached
        app/test_roles.py::test_long_drafts_are_read_one_after_another_and_a_short_one_does_not_wait
        app/test_memory.py::test_what_busy_threads_have_freed_goes_back_to_the_system
        hostile/test_origins.py::test_a_visitor_empties_no_cache_and_leaves_no_thread""",
    "Texts that are too long": "app/test_memory.py::test_many_texts_of_one_visitor_leave_those_of_the_others",
    "A visitor is a machine": """
        app/test_memory.py::test_a_visitor_is_a_machine_and_the_teacher_is_one_wherever_they_sit""",
    "What lies in a browser's storage": """
        browser/test_kept_in_browser.py::test_every_page_opens_with_damaged_storage
        browser/test_kept_in_browser.py::test_a_site_opens_with_damaged_storage
        browser/test_kept_in_browser.py::test_what_was_lost_is_named_once
        browser/test_kept_in_browser.py::test_every_page_opens_without_storage
        browser/test_kept_in_browser.py::test_every_page_of_a_site_opens_without_storage""",
    "| walk, predict, compare": """
        app/test_roles.py::test_a_student_sees_no_names_of_files_and_cannot_save_the_order_of_the_lessons""",
    "| open files of the folder": """
        app/test_roles.py::test_a_student_saves_opens_renames_and_deletes_nothing_in_the_folder
        hostile/test_doors.py::test_the_order_of_lessons_is_refused_before_its_text_is_read""",
    "| start and stop Spark": """
        app/test_roles.py::test_a_student_starts_and_stops_no_check_even_if_a_button_that_is_off_is_pressed""",
    "| *Your stream*": """
        app/test_roles.py::test_only_the_teacher_uploads_files
        app/test_own_stream.py::test_nobody_but_the_teacher_reaches_a_file""",
    "| open a room": """
        app/test_roles.py::test_a_student_cannot_ask_the_class
        app/test_rooms.py::test_only_the_token_of_the_room_may_ask_count_or_close""",
}
"""How a sentence or a row of the table begins, and the tests that fail when it is broken."""

ADVICE: Final = ("The app speaks HTTP",)
"""Sentences that promise nothing."""

HEADS: Final = ("| | everybody", "| variable", "| ---", "| `")
"""Rows of the tables that are heads, or explain a variable."""


def sentences() -> list[str]:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    sections = (text.partition(f"\n## {each}\n")[2].partition("\n## ")[0] for each in SECTIONS)
    lines = [line for section in sections for line in section.splitlines()]
    rows = [line for line in lines if line.startswith("|") and not line.startswith(HEADS)]
    prose = "\n".join("" if line.startswith("|") else line for line in lines)
    blocks = (re.sub(r"\s+", " ", each).strip() for each in re.split(r"\n\n|^- ", prose, flags=re.MULTILINE))
    return [each for block in blocks for each in re.split(r"(?<=[.:]) (?=[A-Z*`])", block) if each] + rows


def test_each_sentence_has_its_tests() -> None:
    found = [each for each in sentences() if not each.startswith(ADVICE)]
    assert [each for each in found if not each.startswith(tuple(SHOWN_BY))] == []
    assert [each for each in SHOWN_BY if not any(sentence.startswith(each) for sentence in found)] == []


def test_the_tests_are_there() -> None:
    for tests in SHOWN_BY.values():
        for each in tests.split():
            path, _, name = each.partition("::")
            tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, each
