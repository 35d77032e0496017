"""A command loads itself and nothing else: to load all of them takes longer than most of them."""

import subprocess
import sys

import pytest
from typer.main import get_command

from stressbench.cli.console.app import build, requested_in

NAMES = sorted(get_command(build()).commands)  # type: ignore[attr-defined]
GROUPS = {
    "corun": "report", "degrade": "report", "lab": "list", "machine": "verify", "predict": "evaluate",
    "rails": "report", "study": "verify", "trace": "show",
}  # fmt: skip
"""A subcommand of each group."""
ONE = """\
import sys
from stressbench.cli.console.app import main
sys.argv[0] = "stressbench"
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def loaded_by(*words: str) -> list[str]:
    """The modules that are loaded when the command ends."""
    ended = subprocess.run([sys.executable, "-c", ONE, *words], capture_output=True, text=True, check=True)
    return ended.stderr.splitlines()[-1].split()


def commands_of(*requested: str) -> dict[str, object]:
    """Commands by name where these words are requested."""
    commands: dict[str, object] = get_command(build(requested=requested)).commands  # type: ignore[attr-defined]
    return commands


@pytest.mark.parametrize("name", NAMES)
def test_a_command_that_is_asked_for_is_there_alone(name: str) -> None:
    assert list(commands_of(name)) == [name]


@pytest.mark.parametrize("words", [("nonsense",), ("--help",), ("errands",), ("",), ()], ids=str)
def test_all_commands_are_there_where_none_is_asked_for(words: tuple[str, ...]) -> None:
    assert sorted(commands_of(*words)) == NAMES


@pytest.mark.parametrize("name", GROUPS)
def test_a_subcommand_that_is_asked_for_is_there_alone(name: str) -> None:
    group = commands_of(name, GROUPS[name])[name]

    assert list(group.commands) == [GROUPS[name]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("word", ["nonsense", "--help", "app.json", "-n"])
def test_all_subcommands_are_there_where_none_is_asked_for(name: str, word: str) -> None:
    expected, group = (commands_of(*words)[name] for words in ((name,), (name, word)))

    assert list(group.commands) == list(expected.commands)  # type: ignore[attr-defined]
    assert len(group.commands) > 1  # type: ignore[attr-defined]


def test_every_group_is_tested_here() -> None:
    assert {name for name, command in commands_of().items() if hasattr(command, "commands")} == set(GROUPS)


@pytest.mark.parametrize(
    ("arguments", "requested"),
    [
        ("run demo.sb -n 8", ("run", "demo.sb")),
        ("--quiet study status made", ("study", "status")),
        ("corun -n 2 report", ("corun", "-n")),
        ("show", ("show",)),
        ("--version", ()),
        ("", ()),
    ],
)
def test_words_that_may_name_a_subcommand(arguments: str, requested: tuple[str, ...]) -> None:
    assert requested_in(arguments.split()) == requested


def test_other_commands_statistics_and_the_live_page_are_not_loaded() -> None:
    loaded = loaded_by("run", "--help")

    assert "stressbench.cli.run" in loaded
    assert {
        "scipy", "matplotlib", "jinja2", "http.server", "multiprocessing", "stressbench.cli.compress",
        "stressbench.cli.study", "stressbench.experiments.watching",
    }.isdisjoint(loaded)  # fmt: skip


def test_other_subcommands_are_not_loaded() -> None:
    loaded = loaded_by("lab", "exec", "--help")

    assert "stressbench.cli.lab.exec_" in loaded
    assert {"stressbench.cli.lab.up", "stressbench.report", "numpy"}.isdisjoint(loaded)


def test_the_version_is_printed_without_any_command() -> None:
    loaded = loaded_by("--version")

    assert [name for name in loaded if name.startswith("stressbench.cli.") and name.count(".") == 2] == [
        "stressbench.cli.console", "stressbench.cli.options",
    ]  # fmt: skip
    assert {"numpy", "matplotlib", "stressbench.launch"}.isdisjoint(loaded)


@pytest.mark.parametrize("name", ["beff", "beff-io", "show", "report"])
def test_figures_are_loaded_only_to_draw(name: str) -> None:
    assert "matplotlib" not in loaded_by(name, "--help")


@pytest.mark.parametrize("name", ["show", "compare", "report"])
def test_commands_that_only_read_do_not_load_what_starts_ranks(name: str) -> None:
    loaded = loaded_by(name, "--help")

    assert f"stressbench.cli.{name}" in loaded
    assert {"stressbench.launch", "stressbench.labs"}.isdisjoint(loaded)
