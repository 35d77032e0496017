"""Which files a workload reads, as far as its text tells."""

from itertools import islice
from pathlib import Path

import pytest

from stressbench.experiments.study.includes import included_files, statements_of


def names(folder: Path, text: str, *cells: dict[str, str]) -> list[str]:
    """What a workload with this text reads of `folder`, where parts/a.sb, b.sb and deep.sb, which reads a.sb, lie."""
    (folder / "parts").mkdir()
    for name, content in (("a", "[MOTIF] allreduce\n"), ("b", "[MOTIF] incast\n"), ("deep", "[INCLUDE] a.sb\n")):
        (folder / "parts" / f"{name}.sb").write_text(content)
    (folder / "w.sb").write_text(text)
    return [path.stem for path in included_files(folder / "w.sb", cells or ({},))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[JOB_NAME] one\n[MOTIF] incast\n", []),
        ("[INCLUDE] parts/a.sb  # a remark\n[INCLUDE] parts/b.sb\n[INCLUDE] parts/a.sb\n", ["a", "b"]),
        ('[INCLUDE] "parts/a.sb"\n', ["a"]),
        ("[INCLUDE]\n  parts/a.sb\n", ["a"]),
        ("# [INCLUDE] parts/a.sb\n", []),
        ("[INCLUDE] parts/deep.sb\n", ["deep", "a"]),
        ("[SET] x=a\n[INCLUDE] parts/${x}.sb\n[SET] x=b\n[INCLUDE] parts/${x}.sb\n", ["a", "b"]),
        ("[SET] x=a\n[SET] y=${x}\n[INCLUDE] parts/${y}.sb\n", ["a"]),
        ("[SET] x=a\n[SET] x=${SCRATCH}\n[INCLUDE] parts/${x}.sb\n[INCLUDE] parts/b.sb\n", ["b"]),
        ("[INCLUDE] parts/gone.sb\n[INCLUDE] parts/${unknown}.sb\n", []),
        ("[INCLUDE] w.sb\n", ["w"]),
    ],
)
def test_includes_of_a_text(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert names(tmp_path, text) == expected


def test_what_a_cell_sets_wins_and_all_cells_count(tmp_path: Path) -> None:
    text = "[SET] x=a\n[INCLUDE] parts/${x}.sb\n"

    assert names(tmp_path, text, {"x": "b"}, {}, {"x": "b"}) == ["b", "a"]


def statements(workload: Path) -> list[tuple[str, str | None]]:
    """The first 5,000 statements, more than a workload with 1,000 includes of a statement each has."""
    return list(islice(statements_of(workload, {}), 5000))


def test_a_file_that_includes_itself_is_read_once(tmp_path: Path) -> None:
    workload = tmp_path / "w.sb"
    workload.write_text("[INCLUDE] w.sb\n" * 10 + "[MOTIF] incast\n")

    assert statements(workload) == [("MOTIF", "incast")]
    assert included_files(workload, [{}]) == (workload,)


def test_an_include_of_a_name_that_is_too_long_for_a_file_is_left_to_the_engine(tmp_path: Path) -> None:
    workload = tmp_path / "w.sb"
    workload.write_text(f"[INCLUDE] {'x' * 300}.sb\n[MOTIF] incast\n")

    assert statements(workload) == [("MOTIF", "incast")]


def test_files_that_include_each_other_under_several_names_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    workload = tmp_path / "w.sb"
    workload.write_text("[INCLUDE] parts/a.sb\n[MOTIF] incast\n")
    (tmp_path / "parts/a.sb").write_text("[INCLUDE] ../w.sb\n[INCLUDE] ../parts/a.sb\n" * 9 + "[MOTIF] ring\n")

    assert statements(workload) == [("MOTIF", "ring"), ("MOTIF", "incast")]


def test_the_same_file_may_be_included_again_with_other_variables(tmp_path: Path) -> None:
    workload = tmp_path / "w.sb"
    workload.write_text("[SET] x=1\n[INCLUDE] a.sb\n[SET] x=2\n[INCLUDE] a.sb\n")
    (tmp_path / "a.sb").write_text("[NODES] ${x}\n")

    assert statements(workload) == [("NODES", "1"), ("NODES", "2")]


def test_no_more_includes_are_followed_than_the_engine_accepts(tmp_path: Path) -> None:
    """Without a limit, 12 files of two includes each would be read 4,095 times."""
    for number in range(12):
        (tmp_path / f"{number}.sb").write_text(f"[INCLUDE] {number + 1}.sb\n" * 2 + "[MOTIF] incast\n")

    assert len(statements(tmp_path / "0.sb")) == 1001  # those of 1,000 includes and of the workload itself


def test_no_more_text_is_included_than_the_engine_accepts(tmp_path: Path) -> None:
    """1,000 includes of a file of 16 MiB would be 16 GiB of text."""
    (tmp_path / "w.sb").write_text("[INCLUDE] a.sb\n" * 1000)
    (tmp_path / "a.sb").write_text("[MOTIF] incast\n" + "#" * (1 << 20) + "\n")

    assert statements(tmp_path / "w.sb") == [("MOTIF", "incast")]
