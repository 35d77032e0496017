"""The page, the terminal and the JSON of `study watch`: names that come from files are text, whatever they contain."""

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape
from support.builders import MadeJob, MadeMachine, MadePlan, build_run, event
from support.schemas import schema_faults
from support.watching import at, finished_study, killed_study, running

from stressbench.console import Console
from stressbench.experiments.watching.latest import Latest
from stressbench.experiments.watching.run import RunWatcher
from stressbench.experiments.watching.study import StudyWatcher
from stressbench.formats.json_text import json_text
from stressbench.report.live_page import content_security_policy, live_page
from stressbench.report.names import printable
from stressbench.report.renderers.text import show
from stressbench.report.watching import progress_line, watched_document
from stressbench.results.watching import Watched

HOSTILE = (
    "<script>alert(1)</script>", "</style><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "\x1b[2J\x1b]0;title\x07", "first\nsecond: line", "{{ 7 * 7 }}", "‮right to left", "[bold]markup[/bold]",
)  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page, the texts of its scripts and style sheets, and all attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        if self.cdata_elem in self.texts:  # the element whose content is not markup
            self.texts[self.cdata_elem].append(data)


def hostile_run(folder: Path, name: str) -> Watched:
    """A run whose names all are `name`; it is also a launch target, a host, and a warning."""
    made = build_run(
        jobs=(MadeJob(name=name, congestion=1.5),), plan=MadePlan(blocks=7, repetitions=2),
        machine=MadeMachine(hosts=(name, "a2")), complete=False,
    )  # fmt: skip
    made.records.append(event(message=name))
    return RunWatcher(made.write(folder), on=name, is_alive=lambda: True).look()


def as_text(watched: Watched) -> str:
    text = io.StringIO()
    show(watched_document(watched), console=Console(file=text, highlight=False, markup=False, force_terminal=True))
    return text.getvalue()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text_in_the_page(tmp_path: Path, name: str) -> None:
    as_long = re.sub(r"\S", "p", printable(name))  # pages allow breaks in long words
    plain = Tags(live_page(hostile_run(tmp_path, as_long), interval_s=5))

    page = live_page(hostile_run(tmp_path, name), interval_s=5)

    found = Tags(page)
    assert found.tags == plain.tags
    assert found.attributes == plain.attributes
    assert found.texts == plain.texts
    assert not re.search("[\x00-\x08\x0b-\x1f]", page)
    assert escape(printable(name)) in page


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text_in_the_terminal(tmp_path: Path, name: str) -> None:
    watched = hostile_run(tmp_path, name)
    lines = len(as_text(hostile_run(tmp_path, "plain")).splitlines())

    text = as_text(watched)

    assert len(text.splitlines()) == lines
    for forbidden in ("\x1b[2J", "\x1b]0", "\x07", "\u202e"):
        assert forbidden not in text
    assert "\n" not in progress_line(hostile_run(tmp_path, "plain"))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_values_in_json(tmp_path: Path, name: str) -> None:
    found = json.loads(json_text(hostile_run(tmp_path, name), Watched))

    assert found["runs"][0]["jobs"][0]["name"] == name
    assert schema_faults("study-watch", found) == []


def test_the_policy_allows_exactly_the_script_and_the_style_sheet_of_the_page(tmp_path: Path) -> None:
    found = Tags(live_page(hostile_run(tmp_path, "plain"), interval_s=5))

    policy = content_security_policy()

    for kind, texts in found.texts.items():
        assert len(texts) == 1
        digest = base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert policy.replace("style-src-attr 'unsafe-inline'", "").count("unsafe") == 0


def test_the_page_refreshes_itself_with_a_script_and_without(tmp_path: Path) -> None:
    page = live_page(hostile_run(tmp_path, "plain"), interval_s=2.5)

    assert 'data-interval-ms="2500"' in page
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page


def test_the_final_page_does_not_reload_and_says_that_it_is_final(tmp_path: Path) -> None:
    page = live_page(StudyWatcher(finished_study(tmp_path).path).look(), interval_s=5)

    assert '<main id="state" data-final="yes">' in page
    assert "http-equiv" not in page


def test_the_script_is_javascript() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("the script of the page was not parsed: node is not in PATH")
    script = Path(__file__).parents[2] / "src/stressbench/report/renderers/templates/live.js"

    assert subprocess.run([node, "--check", str(script)], check=False).returncode == 0


def test_page_and_terminal_show_the_same(tmp_path: Path) -> None:
    directory = killed_study(tmp_path, done=3)
    with running(directory):
        watched = StudyWatcher(directory.path, clock=lambda: at(30)).look()

    page, text = live_page(watched, interval_s=5), as_text(watched)

    for shown in (
        "3 of 12 runs", "12 runs: 8 waiting, 1 begun, 3 done", "placement = ", "local", "a1", "CG", "Incast",
        "6 of 6 rounds", "a 95 % interval needs at least 6", watched.runs[0].run,
    ):  # fmt: skip
        assert shown in page, shown
        assert shown in text, shown


def test_a_line_for_logs_has_progress_and_the_end(tmp_path: Path) -> None:
    directory = killed_study(tmp_path, done=3)
    with running(directory):
        watched = StudyWatcher(directory.path).look()

    run = directory.study.runs[3].id
    assert progress_line(watched).startswith(f"3 of 12 runs; {run} 6 of 6 rounds; running; time left: ")


def test_many_pages_cost_one_look_per_interval(tmp_path: Path) -> None:
    class Counting:
        looks = 0

        def look(self) -> Watched:
            self.looks += 1
            return RunWatcher(tmp_path / "gone.jsonl").look()

    now, watcher = [0.0], Counting()
    latest = Latest(watcher, interval_s=5, clock=lambda: now[0])

    for now[0] in (0, 1, 2, 4.4, 4.6, 5, 9, 9.2):
        latest.contents()["/"].text()
        latest.contents()["/state.json"].text()

    assert watcher.looks == 3


def test_nothing_is_read_before_a_page_asks(tmp_path: Path) -> None:
    class Refusing:
        def look(self) -> Watched:
            raise AssertionError

    Latest(Refusing(), interval_s=5).contents()
