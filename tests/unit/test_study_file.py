"""What a study file says, and how its mistakes are told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.studies import STUDY, WORKLOAD

from stressbench.experiments.study.cell_targets import require_controllable_links
from stressbench.formats.study.cells import Cell, scheduled_runs, varying_factors
from stressbench.formats.study.errors import StudyFileMistake, StudyMistake
from stressbench.formats.study.file import parse_study, read_study, study_file_mistakes

BASE = '[factors]\nworkload = "two.sb"\n'
LAB = BASE + 'on = "lab:tiny"\n'


def message_of(text: str) -> str:
    with pytest.raises(StudyFileMistake) as caught, study_file_mistakes(text, source="s.toml"):
        require_controllable_links(parse_study(text, source="s.toml"))
    return str(caught.value)


def test_a_list_is_a_factor_and_one_value_is_fixed() -> None:
    study = parse_study(STUDY, source="s.toml")

    assert len(study.cells) == 6
    assert varying_factors(study.cells) == ("placement", "set.size")
    assert {cell.ranks for cell in study.cells} == {4}
    assert len(study.runs) == 12


def test_cells_that_are_excluded_are_left_out() -> None:
    exclude = '[[exclude]]\nplacement = "random:1"\nset.size = "8KiB"\n[[exclude]]\nplacement = "linear"\n'

    study = parse_study(STUDY + exclude, source="s.toml")

    assert [(cell.placement, dict(cell.sets)["size"]) for cell in study.cells] == [
        ("interleaved", "4KiB"), ("interleaved", "8KiB"), ("random:1", "4KiB"),
    ]  # fmt: skip


def test_rate_and_rails_are_factors_of_labs() -> None:
    study = parse_study(LAB + 'rate = ["full", "1/2"]\nrails = [1, 2]\n', source="s.toml")

    assert varying_factors(study.cells) == ("rate", "rails")
    assert [(str(cell.rate), cell.rails) for cell in study.cells] == [("full", 1), ("full", 2), ("1/2", 1), ("1/2", 2)]


def test_cells_of_a_rate_can_be_excluded_and_one_rate_is_that_of_all() -> None:
    exclude = '[[exclude]]\nrails = 2\nplacement = "linear"\n'
    text = LAB + 'rate = "1/5"\nrails = [1, 2]\nplacement = ["linear", "interleaved"]\n' + exclude

    study = parse_study(text, source="s.toml")

    assert {str(cell.rate) for cell in study.cells} == {"1/5"}
    assert [(cell.placement, cell.rails) for cell in study.cells] == [
        ("linear", 1), ("interleaved", 1), ("interleaved", 2),
    ]  # fmt: skip


def test_numbers_of_variables_are_as_written() -> None:
    study = parse_study(BASE + "[set]\nsize = [1, 2.5]\n", source="s.toml")

    assert [cell.sets for cell in study.cells] == [(("size", "1"),), (("size", "2.5"),)]


def test_every_mistake_has_its_line_and_says_what_is_accepted() -> None:
    text = 'repetitons = 2\nseed = -1\n[factors]\nworkload = []\nranks = "4"\nplacement = ["linear", "sideways"]\n'

    lines = message_of(text).splitlines()

    assert [line.split(" ")[0] for line in lines] == ["s.toml:1:", "s.toml:2:", "s.toml:4:", "s.toml:5:", "s.toml:6:"]
    assert "did you mean 'repetitions'?" in lines[0]
    assert lines[4].endswith("'sideways': expected linear, interleaved or random:SEED, such as random:1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "s.toml: not TOML"),
        ("seed = 1", "s.toml:1: factors is missing"),
        (BASE + "ranks = [4, 4]", "s.toml:3: factors.ranks: [4, 4]: 4 is given twice; expected each value once"),
        (BASE + "ranks = [4, 2097153]", "s.toml:3: factors.ranks: 2097153: expected at most 2097152"),
        (f"retries = {10**9}\n" + BASE, "s.toml:1: retries: 1000000000: expected at most 1000000"),
        (BASE + "ranks = 0", "s.toml:3: factors.ranks: 0: expected at least 1"),
        (BASE + 'finish = "never"', "'never': expected sustain or once"),
        (
            LAB + 'rate = "fast"',
            "s.toml:4: factors.rate: 'fast': expected a share of the lab's rates above 0: full, half",
        ),
        (LAB + 'rate = ["full", "0/4"]', "s.toml:4: factors.rate: '0/4': expected a share of the lab's rates above 0"),
        (LAB + 'rate = ["half", "50%"]', "50% equals half; expected each value once"),
        (LAB + "rate = 0.5", "s.toml:4: factors.rate: 0.5: expected a text in quotes"),
        (LAB + "rails = [0, 1]", "s.toml:4: factors.rails: 0: expected at least 1"),
        (
            BASE + 'rate = "half"',
            "s.toml:3: factors.rate: half: link rates cannot be controlled on local; expected lab:NAME or",
        ),
        (
            BASE + 'on = ["lab:tiny", "slurm"]\nrails = [1, 2]',
            "s.toml:4: factors.rails: 1, 2: link rates cannot be controlled on slurm; expected lab:NAME or simgrid:N",
        ),
        (BASE + "[set]\nflag = true", "s.toml:4: set.flag: True: expected a text or a number"),
        (BASE + '[set]\n"a-b" = 1', "'a-b' is no variable's name"),
        (BASE + '[run]\nmin_time = "30"', "s.toml:4: run.min_time: '30': expected a time with its unit"),
        (BASE + '[run]\nuntil_interval = "0%"', "'0%': expected a share above 0, such as 5%"),
        (BASE + "[run]\nisolatd = 1", "unknown key 'isolatd'; did you mean 'isolated'?"),
        ("repetitions = 2\n" + BASE + '[until]\ninterval = "5%"', "s.toml:1: repetitions: 2: expected either this or"),
        (BASE + '[until]\ninterval = "5%"\nat_least = 5\nat_most = 2', "s.toml:5: until.at_least: 5: expected at most"),
        (BASE + '[[exclude]]\nplacement = "linear"', "s.toml:4: exclude: unknown factor 'placement'; known: workload"),
        (BASE + '[[exclude]]\nworkload = "b.sb"', "s.toml:4: exclude.workload: 'b.sb': expected one of two.sb"),
        (BASE + '[[exclude]]\nworkload = "two.sb"', "leaves no cell; expected at least one"),
        (BASE + "[[exclude]]", "s.toml:3: exclude: names no factor"),
        (BASE + f"ranks = {list(range(1, 10_002))}", "[factors] 10001 cells: expected at most 10000"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, message: str) -> None:
    assert message in message_of(text)


def test_a_workload_that_is_not_there_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "two.sb").write_text(WORKLOAD)
    file = tmp_path / "study.toml"
    file.write_text('[factors]\nworkload = ["two.sb", "gone.sb"]\n')

    with pytest.raises(StudyMistake, match=r"study.toml:2: factors.workload: 'gone.sb': expected a workload file"):
        read_study(file)


def test_a_workload_whose_name_is_too_long_for_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(f'[factors]\nworkload = ["{"x" * 300}.sb"]\n')

    with pytest.raises(StudyMistake, match=r"study.toml:2: factors.workload: 'x{80}...': expected a workload file"):
        read_study(file)


@given(
    st.lists(st.text("abcdef", min_size=1, max_size=4), min_size=1, max_size=8, unique=True),
    st.integers(0, 5),
    st.integers(1, 4),
)
def test_the_order_of_two_runs_does_not_depend_on_the_others(names: list[str], seed: int, repetitions: int) -> None:
    cells = [Cell(workload=name, on="local") for name in names]

    whole = [run.id for run in scheduled_runs(cells, repetitions=repetitions, seed=seed)]
    part = [run.id for run in scheduled_runs(cells[1:], repetitions=repetitions, seed=seed)]

    assert [run for run in whole if run in part] == part
    assert len(set(whole)) == len(cells) * repetitions
