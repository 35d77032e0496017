"""Batch systems by name, one module of this package for each.

A module has `ABOUT`, `current_target(environment)`: the target for the allocation of this process, or LaunchMistake,
`script_target(request)`: the target for a batch script, `directives(request, ranks=...)`: the directives of that
script, and, where it differs from a shell command, `line(command)`: how the script starts ranks. `RUNS_CONCURRENTLY`
is set where several launches in one allocation get nodes of their own. The function
`requeued_lines(first, continuing, run_file=...)`, if there is one, gives the lines of a script whose job may be
requeued, from those that start and those that continue the run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from stressbench.console import escaped
from stressbench.launch.batch_request import BatchRequest
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget


@dataclass(frozen=True, kw_only=True)
class BatchSystem:
    """One batch system. `about`: how ranks are started, for help texts. The functions are those of its module."""

    name: str
    about: str
    current_target: Callable[[Mapping[str, str]], LaunchTarget]
    script_target: Callable[[BatchRequest], LaunchTarget]
    directives: Callable[..., tuple[str, ...]]
    line: Callable[[Command], str]
    runs_concurrently: bool
    requeued_lines: Callable[..., str] | None


def batch_systems() -> Mapping[str, BatchSystem]:
    """All batch systems by their names for `--on`."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: _system(name) for name in names}


def _system(name: str) -> BatchSystem:
    module = import_module(f"{__name__}.{name}")
    return BatchSystem(
        name=name, about=module.ABOUT, current_target=module.current_target, script_target=module.script_target,
        directives=module.directives, line=getattr(module, "line", str),
        runs_concurrently=getattr(module, "RUNS_CONCURRENTLY", False),
        requeued_lines=getattr(module, "requeued_lines", None),
    )  # fmt: skip


def script(
    system: BatchSystem, request: BatchRequest, *, ranks: int, command: Command, afterwards: str,
    lines: str | None = None,
) -> str:  # fmt: skip
    """A batch script for this system: its directives, `afterwards` as a comment, and the command.

    `lines`: what starts the ranks instead of the command alone. Raises LaunchMistake where a word has a newline or
    another control character, since systems read directives line by line, regardless of shell quotes.
    """
    require_words_of_script(command, afterwards)
    text = (
        "#!/bin/bash",
        *system.directives(request, ranks=ranks),
        f"# written by `stressbench run --on {system.name} --emit`; {afterwards}",
        system.line(command) if lines is None else lines,
    )
    return "\n".join(text) + "\n"


def require_words_of_script(command: Command, *others: str) -> None:
    """Raise LaunchMistake where a word of the command or one of the others has a control character."""
    for word in (*command.argv, *(text for pair in command.environment for text in pair), *others):
        if "\n" in word or "\t" in word or escaped(word) != word:
            raise LaunchMistake(f"--emit: {word!r} has a control character, which no script can hold; rename it")
