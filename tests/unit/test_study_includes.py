"""Which files a workload reads, as far as its text tells."""

from pathlib import Path

import pytest

from stressbench.experiments.study.includes import included_files


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
