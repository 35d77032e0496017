"""Batch systems by name: each module of this package is one.

It has `ABOUT`, `current_target(environment)`: the target that an allocation is, or LaunchMistake;
`script_target(request)`: the target that a batch script will be given; `directives(request, ranks=...)`: what that
script asks for; and, where it differs from a shell command, `line(command)`: how the script starts ranks.
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
    """One batch system; `about` says what it starts ranks with, and how a script is handed in."""

    name: str
    about: str
    current_target: Callable[[Mapping[str, str]], LaunchTarget]
    script_target: Callable[[BatchRequest], LaunchTarget]
    directives: Callable[..., tuple[str, ...]]
    line: Callable[[Command], str]


def batch_systems() -> Mapping[str, BatchSystem]:
    """All of them by the word that `--on` takes."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: _system(name) for name in names}


def _system(name: str) -> BatchSystem:
    module = import_module(f"{__name__}.{name}")
    return BatchSystem(
        name=name, about=module.ABOUT, current_target=module.current_target, script_target=module.script_target,
        directives=module.directives, line=getattr(module, "line", str),
    )  # fmt: skip


def script(system: BatchSystem, request: BatchRequest, *, ranks: int, command: Command, afterwards: str) -> str:
    """A script for this system: what it asks for, and the command; `afterwards` stands in it as a remark.

    Raises LaunchMistake where a word has a newline or another control character: systems read directives line by line,
    whatever a shell would make of quotes.
    """
    for word in (*command.argv, *(text for pair in command.environment for text in pair), afterwards):
        if "\n" in word or "\t" in word or escaped(word) != word:
            raise LaunchMistake(f"--emit: {word!r} has a control character, which no script can hold; rename it")
    lines = (
        "#!/bin/bash",
        *system.directives(request, ranks=ranks),
        f"# written by `stressbench run --on {system.name} --emit`; {afterwards}",
        system.line(command),
    )
    return "\n".join(lines) + "\n"
