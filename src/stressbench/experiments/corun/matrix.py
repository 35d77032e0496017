"""Groups of a co-run matrix: all pairs of programs, pairs of copies, and larger groups by name."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from stressbench.experiments.corun.programs import Program
from stressbench.experiments.corun.running import CorunSpec
from stressbench.formats.toml import unknown_message
from stressbench.launch.errors import LaunchMistake


def groups_of(
    programs: Sequence[Program], *, pairs: bool = True, beside: Sequence[str] = (), with_copies: bool = False,
    triples: Sequence[str] = (),
) -> tuple[tuple[int, ...], ...]:  # fmt: skip
    """Numbers of programs that run together: pairs, with `with_copies` also two copies of each, and the `triples`.

    `beside`: names of programs; only pairs and copies with one of them. `triples`: names of three programs or more, as
    `cg,ft,lu`. Raises LaunchMistake.
    """
    number_of = {program.name: number for number, program in enumerate(programs)}
    _require_known(beside, number_of, option=f"--beside {','.join(beside)}")
    if beside and not (pairs or with_copies):
        raise LaunchMistake(f"--beside {','.join(beside)} with --no-pairs: expected one of them")
    wanted = {number_of[name] for name in beside} or set(number_of.values())
    groups: list[tuple[int, ...]] = []
    if pairs:
        groups += [pair for pair in itertools.combinations(number_of.values(), 2) if wanted.intersection(pair)]
    if with_copies:
        groups += [(number, number) for number in sorted(wanted)]
    for text in triples:
        names = text.split(",")
        if len(names) < 3:
            raise LaunchMistake(f"--triple: '{text}': expected three names of programs or more, such as a,b,c")
        _require_known(names, number_of, option=f"--triple: '{text}'")
        group = tuple(number_of[name] for name in names)
        if group in groups:
            raise LaunchMistake(f"--triple: '{text}' is given twice")
        groups.append(group)
    if not groups:
        if not pairs:
            raise LaunchMistake("--no-pairs: expected --triple or --self, too")
        raise LaunchMistake("a matrix needs two programs, such as -- ./a ++ ./b, or one and --self")
    return tuple(groups)


def matrix_spec(
    spec: CorunSpec, *, pairs: bool = True, beside: Sequence[str] = (), with_copies: bool = False,
    triples: Sequence[str] = (),
) -> CorunSpec:  # fmt: skip
    """The co-runs of pairs, copies and larger groups of the programs of `spec`. Raises LaunchMistake."""
    programs = spec.programs.programs
    if len(spec.programs.order) > len(programs):
        raise LaunchMistake(f"{' '.join(spec.words)}: a program is listed twice; --self runs copies of each")
    groups = groups_of(programs, pairs=pairs, beside=beside, with_copies=with_copies, triples=triples)
    return replace(spec, groups=groups)


def _require_known(names: Sequence[str], known: Mapping[str, int], *, option: str) -> None:
    for name in names:
        if name not in known:
            raise LaunchMistake(f"{option}: {unknown_message('program', name, tuple(known))}")
