"""The suite of predictions (benchmarks/predictions.py): definitions, commands and exit statuses, with a stand-in for
`stressbench`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

SUITES = Path(__file__).resolve().parents[2] / "benchmarks" / "predictions"

# It writes its words into a log, and makes the observations of a co-run. It fails where a file has its first word.
STAND_IN = """\
import json, pathlib, sys
words, here = sys.argv[2:], pathlib.Path(sys.argv[1])
with (here / "log").open("a") as log:
    files = {path.name: path.read_text() for path in pathlib.Path().glob("*.in")}
    log.write(json.dumps({"words": words, "files": files}) + "\\n")
if (here / f"no {words[0]}").exists():
    sys.exit(f"error: {words[0]} failed")
print(json.dumps({}) if "--json" in words else f"table of {words[0]}")
"""
DEFINITION = """\
name = "Heat"
program = "heat.py {cells}"
ranks = { 4 = {}, 6 = {} }
values = { cells = 10 }
[files]
"heat.in" = "cells {cells}"
[[inputs]]
name = "small"
[[inputs]]
name = "large"
values = { cells = 1000 }
"""
LAB = '[hosts]\ncount = 6\n[[rail]]\nrate = "100Mbit"\n[topology]\nkind = "single"\n'
SUITE = """\
about = "Two programs"
seed = 7
labs = ["one.toml", "two.toml"]
ranks = 6
impact = ["--idle", "1s"]
compress = ["--runs", "2"]
corun = ["--blocks", "3"]
"""
PROGRAMS = """\
[[programs]]
name = "a"
input = "heat/small"
[[programs]]
name = "b"
input = "heat/small"
ranks = 4
[[programs]]
name = "c"
input = "heat/small"
"""


class Bench:
    """A suite, and calls of the command."""

    def __init__(self, folder: Path, main: Callable[..., int], capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self.main, self.capfd = folder, main, capfd
        (folder / "definitions").mkdir()
        (folder / "definitions" / "heat.toml").write_text(DEFINITION)
        (folder / "stand_in.py").write_text(STAND_IN)
        (folder / "log").touch()
        for lab in ("one", "two"):
            (folder / f"{lab}.toml").write_text(LAB)
        self.suite()

    def suite(self, *, keys: str = "", programs: str = PROGRAMS) -> None:
        (self.folder / "suite.toml").write_text(SUITE + keys + programs)

    def __call__(self, *words: str, output: bool = True) -> tuple[int, str]:
        """The exit status, and all output."""
        places = ["--definitions", self.folder / "definitions", "--cache", self.folder / "cache"]
        places += ["-o", self.folder / "results"] if output else []
        stand_in = (sys.executable, str(self.folder / "stand_in.py"), str(self.folder))
        status = self.main([str(word) for word in (self.folder / "suite.toml", *words, *places)], stressbench=stand_in)
        said = self.capfd.readouterr()
        return status, said.out + said.err

    def calls(self) -> list[list[str]]:
        """The words of all commands until now."""
        return [json.loads(line)["words"] for line in (self.folder / "log").read_text().splitlines()]

    def called(self, *first: str) -> list[list[str]]:
        return [words for words in self.calls() if words[: len(first)] == list(first)]


@pytest.fixture
def bench(tmp_path: Path, benchmark, capfd) -> Bench:
    module: ModuleType = benchmark("predictions")
    return Bench(tmp_path, module.main, capfd)


def test_each_lab_is_up_while_its_programs_are_measured(bench: Bench) -> None:
    status, output = bench()

    assert status == 0
    assert output.count("table of predict") == 2
    order = [words[0] if words[0] != "lab" else " ".join(words[:2]) for words in bench.calls()]
    profiles = ["impact", "compress"] * 3
    assert order == ["lab up", *profiles, "corun", "lab down", "predict", "predict"] * 2


def test_programs_have_their_ranks_and_options(bench: Bench) -> None:
    bench()

    impact, compress = bench.called("impact")[1], bench.called("compress")[1]
    assert " ".join(impact[1:]) == "-n 4 --on lab:one --store profiles --name b --idle 1s -- heat.py 10"
    assert " ".join(compress[1:]) == "-n 4 --on lab:one --store profiles --name b --runs 2 -- heat.py 10"
    assert " ".join(bench.called("corun")[0]) == (
        "corun matrix -n 6,4,6 --on lab:one --nodes shared --self --names a,b,c --seed 7 -o coruns --blocks 3 "
        "-- heat.py 10 ++ heat.py 10 ++ heat.py 10"
    )
    assert json.loads((bench.folder / "log").read_text().splitlines()[1])["files"] == {"heat.in": "cells 10"}


def test_triples_run_on_labs_that_are_named(bench: Bench) -> None:
    bench.suite(keys='triples = ["two"]\n')
    bench()

    one, two, triples = (" ".join(words) for words in bench.called("corun"))
    assert one == two.replace("lab:two", "lab:one")
    assert triples == two.replace("--self", "--no-pairs --triple a,b,c").replace("-o coruns", "-o triples")
    observed = "--observed coruns/observations.jsonl"
    of_one, *_, of_two = (" ".join(words) for words in bench.called("predict"))
    assert of_one == f"predict evaluate profiles {observed} --json"
    assert of_two == f"predict evaluate profiles {observed} --observed triples/observations.jsonl"


def test_pairs_are_not_measured_again_with_triples(bench: Bench) -> None:
    bench.suite(keys='triples = ["two"]\n')
    bench()
    (bench.folder / "results" / "two" / "triples.done").unlink()

    assert bench("--continue")[0] == 0
    assert "--no-pairs" in bench.called("corun")[3]
    assert len(bench.called("corun")) == 4


def test_what_is_complete_is_not_measured_again(bench: Bench) -> None:
    (bench.folder / "no corun").touch()
    assert bench()[0] == 1
    (bench.folder / "no corun").unlink()

    assert bench("--continue")[0] == 0
    assert len(bench.called("impact")) == 6
    assert len(bench.called("corun")) == 4
    assert bench("--continue")[0] == 0
    assert len(bench.called("corun")) == 4
    assert len(bench.called("lab", "up")) == 4


def test_co_runs_that_were_interrupted_are_resumed(bench: Bench) -> None:
    (bench.folder / "no corun").touch()
    bench()
    (bench.folder / "no corun").unlink()
    begun = bench.folder / "results" / "one" / "coruns" / "launches.jsonl"
    begun.parent.mkdir()
    begun.touch()

    assert bench("--continue")[0] == 0
    assert bench.called("corun")[2:] == [["corun", "resume", "coruns"], bench.called("corun", "matrix")[1]]
    begun.touch()
    bench()  # without --continue, all is measured anew
    assert [words[1] for words in bench.called("corun")[4:]] == ["matrix", "matrix"]


def test_a_failure_is_named_and_the_other_labs_are_measured(bench: Bench) -> None:
    (bench.folder / "no compress").touch()
    status, output = bench()

    assert status == 1
    assert "error: lab:one: exit status 1: see above\n" in output
    assert output.count("error: compress failed\n") == 2  # as the command says it
    assert len(bench.called("lab", "down")) == 2
    assert "corun" not in {words[0] for words in bench.calls()}


def test_the_list_starts_nothing(bench: Bench) -> None:
    status, output = bench("--list", output=False)

    assert status == 0
    assert "b: heat/small on 4 ranks: heat.py 10" in output
    assert bench.calls() == []


@pytest.mark.parametrize(
    ("keys", "programs", "message"),
    [
        ('triples = ["three"]\n', PROGRAMS, "triples: 'three' is none of the labs: one, two"),
        ("", PROGRAMS.replace('"c"', '"a"'), "programs: a is there twice"),
        ("", PROGRAMS.replace("ranks = 4", "ranks = 5"), "b: heat/small runs on 4, 6 ranks, not on 5"),
        ("", PROGRAMS.replace("heat/small", "heat/tiny"), "tiny"),
        ("", PROGRAMS.replace('"c"\ninput = "heat/small"', '"c"\ninput = "heat/large"'),
         "c and a have different files heat.in in one directory"),
        ("", PROGRAMS.replace("ranks = 4", "rank = 4"), "programs.1.rank"),
        ("", '[[programs]]\nname = "a"\ninput = "heat/small"\n', "programs"),
    ],
)  # fmt: skip
def test_mistakes_are_named_before_anything_starts(bench: Bench, keys: str, programs: str, message: str) -> None:
    bench.suite(keys=keys, programs=programs)
    status, output = bench()

    assert status == 2
    assert output.startswith("error: ")
    assert message in output
    assert bench.calls() == []


@pytest.mark.parametrize("suite", sorted(SUITES.glob("*.toml")), ids=lambda path: path.stem)
def test_suites_of_the_repository_are_complete(suite: Path, benchmark, capsys) -> None:
    assert benchmark("predictions").main([str(suite), "--list"]) == 0
    assert capsys.readouterr().out
