"""Each command has a function in the Python interface, and both call the same function."""

import importlib
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from typer.main import get_command

import stressbench
from stressbench.api.commands import COUNTERPARTS
from stressbench.cli.console.app import build


def commands(command: Any, *words: str) -> Iterator[tuple[str, Any]]:
    """All commands that are no groups, by their words, without aliases that help does not show."""
    if not hasattr(command, "commands"):
        if not command.hidden:
            yield " ".join(words), command
        return
    for name, one in command.commands.items():
        yield from commands(one, *words, name)


REGISTERED = dict(commands(get_command(build())))


VALUES: Mapping[str, tuple[Any, ...]] = {
    "compress": (stressbench.Probes, stressbench.Ring, stressbench.SensitivityResults.figures),
    "degrade run": (
        stressbench.RateSweep, stressbench.CompetingSweep, stressbench.ProgramRateSweep, stressbench.FigureOptions,
        stressbench.SweepRounds,
    ),
    "impact": (stressbench.Probes, stressbench.SensitivityResults.figures),  # of the profile
    "profile": (stressbench.ProfileResults.figures,),
    **dict.fromkeys(
        (
            "beff", "beff-io", "corun matrix", "corun report", "corun resume", "corun run", "degrade report",
            "predict evaluate", "predict slowdowns", "rails report", "sensitivity",
        ),
        (stressbench.CorunResults.figures,),  # a method of all results
    ),
    "rails run": (stressbench.RailSweep, stressbench.ProgramRailSweep, stressbench.SweepRounds),
    "run": (stressbench.prepare_run, stressbench.BatchJob),
    "study matrix": (stressbench.PairMatrix, stressbench.SweepRounds),
    "study report": (stressbench.StudyResults.figures, stressbench.StudyResults.report),
    "validate": (stressbench.ValidationResults.figures,),
    "trace export": (stressbench.trace_convert,), "trace show": (stressbench.TraceResults.calls,),
}  # fmt: skip
"""Classes and functions beside the counterpart that take options of a command."""
RENAMED: Mapping[str, tuple[str, ...]] = {
    "all_labs": ("self",), "all_models": ("models",), "bubbles": ("pauses_s",), "cache": ("cache_bytes",),
    "clock": ("pauses_s",), "compete": ("link_bytes_per_s",), "emit": ("batch_job",), "emit_workload": ("emit",),
    "every": ("every_s",), "figure_file": ("file",), "figures": ("directory",), "figures_of_merit": ("figures",),
    "file": ("path", "run", "workload"),
    "first": ("begins_with",),
    "folder": ("directory", "what"), "gflops": ("gflops_per_node",), "hint": ("hints",), "idle": ("idle_s",),
    "injection": ("injection_gb_per_s",), "interval": ("interval_s",), "iterations": ("most_iterations",),
    "lab": ("self",), "last": ("ends_with",), "link": ("link_bytes_per_s",), "message_size": ("message_bytes",),
    "model": ("models",), "mpirun_args": ("launcher_arguments",), "names": ("self",), "no_pairs": ("pairs",),
    "no_shared": ("shared_pointers",),
    "nodes": ("nodes_variable",), "pattern_hint": ("pattern_hints",), "random_patterns": ("random",),
    "scheduled": ("time",), "sets": ("variables",),
    "size": ("message_bytes",), "time_limit": ("time_limit_s",), "triples": ("groups",),
    "words": ("command", "profiles", "sweep"), "workloads": ("programs",),
}  # fmt: skip
"""Names in Python of what an option of another name sets."""
PRESENTED = frozenset({
    "as_csv", "as_json", "exit_code", "junit", "kind", "page", "published", "routes", "watch", "watch_port",
})  # fmt: skip
"""Options for what a command prints: results have `report` and values."""
ELSEWHERE = frozenset({
    ("beff", "protocol_file"), ("beff-io", "protocol_file"),  # `read`
    ("beff-io", "skampi"), ("beff-io", "summary"),  # methods of `BEffIOResults`
    ("degrade run", "dry_run"), ("rails run", "dry_run"),  # `study_plan`
    ("run", "dry_run"),  # `prepare_run`
    ("study report", "data"),  # data frames of the results
    *(("study watch", option) for option in ("interval", "once", "port", "terminal")),  # one look: `study_watch`
    ("trace show", "profile"), ("trace export", "profile"),  # `TraceResults.profile`; the only format
    *((command, "output") for command in (
        "corun report", "degrade report", "lab draw", "machine report", "rails report", "report", "sensitivity",
        "study report", "trace export", "trace levels",
    )),  # the text that a function or `report` returns
})  # fmt: skip
"""Options of a command that another function or method stands for."""


REQUIRED_FROM_PYTHON: Mapping[str, frozenset[str]] = {
    "corun matrix": frozenset({"programs"}), "corun run": frozenset({"programs"}),  # what follows `--`
    "degrade run": frozenset({"output"}), "rails run": frozenset({"output", "sweep"}),  # the command: without --dry-run
    "lab shell": frozenset({"command"}),
    "study matrix": frozenset({"pairs"}),  # the workloads
    "validate": frozenset({"program", "workload"}),  # the program is what follows `--`; `()` is no workload
}  # fmt: skip
"""Parameters without a default for which the command needs no option."""


def parameters_of(command: str) -> set[str]:
    """Names of what the counterpart of a command and its `VALUES` take."""
    takes = (function_of(COUNTERPARTS[command].python), *VALUES.get(command, ()))
    return {name for one in takes for name in inspect.signature(one).parameters}


def function_of(name: str) -> Any:
    found: Any = stressbench
    for part in name.split("."):
        found = getattr(found, part)
    return found


def names_in(module: str) -> set[str]:
    """Names in a module, and in those modules of its own package from which it takes functions and options."""
    imported = importlib.import_module(module)
    package = module.split(".")[1]
    helpers = {
        value.__module__ for value in vars(imported).values()
        if getattr(value, "__module__", "").startswith(f"stressbench.{package}.")
    }  # fmt: skip
    return {name for one in {module, *helpers} for name in vars(importlib.import_module(one))} | {
        name for one in {module, *helpers} for name in _attributes(one)
    }


def _attributes(module: str) -> set[str]:
    """Names of functions in other modules that a module calls as `MODULE.NAME`."""
    source = inspect.getsource(importlib.import_module(module))
    return {word.rpartition(".")[2] for word in source.replace("(", " ").split() if "." in word}


def test_each_command_has_a_counterpart_and_each_counterpart_a_command() -> None:
    assert COUNTERPARTS.keys() == REGISTERED.keys()


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_the_counterpart_is_public_and_documented(command: str) -> None:
    name = COUNTERPARTS[command].python

    assert name.partition(".")[0] in stressbench.__all__
    assert inspect.getdoc(function_of(name))


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_command_and_counterpart_call_the_same_function(command: str) -> None:
    counterpart = COUNTERPARTS[command]
    callback = inspect.unwrap(REGISTERED[command].callback)
    module = getattr(function_of(counterpart.python), "__module__", "")

    assert counterpart.shared in names_in(callback.__module__), "the command does not call it"
    assert counterpart.shared in names_in(module), "the function does not call it"


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_each_option_of_a_command_can_be_set_from_python(command: str) -> None:
    taken = parameters_of(command)
    options = {one.name for one in REGISTERED[command].params} - PRESENTED - {"help"}

    missing = {
        name for name in options
        if (command, name) not in ELSEWHERE and name not in taken and taken.isdisjoint(RENAMED.get(name, ()))
    }  # fmt: skip
    assert not missing


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_what_is_required_from_python_is_required_by_the_command(command: str) -> None:
    required = {one.name for one in REGISTERED[command].params if one.required}
    parameters = inspect.signature(function_of(COUNTERPARTS[command].python)).parameters.values()
    renamed = {new for name in required for new in RENAMED.get(name, ())}
    wrong = {
        one.name for one in parameters
        if one.default is inspect.Parameter.empty and one.kind is not inspect.Parameter.VAR_POSITIONAL
        and one.name not in {"self", *required, *renamed}
    }  # fmt: skip

    assert wrong <= REQUIRED_FROM_PYTHON.get(command, frozenset())


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    for name in stressbench.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(stressbench, name)), name
