"""Messages on standard error: levels, --quiet, colours, and errors that become a message and an exit status."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from support.commands import call, invoke
from support.programs import CHECKOUT

from stressbench import console
from stressbench.cli.console.errors import report_errors
from stressbench.errors import Interrupted, MachineFault, StressBenchError, UserError
from stressbench.formats.lab.errors import LabFileMistake

RUN = CHECKOUT / "tests" / "golden" / "data" / "v0.1.0" / "run.jsonl"
ALL = (console.error, console.warning, console.note, console.progress)


@pytest.fixture(autouse=True)
def loud_again() -> Iterator[None]:
    yield
    console.set_quiet(quiet=False)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_each_line_of_a_message_has_the_prefix_and_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    console.error("first", "second\x1b[31m")

    assert capsys.readouterr().err == "stressbench: first\nstressbench: second\\u001b[31m\n"


def test_a_line_end_in_a_message_begins_no_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    done = call("show", tmp_path / "a\nstressbench: forged.jsonl")
    console.warning("a\nb")

    assert len(done.stderr.splitlines()) == 1
    assert "a\\u000astressbench: forged.jsonl" in done.stderr
    assert capsys.readouterr().err == "stressbench: a\\u000ab\n"


def test_an_error_of_several_mistakes_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), report_errors():
        raise LabFileMistake(["a\nb", "c"])

    assert capsys.readouterr().err == "stressbench: a\\u000ab\nstressbench: c\n"
    assert str(LabFileMistake(["a", "c"])) == "a\nc"


def test_quiet_suppresses_notes_and_progress_only(capsys: pytest.CaptureFixture[str]) -> None:
    console.set_quiet(quiet=True)
    for emit in ALL:
        emit(emit.__name__)

    assert console.is_quiet()
    assert capsys.readouterr().err == "stressbench: error\nstressbench: warning\n"


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_only_the_prefix_is_coloured_and_only_where_the_terminal_supports_it(
    variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())

    console.error("it failed")

    assert terminal.getvalue() == (
        "\x1b[1;31mstressbench: \x1b[0mit failed\n" if coloured else "stressbench: it failed\n"
    )


def test_a_stream_that_is_no_terminal_gets_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert not console.has_colours(io.StringIO())


@pytest.mark.parametrize(
    ("fault", "status"),
    [(UserError("x"), 2), (MachineFault("x"), 3), (Interrupted("x"), 130), (StressBenchError("x"), 3)],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_an_error_is_one_message_and_its_status(
    fault: StressBenchError, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended, report_errors():
        raise fault

    assert ended.value.exit_code == status
    assert capsys.readouterr().err == "stressbench: x\n"


def test_an_interrupt_from_the_keyboard_ends_with_130_and_without_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, report_errors():
        raise KeyboardInterrupt

    assert ended.value.exit_code == 130
    assert capsys.readouterr().err == ""


def test_a_quiet_command_prints_its_results_and_its_errors(tmp_path: Path) -> None:
    data = tmp_path / "numbers"
    page = tmp_path / "page.html"
    loud = call("report", RUN, "-o", page, "--data", data)
    quiet = call("--quiet", "report", RUN, "-o", page, "--data", data)
    wrong = call("--quiet", "show", tmp_path / "gone.jsonl")

    assert loud.stderr.startswith(f"stressbench: {data} has ")
    assert (quiet.stdout, quiet.stderr, quiet.exit_code) == (loud.stdout, "", 0)
    assert wrong.stderr.startswith("stressbench: ")
    assert wrong.exit_code == 2


def test_quiet_belongs_before_the_command() -> None:
    assert invoke("show --quiet run.jsonl").exit_code == 2
