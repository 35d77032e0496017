"""`GrowingRun`: a run file that is read while it is written; what is added is read once, as in a whole run."""

import json
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run

from stressbench.formats.errors import RunFileError
from stressbench.formats.run import GrowingRun, Run, read_run
from stressbench.stats import RoundMedian, select

JOBS = (MadeJob(name="a", congestion=1.5), MadeJob(name="b"))


def lines(**options: bool) -> list[bytes]:
    made = build_run(jobs=JOBS, plan=MadePlan(blocks=7, repetitions=3), **options)
    return [line.encode() + b"\n" for line in made.text().splitlines()]


def medians(runs: list[Run]) -> list[RoundMedian]:
    return [one for run in runs for one in select(run, job=0).rounds]


@pytest.mark.parametrize("step", [1, 7, 100, 1000])
def test_pieces_add_up_to_the_whole(tmp_path: Path, step: int) -> None:
    path, content = tmp_path / "run.jsonl", b"".join(lines())
    growing, pieces = GrowingRun(path), []
    ends = [*range(step * 50, len(content), step * 50), len(content)]
    for end in ends:
        path.write_bytes(content[:end])
        added, is_another = growing.added()
        assert not is_another
        pieces += [] if added is None else [added]

    whole = read_run(path)
    assert medians(pieces) == medians([whole])
    assert [one.round for piece in pieces for one in piece.rounds] == [one.round for one in whole.rounds]
    assert pieces[-1].end == whole.end
    assert sum(piece.ignored_samples for piece in pieces) == 0


def test_only_what_was_added_is_read(tmp_path: Path) -> None:
    path, content = tmp_path / "run.jsonl", lines(histograms=False)
    first_round = next(number for number, line in enumerate(content) if line.startswith(b'{"type":"round"'))
    path.write_bytes(b"".join(content[: first_round + 1]))
    growing = GrowingRun(path)
    growing.added()
    assert growing.added() == (None, False)

    with path.open("ab") as file:
        file.write(b"".join(content[first_round + 1 : -1]))
    added, _ = growing.added()

    assert added is not None
    assert [one.round for one in added.rounds] == list(range(2, 22))
    assert added.header.launch == 0  # the launch is known without another header


def test_a_round_that_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    path, content = tmp_path / "run.jsonl", lines()
    path.write_bytes(b"".join(content[:3]))  # header and samples
    growing = GrowingRun(path)

    first, _ = growing.added()
    assert first is not None
    assert first.rounds == ()
    path.write_bytes(b"".join(content))
    second, _ = growing.added()

    assert second is not None
    assert medians([second]) == medians([read_run(path)])


def test_a_launch_that_continues_the_run_is_another_launch(tmp_path: Path) -> None:
    path, content = tmp_path / "run.jsonl", lines(complete=False)
    path.write_bytes(b"".join(content))
    growing = GrowingRun(path)
    growing.added()
    header, last = json.loads(content[0]), json.loads(content[-1])
    further = [{**header, "launch": 1}, {**last, "round": last["round"] + 1, "block": 9}]
    with path.open("ab") as file:
        file.write(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in further))

    added, is_another = growing.added()

    assert not is_another
    assert added is not None
    assert [len(launch.rounds) for launch in added.launches] == [0, 1]


@pytest.mark.parametrize("how", ["cut", "replaced", "overwritten"])
def test_another_file_of_the_same_name_is_read_from_its_begin(tmp_path: Path, how: str) -> None:
    path, content = tmp_path / "run.jsonl", lines()
    path.write_bytes(b"".join(content))
    growing = GrowingRun(path)
    growing.added()
    later = [line.replace(b"2026-01-02", b"2026-01-03") for line in content]
    other = lines(complete=False)[:-20] if how == "cut" else later
    if how == "replaced":
        path.rename(tmp_path / "former.jsonl")
    path.write_bytes(b"".join(other))

    added, is_another = growing.added()

    assert is_another
    assert added is not None
    assert len(added.rounds) == len(read_run(path).rounds)


def test_a_broken_line_is_an_error_with_its_number_and_everything_is_read_again(tmp_path: Path) -> None:
    path, content = tmp_path / "run.jsonl", lines()
    path.write_bytes(content[0])
    growing = GrowingRun(path)
    growing.added()
    with path.open("ab") as file:
        file.write(b"{broken}\n")

    for _ in range(2):  # it is not passed over
        with pytest.raises(RunFileError, match=r"run.jsonl:2: broken line"):
            growing.added()
    path.write_bytes(b"".join(content))
    added, _ = growing.added()

    assert added is not None
    assert len(added.rounds) == 21


def test_a_file_that_is_missing_or_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="no such file"):
        GrowingRun(tmp_path / "gone.jsonl").added()
    (tmp_path / "text.jsonl").write_text("not a run\n")
    with pytest.raises(RunFileError, match="expected a StressBench run file"):
        GrowingRun(tmp_path / "text.jsonl").added()


def test_an_empty_file_has_nothing_yet(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").touch()

    assert GrowingRun(tmp_path / "run.jsonl").added() == (None, False)
