"""Groups of a co-run matrix: all pairs of programs, pairs of copies, and larger groups by name."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from stressbench.experiments.corun.programs import Program
from stressbench.experiments.corun.running import CorunSpec
from stressbench.formats.toml import unknown_message
from stressbench.launch.errors import LaunchMistake


def groups_of(programs: Sequence[Program], *, with_copies: bool, triples: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Numbers of programs that run together: pairs, with `with_copies` also two copies of each, and the `triples`.

    `triples`: names of three programs or more, as `cg,ft,lu`. Raises LaunchMistake.
    """
    numbers = range(len(programs))
    groups: list[tuple[int, ...]] = list(itertools.combinations(numbers, 2))
    if with_copies:
        groups += [(number, number) for number in numbers]
    if not groups:
        raise LaunchMistake("a matrix needs two programs, such as -- ./a ++ ./b, or one and --self")
    number_of = {program.name: number for number, program in enumerate(programs)}
    for text in triples:
        names = text.split(",")
        if len(names) < 3:
            raise LaunchMistake(f"--triple: '{text}': expected three names of programs or more, such as a,b,c")
        for name in names:
            if name not in number_of:
                raise LaunchMistake(f"--triple: '{text}': {unknown_message('program', name, tuple(number_of))}")
        group = tuple(number_of[name] for name in names)
        if group in groups:
            raise LaunchMistake(f"--triple: '{text}' is given twice")
        groups.append(group)
    return tuple(groups)


def matrix_spec(spec: CorunSpec, *, with_copies: bool, triples: Sequence[str]) -> CorunSpec:
    """The co-runs of all pairs of the programs of `spec`. Raises LaunchMistake."""
    programs = spec.programs.programs
    if len(spec.programs.order) > len(programs):
        raise LaunchMistake(f"{' '.join(spec.words)}: a program is listed twice; --self runs copies of each")
    return replace(spec, groups=groups_of(programs, with_copies=with_copies, triples=triples))
