"""The levels of a multigrid in a capture of its V-cycles."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.multigrid import MadeLevel, VCycle
from support.traces import MadeRank, MadeTrace, allreduce, call, cg

from stressbench.formats.trace import TraceFileError, read_trace
from stressbench.tracing.multigrid import Levels, levels_of, levels_text

FINEST = MadeLevel(matrix={(0, 1): 80, (1, 0): 88, (1, 2): 16, (2, 1): 16}, interpolation={(1, 0): 24, (2, 1): 8})
# Rank 2 has no part of this level.
MIDDLE = MadeLevel(matrix={(0, 1): 40, (1, 0): 48}, interpolation={(0, 1): 8})
CYCLE = VCycle(ranks=3, levels=[FINEST, MIDDLE], gathered={0: 2, 1: 5})


def levels_in(folder: Path, made: MadeTrace) -> Levels:
    return levels_of(read_trace(made.write(folder)))


def reason_against(folder: Path, made: MadeTrace) -> str:
    with pytest.raises(TraceFileError) as refused:
        levels_in(folder, made)
    return str(refused.value)


def test_levels_are_told_apart_by_matrix_interpolation_and_gathering(tmp_path: Path) -> None:
    found = levels_in(tmp_path, CYCLE.trace())

    assert found.matrices == (FINEST.matrix, MIDDLE.matrix)
    assert found.interpolations == (FINEST.interpolation, MIDDLE.interpolation)
    assert (found.gathered, found.relaxed, found.cycles) == ({0: 2, 1: 5}, None, 4)


def test_a_rank_without_a_part_of_a_level_is_placed_by_its_messages(tmp_path: Path) -> None:
    # Rank 0 goes from the finest level to the third, which only ranks 1 and 2 show to be the third.
    lone = MadeLevel(matrix={(1, 2): 40, (2, 1): 48})
    third = MadeLevel(matrix={(0, 1): 8, (1, 0): 8}, interpolation={(0, 1): 8})

    found = levels_in(tmp_path, replace(CYCLE, levels=[FINEST, lone, third]).trace())

    assert found.matrices == (FINEST.matrix, lone.matrix, third.matrix)
    assert found.interpolations == (FINEST.interpolation, {}, third.interpolation)


def test_levels_with_equal_messages_are_told_apart_by_their_requests(tmp_path: Path) -> None:
    pair = MadeLevel(matrix={(0, 1): 8, (1, 0): 8}, interpolation={(0, 1): 8, (1, 0): 8})

    found = levels_in(tmp_path, VCycle(ranks=2, levels=[pair, pair, pair], gathered={0: 1}).trace())

    assert found.matrices == (pair.matrix,) * 3
    assert found.interpolations == (pair.interpolation,) * 3


def test_a_coarsest_level_that_is_relaxed_has_a_matrix(tmp_path: Path) -> None:
    relaxed = {(0, 1): 8, (1, 0): 16, (2, 0): 8, (0, 2): 8}

    found = levels_in(tmp_path, replace(CYCLE, gathered={}, relaxed=relaxed).trace())

    assert (found.gathered, found.relaxed) == ({}, relaxed)
    assert len(found.matrices) == 2


def test_a_coarsest_level_that_is_relaxed_without_messages_is_no_gathering(tmp_path: Path) -> None:
    found = levels_in(tmp_path, replace(CYCLE, gathered={}).trace())

    assert (found.gathered, found.relaxed) == ({}, {})


def test_a_product_with_the_finest_matrix_may_follow_the_cycle(tmp_path: Path) -> None:
    found = levels_in(tmp_path, replace(CYCLE, product=True).trace())

    assert found.matrices == (FINEST.matrix, MIDDLE.matrix)


def test_the_cycle_that_is_repeated_most_is_taken(tmp_path: Path) -> None:
    often = replace(CYCLE, cycles=5, levels=[FINEST])  # fewer exchanges in total
    joined = [joined_calls(CYCLE.rank(rank), often.rank(rank)) for rank in range(3)]

    found = levels_in(tmp_path, MadeTrace(joined))

    assert (len(found.matrices), found.cycles) == (1, 5)


def joined_calls(first: MadeRank, second: MadeRank) -> MadeRank:
    """The calls of one rank and then those of another, whose requests take the slots that were freed."""
    assert first.rules is not None and second.rules is not None
    calls, rules = len(first.calls), len(first.rules)

    def moved(rule: list[list[int]]) -> list[list[int]]:
        return [[symbol + calls if symbol >= 0 else symbol - rules + 1, times] for symbol, times in rule]

    [whole, *others] = map(moved, second.rules)
    return MadeRank([*first.calls, *second.calls], rules=[first.rules[0] + whole, *first.rules[1:], *others])


def test_the_text_has_a_line_a_message_and_says_where_it_comes_from() -> None:
    levels = Levels(
        matrices=({(0, 1): 80, (1, 0): 88},), interpolations=({(1, 0): 24},), gathered={1: 3}, relaxed=None, cycles=12
    )

    lines = levels_text(levels, program="amg", ranks=2).splitlines()

    assert lines[0] == "# The multigrid of amg on 2 ranks, from a capture with 12 V-cycles."
    assert lines[2:] == ["matrix 0 0 1 80", "matrix 0 1 0 88", "interpolation 0 1 0 24", "coarsest 1 3"]


def test_the_text_of_a_relaxed_level_has_its_matrix_and_its_number() -> None:
    levels = Levels(
        matrices=({(0, 1): 80},), interpolations=({(1, 0): 24},), gathered={}, relaxed={(0, 1): 8}, cycles=1
    )

    assert levels_text(levels, program="amg", ranks=2).splitlines()[2:] == [
        "matrix 0 0 1 80", "matrix 1 0 1 8", "interpolation 0 1 0 24", "relaxed 1",
    ]  # fmt: skip


def test_the_name_of_the_program_adds_no_line_to_the_text() -> None:
    levels = Levels(matrices=({(0, 1): 80},), interpolations=({},), gathered={0: 3}, relaxed=None, cycles=4)

    lines = levels_text(levels, program="amg\nmatrix 0 1 0 8\r\x1b[31m\u2028", ranks=2).splitlines()

    assert lines[0].startswith("# The multigrid of amgmatrix 0 1 0 8[31m on 2 ranks")
    assert lines[1].startswith("#") and lines[2:] == ["matrix 0 0 1 80", "coarsest 0 3"]


def test_a_capture_without_persistent_exchanges_is_refused(tmp_path: Path) -> None:
    assert "no MPI_Startall starts messages between collectives of all ranks" in reason_against(tmp_path, cg())


def test_a_profile_is_refused(tmp_path: Path) -> None:
    made = MadeTrace([MadeRank([call("Startall", requests=[0]), allreduce()])])

    assert "rank 0 has no sequence: it is a profile" in reason_against(tmp_path, made)


def test_another_number_of_relaxations_is_refused(tmp_path: Path) -> None:
    assert "rank 0 makes an exchange 4 times; expected 1 (between levels), 5 (matrix of a level)" in reason_against(
        tmp_path, replace(CYCLE, down=2).trace()
    )


def test_a_restriction_that_no_interpolation_reverses_is_refused(tmp_path: Path) -> None:
    wider = replace(MIDDLE, restriction={(1, 0): 16})

    assert "no interpolation between ranks 0 and 1 reverses their restriction" in reason_against(
        tmp_path, replace(CYCLE, levels=[FINEST, wider]).trace()
    )


def test_five_equal_exchanges_alone_are_no_cycle(tmp_path: Path) -> None:
    made = replace(CYCLE, levels=[replace(FINEST, interpolation={})], gathered={}).trace()

    assert "no restriction is followed by its interpolation" in reason_against(tmp_path, made)


def test_messages_that_are_not_received_are_refused(tmp_path: Path) -> None:
    made = CYCLE.trace()
    made.ranks[1] = replace(CYCLE, levels=[replace(FINEST, matrix={**FINEST.matrix, (0, 1): 72}), MIDDLE]).rank(1)

    assert "rank 1 does not receive what rank 0 sends" in reason_against(tmp_path, made)


def test_a_level_that_is_relaxed_after_its_restriction_is_refused(tmp_path: Path) -> None:
    made = CYCLE.trace()
    for rank in made.ranks:
        assert rank.rules is not None
        reduction, *steps = rank.rules[1]
        rank.rules[1] = [reduction, *steps[:4], *steps[6:8], *steps[4:6], *steps[8:]]

    assert "the exchanges of rank 0 are not in the order of levels" in reason_against(tmp_path, made)


def test_a_coarsest_level_both_gathered_and_relaxed_is_refused(tmp_path: Path) -> None:
    made = replace(CYCLE, relaxed={(0, 1): 8, (1, 0): 8}).trace()

    assert "the coarsest level is both gathered and relaxed" in reason_against(tmp_path, made)


def test_ranks_with_different_numbers_of_collectives_are_refused(tmp_path: Path) -> None:
    made = CYCLE.trace()
    assert made.ranks[2].rules is not None
    made.ranks[2].rules[0][-2][1] += 1

    assert "rank 2 takes part in 6 collectives of all ranks, the ranks before it in 5" in reason_against(tmp_path, made)


def test_requests_that_were_created_during_a_pause_are_known_by_the_calls_that_created_them(tmp_path: Path) -> None:
    made = CYCLE.trace()
    for rank in made.ranks:
        assert rank.rules is not None
        inits = {one["request"]: number for number, one in enumerate(rank.calls) if one["op"].endswith("_init")}
        rank.rules[0] = [item for item in rank.rules[0] if item[0] not in inits.values()]
        rank.calls = [
            {**one, "requests": [-2] * len(one["requests"]), "inits": [inits[slot] for slot in one["requests"]]}
            if one["op"] == "Startall"
            else one
            for one in rank.calls
        ]

    assert levels_in(tmp_path, made) == levels_in(tmp_path, CYCLE.trace())


def test_requests_that_the_tracer_did_not_see_are_refused(tmp_path: Path) -> None:
    made = CYCLE.trace()
    made.ranks[0].calls = [{**one, "requests": [-2]} if one["op"] == "Startall" else one for one in made.ranks[0].calls]

    assert "rank 0 starts requests whose creation the tracer did not see" in reason_against(tmp_path, made)


def test_requests_that_were_not_all_recorded_are_refused(tmp_path: Path) -> None:
    made = CYCLE.trace()
    made.ranks[1].extra["lost"] = [{"what": "lists"}]

    assert "rank 1 has calls of which not all requests were recorded" in reason_against(tmp_path, made)
