"""What SECURITY.md promises under *What holds*: each promise has tests that show it, and a new one without is found."""

import ast
import re
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]

SHOWN_BY: Final = {
    "What a scenario, a link": ("hostile/test_markdown.py::"
                                "test_streamlit_reads_markdown_in_words_of_the_catalogue_alone",
                                "hostile/test_markdown.py::test_no_script_makes_html_of_a_text"),
    "Whatever comes from outside": ("hostile/test_bombs.py::test_a_bomb_is_refused_in_time",
                                    "app/test_links.py::test_a_bomb_is_refused_before_it_takes_memory"),
    "A name can never lead out": ("app/test_own_stream.py::test_no_name_reaches_outside_the_folder",
                                  "app/test_author_store.py::test_symbolic_links_are_not_followed",
                                  "app/test_saving_killed.py::test_the_library_follows_no_link_out_of_the_folder"),
    "A file is saved whole": ("app/test_saving_killed.py::test_a_save_that_is_killed_is_whole_or_not_there",
                              "app/test_saving_killed.py::"
                              "test_a_disk_that_takes_only_a_part_leaves_the_folder_as_it_was",
                              "app/test_saving_killed.py::test_a_name_that_some_system_takes_for_another_is_taken"),
    "Nothing leaves the machine": ("test_architecture.py::test_the_browser_sends_no_requests",
                                   "app/test_roles.py::test_every_answer_forbids_the_browser_to_ask_other_servers",
                                   "hostile/test_server.py::"
                                   "test_a_page_of_another_server_is_refused_and_nobody_on_the_internet_is_asked",
                                   "app/test_own_stream.py::"
                                   "test_what_a_visitor_uploaded_goes_when_the_visitor_has_left"),
    "A room code cannot be found": ("app/test_rooms.py::"
                                    "test_a_machine_that_tries_codes_has_to_wait_and_the_others_have_not",
                                    "hostile/test_lasting.py::"
                                    "test_only_a_proxy_that_was_named_is_believed_whom_it_speaks_for",
                                    "app/test_rooms.py::test_an_open_page_votes_once_and_tries_few_codes",
                                    "app/test_rooms.py::"
                                    "test_a_new_room_replaces_the_one_that_rested_longest_and_never_one_in_use"),
    "Votes have no names": ("app/test_rooms.py::test_closing_a_question_forgets_who_chose_what",),
    "Long work": ("app/test_heavy.py::test_an_order_that_takes_too_long_is_ended_and_the_next_one_is_done",
                  "app/test_heavy.py::test_an_order_that_needs_too_much_memory_is_refused",
                  "app/test_heavy.py::test_a_visitor_who_leaves_ends_what_was_begun_for_them",
                  "app/test_heavy.py::test_the_line_goes_round_the_machines"),
    "What a visitor took of the memory": ("app/test_memory.py::"
                                          "test_what_busy_threads_have_freed_goes_back_to_the_system",
                                          "hostile/test_server.py::"
                                          "test_a_visitor_empties_no_cache_and_leaves_no_thread"),
    "Texts that are too long": ("app/test_shared_slots.py::test_many_texts_of_one_visitor_leave_those_of_the_others",
                                "app/test_shared_slots.py::"
                                "test_animations_that_one_visitor_starts_leave_room_for_another",
                                "app/test_shared_slots.py::"
                                "test_a_visitor_is_a_machine_and_the_teacher_is_one_wherever_they_sit"),
    "What lies in a browser's storage": ("browser/test_kept_in_browser.py::"
                                         "test_every_page_opens_with_damaged_storage",
                                         "browser/test_kept_in_browser.py::"
                                         "test_every_page_of_a_site_opens_with_damaged_storage",
                                         "browser/test_kept_in_browser.py::test_what_was_lost_is_named_once",
                                         "browser/test_kept_in_browser.py::test_every_page_opens_without_storage",
                                         "browser/test_kept_in_browser.py::"
                                         "test_every_page_of_a_site_opens_without_storage"),
}  # fmt: skip
"""How a promise begins, and the tests that fail when it is broken."""


def test_each_promise_has_its_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("\n## What holds\n")[2].partition("\n## ")[0]
    promises = re.findall(r"^- (.*)$", text, re.MULTILINE)
    assert len(promises) == len(SHOWN_BY)
    for promise in promises:
        assert [each for each in SHOWN_BY if promise.startswith(each)], f"no test shows: {promise}"


def test_the_tests_are_there() -> None:
    for tests in SHOWN_BY.values():
        for each in tests:
            path, _, name = each.partition("::")
            tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, each
