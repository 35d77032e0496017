"""Programs of a co-run, from command lines to hosts."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_lab import FOUR

from stressbench.cli.options.corun import command_line
from stressbench.experiments.corun.matrix import groups_of, matrix_spec
from stressbench.experiments.corun.members import default_node_use, members_of, shared_cores
from stressbench.experiments.corun.programs import (
    Program,
    ProgramList,
    program_names,
    programs_of,
    rank_counts,
    split,
)
from stressbench.experiments.corun.running import CorunSpec
from stressbench.formats.launches.coruns import NodeUse
from stressbench.launch.batch.slurm import SlurmTarget
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LOCAL


def made(*names: str, ranks: int | None = None) -> tuple[Program, ...]:
    return tuple(Program(name=name, command=(name,), ranks=ranks) for name in names)


@pytest.mark.parametrize(
    ("workloads", "after_dashes", "words"),
    [
        (None, ("a", "1", "++", "b"), "a 1 ++ b"),
        (["w.sb", "++", "v.sb"], (), "w.sb ++ v.sb"),
        (["w.sb"], ("a", "1"), "w.sb ++ a 1"),
        (["w.sb", "++"], ("a",), "w.sb ++ a"),
    ],
)
def test_words_before_and_after_the_dashes_are_one_command_line(workloads, after_dashes, words: str) -> None:
    assert " ".join(command_line(workloads, after_dashes)) == words


def test_programs_are_separated() -> None:
    assert split(("a", "1", "++", "b")) == (("a", "1"), ("b",))


@pytest.mark.parametrize("words", ["", "++", "a ++", "++ a", "a ++ ++ b"])
def test_an_empty_program_is_refused(words: str) -> None:
    with pytest.raises(LaunchMistake, match=r"expected programs, such as -- \./a \+\+ \./b 100"):
        split(tuple(words.split()))


def test_copies_are_the_same_program() -> None:
    found = programs_of([("sh", "1"), (sys.executable,), ("sh", "1")], ranks=[4])

    assert found.order == (0, 1, 0)
    assert [one.name for one in found.programs] == ["sh", Path(sys.executable).name]
    assert {one.ranks for one in found.programs} == {4}


def test_programs_of_one_file_with_other_arguments_or_ranks_get_numbers() -> None:
    found = programs_of([("sh", "1"), ("sh", "2"), ("sh", "1")], ranks=[4, 4, 8])

    assert [(one.name, one.ranks) for one in found.programs] == [("sh", 4), ("sh-2", 4), ("sh-3", 8)]


def test_names_are_those_given() -> None:
    found = programs_of([("sh",), ("sh",)], names=["cg", "ft"])

    assert [one.name for one in found.programs] == ["cg", "ft"]
    assert found.order == (0, 1)


def test_a_workload_is_named_after_its_file(tmp_path: Path) -> None:
    file = tmp_path / "my halo.sb"
    file.write_text("[JOB_NAME] a\n", encoding="utf-8")

    (program,) = programs_of([(str(file),)]).programs

    assert program.name == "my-halo"
    assert program.workload == file


@pytest.mark.parametrize(
    ("commands", "options", "message"),
    [
        ([("no-such-program",)], {}, "no-such-program: there is no such executable program"),
        ([("none.sb",)], {}, "none.sb does not exist"),
        ([("sh",), ("sh",)], {"names": ["a"]}, "--names a: 1 names for 2 programs"),
        ([("sh",), ("sh",)], {"ranks": [1, 2, 3]}, "-n: 3 numbers of ranks for 2 programs; expected one, or one each"),
        ([("sh",)] * 65, {}, "65 programs: expected at most 64"),
    ],
)
def test_wrong_programs_are_refused(commands, options, message: str) -> None:
    with pytest.raises(LaunchMistake) as caught:
        programs_of(commands, **options)

    assert str(caught.value) == message


@pytest.mark.parametrize(("text", "counts"), [(None, ()), ("4", (4,)), ("4,8", (4, 8))])
def test_numbers_of_ranks(text: str | None, counts: tuple[int, ...]) -> None:
    assert rank_counts(text) == counts


@pytest.mark.parametrize("text", ["0", "4,", "-1", "4,x", "1e3", ""])
def test_wrong_numbers_of_ranks_are_refused(text: str) -> None:
    with pytest.raises(
        LaunchMistake, match=r"-n: '.*': expected a number of ranks, or one for each program such as 4,8"
    ):
        rank_counts(text)


@pytest.mark.parametrize("text", ["a b", "a,", "ä", "a/b", ".a"])
def test_names_that_profiles_cannot_have_are_refused(text: str) -> None:
    with pytest.raises(LaunchMistake, match="--names: "):
        program_names(text)


def test_each_program_has_a_block_of_hosts() -> None:
    first, second = members_of((0, 1), made("a", "b"), FOUR, nodes=NodeUse.disjoint, on="lab:four", parts=2)

    assert (first.hosts_text, second.hosts_text) == ("0-1", "2-3")
    assert second.target.shares(4) == (("h2", 2), ("h3", 2))  # type: ignore[attr-defined]
    assert (first.ranks, second.ranks) == (4, 4)


def test_hosts_in_turn() -> None:
    first, second = members_of((0, 1), made("a", "b"), FOUR, nodes=NodeUse.interleaved, on="lab:four", parts=2)

    assert (first.hosts_text, second.hosts_text) == ("0-2:2", "1-3:2")
    assert second.target.shares(2) == (("h1", 2),)  # type: ignore[attr-defined]


def test_shared_hosts_are_all_of_them() -> None:
    members = members_of((0, 0), made("a", ranks=3), FOUR, nodes=NodeUse.shared, on="lab:four", parts=2)

    assert [one.hosts for one in members] == [None, None]
    assert all(one.target is FOUR and one.ranks == 3 for one in members)


def test_programs_on_shared_cores_get_a_part_of_them_each() -> None:
    lab = replace(FOUR, cores=tuple((host.name, (host.number % 2,)) for host in FOUR.hosts))

    for nodes in (NodeUse.shared, NodeUse.disjoint):
        pair = members_of((0, 1), made("a", "b", ranks=2), lab, nodes=nodes, on="lab:four", parts=2)
        assert [one.target.own_cores for one in pair] == [  # type: ignore[attr-defined]
            (("0", "0"), ("1", "0")), (("0", "1"), ("1", "1")),
        ]  # fmt: skip
        assert shared_cores(pair) == 0
    triple = members_of((0, 1, 1), made("a", "b", ranks=1), lab, nodes=NodeUse.shared, on="lab:four", parts=3)
    assert all(one.target is lab for one in triple)
    assert shared_cores(triple) == 2


def test_programs_on_pinned_hosts_of_their_own_share_no_cores() -> None:
    lab = replace(FOUR, cores=tuple((host.name, (host.number,)) for host in FOUR.hosts))

    pair, both = (
        members_of((0, 1), made("a", "b", ranks=2), lab, nodes=nodes, on="lab:four", parts=8)
        for nodes in (NodeUse.disjoint, NodeUse.shared)
    )

    assert (shared_cores(pair), shared_cores(both)) == (0, 4)


def test_it_is_not_known_whether_programs_share_the_cores_that_launchers_choose() -> None:
    pair = members_of((0, 1), made("a", "b", ranks=2), LOCAL, nodes=NodeUse.shared, on="local", parts=2)

    assert shared_cores(pair) == 0


def test_hosts_that_are_left_over_stay_idle() -> None:
    members = members_of((0, 1, 2), made("a", "b", "c"), FOUR, nodes=NodeUse.disjoint, on="lab:four", parts=2)

    assert [one.hosts_text for one in members] == ["0-0", "1-1", "2-2"]


def test_too_few_hosts_are_refused() -> None:
    with pytest.raises(LaunchMistake, match="--nodes disjoint: 5 programs at a time need as many hosts; --on lab:four"):
        members_of((0,) * 5, made("a"), FOUR, nodes=NodeUse.disjoint, on="lab:four", parts=2)


def test_this_machine_has_one_host_for_all() -> None:
    assert default_node_use(LOCAL) is NodeUse.shared
    with pytest.raises(
        LaunchMistake, match="--nodes disjoint: 2 programs at a time need as many hosts; --on local has 1"
    ):
        members_of((0, 0), made("a", ranks=1), LOCAL, nodes=NodeUse.disjoint, on="local", parts=2)
    with pytest.raises(LaunchMistake, match="-n is missing"):
        members_of((0, 0), made("a"), LOCAL, nodes=NodeUse.shared, on="local", parts=2)


def test_steps_of_slurm_get_consecutive_nodes() -> None:
    allocation = SlurmTarget(nodes=4, ranks=16, cpus=4)

    _, second = members_of((0, 1), made("a", "b"), allocation, nodes=NodeUse.disjoint, on="slurm", parts=2)

    assert second.ranks == 8
    assert second.target.host_count == 2
    assert second.target.first_node == 2  # type: ignore[attr-defined]
    with pytest.raises(LaunchMistake, match="--nodes: steps of Slurm get consecutive nodes"):
        members_of((0, 1), made("a", "b"), allocation, nodes=NodeUse.interleaved, on="slurm", parts=2)


def test_a_matrix_has_all_pairs_and_what_is_asked_for() -> None:
    programs = made("cg", "ft", "lu")

    assert groups_of(programs, with_copies=False, triples=[]) == ((0, 1), (0, 2), (1, 2))
    assert groups_of(programs[:1], with_copies=True, triples=[]) == ((0, 0),)
    assert groups_of(programs, with_copies=False, triples=["lu,cg,cg"])[-1] == (2, 0, 0)
    assert groups_of(programs, pairs=False, triples=["lu,cg,ft"]) == ((2, 0, 1),)
    assert groups_of(programs, pairs=False, with_copies=True) == ((0, 0), (1, 1), (2, 2))


def test_a_matrix_can_be_limited_to_pairs_with_some_of_the_programs() -> None:
    programs = made("cg", "ft", "lu", "mg")

    assert groups_of(programs, beside=["lu"]) == ((0, 2), (1, 2), (2, 3))
    assert groups_of(programs, beside=["lu", "mg"]) == ((0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    assert groups_of(programs, beside=["lu"], with_copies=True)[-1] == (2, 2)
    assert groups_of(programs, beside=["lu"], pairs=False, with_copies=True) == ((2, 2),)


@pytest.mark.parametrize(
    ("beside", "pairs", "message"),
    [
        (["xx"], True, "--beside xx: unknown program 'xx'"),
        (["cg"], False, "--beside cg with --no-pairs: expected one of them"),
        ([], False, "--no-pairs: expected --triple or --self, too"),
    ],
)
def test_a_matrix_without_groups_is_refused(beside: list[str], pairs: bool, message: str) -> None:
    with pytest.raises(LaunchMistake) as caught:
        groups_of(made("cg", "ft", "lu"), beside=beside, pairs=pairs)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        (["cg,ft"], "--triple: 'cg,ft': expected three names of programs or more, such as a,b,c"),
        (["cg,ft,xx"], "--triple: 'cg,ft,xx': unknown program 'xx'"),
        (["cg,ft,lu", "cg,ft,lu"], "--triple: 'cg,ft,lu' is given twice"),
    ],
)
def test_wrong_triples_are_refused(triples: list[str], message: str) -> None:
    with pytest.raises(LaunchMistake) as caught:
        groups_of(made("cg", "ft", "lu"), with_copies=False, triples=triples)

    assert str(caught.value).startswith(message)


def test_a_matrix_needs_two_programs_and_each_once() -> None:
    single = CorunSpec(words=("a",), programs=ProgramList(programs=made("a"), order=(0,)))
    twice = CorunSpec(words=("a", "++", "a"), programs=ProgramList(programs=made("a"), order=(0, 0)))

    with pytest.raises(LaunchMistake, match="a matrix needs two programs"):
        matrix_spec(single, with_copies=False, triples=())
    with pytest.raises(LaunchMistake, match="a program is listed twice; --self runs copies of each"):
        matrix_spec(twice, with_copies=True, triples=())
    assert matrix_spec(single, with_copies=True, triples=()).groups == ((0, 0),)
