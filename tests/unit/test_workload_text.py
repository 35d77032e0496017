"""Values written into workloads are read back unchanged by the rules of the engine's reader."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressbench.experiments.study.combining import combined_workload, parse_job_template
from stressbench.experiments.study.includes import included_files
from stressbench.experiments.sweep.rates.competing_traffic import texts_of
from stressbench.experiments.validation.workload import ComparedWorkload
from stressbench.formats.workload_text import (
    WorkloadTextError,
    expanded,
    in_quotes,
    inner_text,
    quote,
    quote_argument,
    without_comments,
)

HOSTILE = (
    "plain", "with blank", "a\ttab", 'a "quoted" name', "$HOME", "${HOME}", "a\\b", "a\\", '\\"', "a#b", "#a", " #a",
    "[key]", "-x", "--file", "--a=b", "-1", "", "ünï ×", "'a'", "a;b`c`", "~", "a,b", "*",
)  # fmt: skip


class Refused(Exception):
    """The engine reports a mistake for this text."""


def words_read(line: str, **variables: str) -> list[tuple[str, bool]]:
    """Value of each word of a line and whether it is read as an option: read_words of engine/workload/statement.cpp."""
    words, at = [], 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
            continue
        if line[at] == "#":
            break
        begin, value, literal = at, "", line[at] == '"' or line.startswith("${", at)
        while at < len(line) and line[at] not in " \t":
            if line[at] == '"':
                at += 1
                while at < len(line) and line[at] != '"':
                    if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\", "$"):
                        value, at = value + line[at + 1], at + 2
                    elif line.startswith("${", at):
                        value, at = _variable(line, at, value, variables)
                    else:
                        value, at = value + line[at], at + 1
                if at == len(line):
                    raise Refused("the closing quote is missing")
                at += 1
            elif line.startswith("${", at):
                value, at = _variable(line, at, value, variables)
            else:
                value, at = value + line[at], at + 1
        assert at > begin
        is_option = not literal and len(value) > 1 and value[0] == "-" and value[1] not in ".0123456789"
        words.append((value, is_option))
    return words


def _variable(line: str, at: int, value: str, variables: dict[str, str]) -> tuple[str, int]:
    end = line.find("}", at)
    if end < 0 or line[at + 2 : end] not in variables:
        raise Refused("not a variable")
    return value + variables[line[at + 2 : end]], end + 1


TEXTS = st.text(st.sampled_from('ab1.-[]#"\\${}= \t×') | st.characters(codec="utf-8", exclude_categories=["Cc"]))


@given(value=TEXTS | st.sampled_from(HOSTILE))
def test_a_quoted_value_is_one_word_with_this_value(value: str) -> None:
    for written in (quote(value), in_quotes(value)):
        assert words_read(f" {written} # remark") == [(value, False)]
        assert words_read(f"a {written}\t{written}") == [("a", False), (value, False), (value, False)]


@given(value=TEXTS | st.sampled_from(HOSTILE))
def test_the_readers_of_python_and_of_the_engine_agree(value: str) -> None:
    written = f"x{in_quotes(value)}"

    assert expanded(without_comments(f"{written} # remark").strip(), {}) == f"x{value}"
    assert words_read(f'"{inner_text(written)}"') == [(f"x{value}", False)]


@pytest.mark.parametrize("value", ["/scratch/out", "halo2d", "2,4", "a=1,b=x", "60s"])
def test_plain_values_need_no_quotes(value: str) -> None:
    assert quote(value) == value


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a\x1bb", "a\x7f", "a\x85b", "\udcff"])
def test_values_that_a_workload_cannot_contain_are_refused(value: str) -> None:
    with pytest.raises(WorkloadTextError, match="which workload files cannot contain"):
        quote(value)


@pytest.mark.parametrize(
    ("word", "value", "is_option"),
    [
        ("--no-shared", "--no-shared", True), ("-x", "-x", True), ("-1.5", "-1.5", False), ("--", "--", False),
        ("--file=a b", "--file=a b", True), ('--file="$x', '--file="$x', True), ("-x y", "-x y", False),
        ("a b", "a b", False), ("${HOME}", "${HOME}", False),
    ],
)  # fmt: skip
def test_options_of_a_command_line_stay_options(word: str, value: str, is_option: bool) -> None:
    assert words_read(quote_argument(word)) == [(value, is_option)]


@pytest.mark.parametrize("value", ["${SCRATCH}/io", "${SCRATCH}", "--file=${SCRATCH}", '${SCRATCH}/a "b" $c\\', "a$b"])
def test_variables_of_a_value_are_replaced_on_request(value: str) -> None:
    ((read, _),) = words_read(quote_argument(value, variables=True), SCRATCH="/s")

    assert read == value.replace("${SCRATCH}", "/s")


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_paths_in_combined_workloads_lead_to_the_included_file(tmp_path: Path, name: str) -> None:
    folder = tmp_path / f"{name} folder"
    folder.mkdir()
    (folder / name).write_text("[MOTIF] allreduce\n")

    text = combined_workload(
        [parse_job_template(f"[JOB_NAME] a\n[INCLUDE] {in_quotes(name)}\n", source="w.sb", folder=folder)]
    )

    (include,) = [line for line in text.splitlines() if line.startswith("[INCLUDE]")]
    assert words_read(include.removeprefix("[INCLUDE]")) == [(str(folder / name), False)]
    (tmp_path / "made.sb").write_text(text)
    assert included_files(tmp_path / "made.sb", [{}]) == (folder / name,)


def test_variables_in_included_paths_stay_variables() -> None:
    job = parse_job_template("[JOB_NAME] a\n[INCLUDE] parts/${part}.sb\n", source="w.sb", folder=Path("/a $b"))

    assert '[INCLUDE] "/a \\$b/parts/${part}.sb"' in job.text(name="a")


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_competing_traffic_includes_the_workload_with_any_name(name: str) -> None:
    path = f"../../{name}.sb"

    text = texts_of({f"{name}.sb": path}, rates=[Fraction(1, 2)], nodes=[2], link_bytes_per_s=1e9)[f"{name}.sb"]

    remark, include, _ = text.splitlines()
    assert remark.startswith("# ")
    assert words_read(include.removeprefix("[INCLUDE]")) == [(path, False)]


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_a_compared_motif_gets_the_words_of_the_command_line(name: str) -> None:
    text = ComparedWorkload(words=("hdf5", "--file", name), file=None, engine=None).text(nodes=2)

    words = words_read(text.splitlines()[-1].removeprefix("[MOTIF]"))
    assert [value for value, _ in words] == ["hdf5", "--file", name]
