"""The programs of a co-run, from the words of a command line."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.experiments.interference.spec import is_workload
from stressbench.formats.errors import file_fault
from stressbench.formats.launches.coruns import MAX_PROGRAMS
from stressbench.formats.profiles.profile import valid_name
from stressbench.formats.units import parse_digits
from stressbench.launch.errors import LaunchMistake
from stressbench.tracing.operations import OperationClass, class_of

SEPARATOR = "++"


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program with its arguments, without its mpirun, or the path of a workload. `ranks`: None for the default."""

    name: str
    command: tuple[str, ...]
    ranks: int | None

    @property
    def workload(self) -> Path | None:
        """The workload file, None for a program."""
        return Path(self.command[0]) if is_workload(self.command) else None


@dataclass(frozen=True, kw_only=True)
class ProgramList:
    """Different programs, and for each program of the command line its number among them: copies have the same."""

    programs: tuple[Program, ...]
    order: tuple[int, ...]

    def require(self) -> None:
        """Raise LaunchMistake where a program or a workload does not exist."""
        for one in self.programs:
            _require_program(one.command)


def split(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The commands that `++` separates. Raises LaunchMistake for an empty one."""
    commands: list[list[str]] = [[]]
    for word in words:
        if word == SEPARATOR:
            commands.append([])
        else:
            commands[-1].append(word)
    if not all(commands):
        raise LaunchMistake(
            f"{' '.join(words) or 'programs are missing'}: expected programs, such as -- ./a ++ ./b 100"
        )
    return tuple(map(tuple, commands))


def programs_of(
    commands: Sequence[Sequence[str]], *, names: Sequence[str] = (), ranks: Sequence[int] = ()
) -> ProgramList:
    """The programs of these commands, with a name and a number of ranks for each.

    `names`: of all commands, by default those of the files. `ranks`: of each command, one for all, or none for the
    default of the launch target. Raises LaunchMistake for programs that do not exist, and for wrong numbers of names
    and ranks.
    """
    if len(commands) > MAX_PROGRAMS:
        raise LaunchMistake(f"{len(commands)} programs: expected at most {MAX_PROGRAMS}")
    if names and len(names) != len(commands):
        raise LaunchMistake(f"--names {','.join(names)}: {len(names)} names for {len(commands)} programs")
    if len(ranks) not in (0, 1, len(commands)):
        raise LaunchMistake(
            f"-n: {len(ranks)} numbers of ranks for {len(commands)} programs; expected one, or one each"
        )
    found: dict[tuple[tuple[str, ...], int | None, str | None], Program] = {}
    order = []
    for number, words in enumerate(commands):
        command = tuple(words)
        _require_program(command)
        count = ranks[min(number, len(ranks) - 1)] if ranks else None
        key = (command, count, names[number] if names else None)
        if key not in found:
            found[key] = Program(
                name=_free_name(key[2] or _stem(command), {one.name for one in found.values()}), command=command,
                ranks=count,
            )  # fmt: skip
        order.append(list(found).index(key))
    return ProgramList(programs=tuple(found.values()), order=tuple(order))


def rank_counts(text: str | None) -> tuple[int, ...]:
    """Numbers of ranks from `4` or `4,8`; none for None. Raises LaunchMistake."""
    counts = []
    for word in text.split(",") if text is not None else ():
        count = parse_digits(word)
        if not count:
            raise LaunchMistake(f"-n: '{word}': expected a number of ranks, or one for each program such as 4,8")
        counts.append(count)
    return tuple(counts)


def program_names(text: str | None, *, option: str = "--names") -> tuple[str, ...]:
    """Names from `cg,ft`; none for None. Raises LaunchMistake for a name that profiles cannot have."""
    words = tuple(text.split(",")) if text is not None else ()
    wrong = next((word for word in words if valid_name(word) != word), None)
    if wrong is not None:
        raise LaunchMistake(f"{option}: '{wrong}': expected letters, digits and . _ + - only, 64 at most")
    return words


def calls_of_iterations(words: Sequence[str], programs: ProgramList) -> dict[str, str]:
    """The operation that an iteration calls once, by the name of the program: from `CALL` for all, and `NAME=CALL`.

    Operations have no `MPI_`. Raises LaunchMistake for operations that do not communicate, and for other programs.
    """
    names = [one.name for one in programs.programs if one.workload is None]
    stated: dict[str, str] = {}  # without a name: of all
    for word in words:
        name, equals, call = word.rpartition("=")
        operation = call.removeprefix("MPI_")
        if class_of(operation) is OperationClass.other:
            raise LaunchMistake(f"--iteration-call {word}: expected an MPI call that communicates, such as Allreduce")
        if equals and name not in names:
            raise LaunchMistake(
                f"--iteration-call {word}: expected one of {', '.join(names) or 'the programs with ranks'}"
            )
        if name in stated:
            raise LaunchMistake(f"--iteration-call {word}: expected one call for each program")
        stated[name] = operation
    common = dict.fromkeys(names, stated.pop("")) if "" in stated else {}
    return {**common, **stated}


def _require_program(command: Sequence[str]) -> None:
    if is_workload(command):
        if wrong := file_fault(Path(command[0])):
            raise LaunchMistake(wrong)
    elif shutil.which(command[0]) is None:
        raise LaunchMistake(f"{command[0]}: there is no such executable program")


def _stem(command: Sequence[str]) -> str:
    path = Path(command[0])
    return valid_name(path.stem if is_workload(command) else path.name)


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken."""
    numbered = name
    for number in range(2, MAX_PROGRAMS + 2):
        if numbered not in taken:
            break
        suffix = f"-{number}"
        numbered = name[: 64 - len(suffix)] + suffix
    return numbered
