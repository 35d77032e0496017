"""`stressbench degrade run --compete`: traffic beside a workload that takes what rates leave out."""

import csv
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run
from support.commands import invoke

from stressbench.experiments.study.directory import open_directory
from stressbench.launch import session

JOB = "[JOB_NAME] halo\n[NID_LIST] 0-${last}\n[SHARED] yes\n[RANKS_PER_NODE] {each}\n[MOTIF] halo2d\n"
ON = "--on local -n 8 --ranks-per-node 2"
COMPETE = f"--compete --link 8Mbit {ON}"
RATE_BYTES = 1_000_000
STILL = MadeMachine(hosts=("a1", "a2", "a3", "a4"), noise=0.0, round_noise=0.0, drift=0.0)


@pytest.fixture
def launched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Requests that were carried out. Jobs take twice as long at a half; the traffic takes four fifths of its share."""
    requests: list[Any] = []
    for name, text in {
        "app.sb": "[SET] last=3\n" + JOB.replace("{each}", "1"),
        "two.sb": "[SET] last=3\n" + JOB.replace("{each}", "2"),
        "own.sb": "[JOB_NAME] halo\n[NODES] 4\n[MOTIF] halo2d\n",
        "alone.sb": "[JOB_NAME] halo\n[NID_LIST] 0-3\n[RANKS_PER_NODE] 1\n[MOTIF] halo2d\n",
        "not.sb": "[JOB_NAME] halo\n[NID_LIST] 0-3\n[SHARED] no\n[RANKS_PER_NODE] 1\n[MOTIF] halo2d\n",
        "whole.sb": "[JOB_NAME] halo\n[NID_LIST] 0-3\n[SHARED] yes\n[MOTIF] halo2d\n",
        "ours.sb": JOB.replace("halo\n", "competing_traffic\n").replace("{each}", "1"),
        "some.sb": "[SET] part=app\n[INCLUDE] ${part}.sb\n",
        "none.sb": "# nothing\n",
        "sub/app.sb": "[SET] last=3\n" + JOB.replace("{each}", "1"),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def run(request: Any, *, run_file: Path) -> Any:
        sets = dict(one.split("=") for one in request.options.sets)
        requests.append((request, sets))
        run_file.write_text(made_run(sets["compete_rate"]))
        return SimpleNamespace(
            status=0, death=None, replacement_file=None, run=None, cancellation=None,
            outcome=SimpleNamespace(
                stop_requests=0, hung_in_finalize=False, was_asked_to_stop=False, status=0, errors=""
            ),
        )  # fmt: skip

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "prepare", lambda request, environment: request)
    monkeypatch.setattr(session, "run", run)
    return requests


def made_run(rate: str) -> str:
    """Rounds of a second; the competing rank sends 1000 B a repetition."""
    over, under = (int(word) for word in f"{rate}/1".split("/")[:2])
    jobs = [MadeJob(name="halo", nodes="0-3", steps=(MadeStep(motif="halo2d", time_s=1e-3 * under / over),))]
    if rate != "1":
        step = MadeStep(motif="compression", bandwidth_bytes=1000, bandwidth_definition="of one rank")
        jobs.append(MadeJob(name="competing_traffic", nodes="0-3", role="background", steps=(step,)))
    plan = MadePlan(blocks=6, isolated=0, repetitions=2, warmup=0, extra=0)
    made = build_run(jobs=jobs, plan=plan, machine=STILL, histograms=False)
    asked = (1 - over / under) * RATE_BYTES
    for job in made.header["jobs"][1:]:
        job["rate_bytes_per_s"] = asked
    for one in made.of("round"):
        one["duration_s"] = 1.0
        for did in one["jobs"][1:]:
            did["measured"] = round(0.8 * asked / 1000)
    return made.text()


def degrade(words: str) -> Any:
    return invoke(f"degrade {words}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (f"run app.sb -o d --compete {ON}", "--compete: needs --link, the injection bandwidth of a node"),
        (f"run app.sb -o d --compete --link fast {ON}", "--link: 'fast': expected a rate in bits per second"),
        (f"run app.sb -o d --link 1Gbit {ON}", "--link 1Gbit: requires --compete"),
        (f"plan app.sb --link 1Gbit {ON}", "--link 1Gbit: requires --compete"),
        (f"run app.sb -o d {COMPETE} --rate-command ./x", "--compete: and --rate-command: expected one of the two"),
        (f"run app.sb -o d {COMPETE} --isolated 3", "--isolated 3: with --compete there are no isolated rounds"),
        (f"run app.sb -o d {COMPETE} --contended 0", "--contended 0: expected rounds in which jobs run beside"),
        (
            f"run app.sb -o d {COMPETE} --set compete_rate=1",
            "--compete: compete_rate is a variable of the study itself",
        ),
        (
            f"run app.sb -o d {COMPETE} --nodes compete_nodes",
            "--compete: compete_nodes is a variable of the study itself",
        ),
        (f"run app.sb -o d {COMPETE} --rates 1", "--rates: 1: expected 1 and a smaller one"),
        (f"run app.sb -o d {COMPETE} --jobs 2", "--jobs 2: runs on local would share cores and links"),
        (f"run gone.sb -o d {COMPETE}", "gone.sb: no such file; expected a workload"),
        (f"run app.sb sub/app.sb -o d {COMPETE}", "--compete: sub/app.sb: app.sb has the same name; rename one"),
        (f"run app.sb -o app.sb {COMPETE}", "--output: app.sb"),
        (f"run app.sb -o sub {COMPETE}", "sub holds no study of --compete; choose a directory that is new or empty"),
        (
            f"run own.sb -o d {COMPETE}",
            "--compete: own.sb: job halo: [NODES] 4 asks for nodes of its own; expected [NID",
        ),
        (
            f"run alone.sb -o d {COMPETE}",
            "--compete: alone.sb: job halo: does not share its nodes; expected [NID_LIST], [SHARED]",
        ),
        (f"run not.sb -o d {COMPETE}", "--compete: not.sb: job halo: does not share its nodes"),
        (f"run whole.sb -o d {COMPETE}", "--compete: whole.sb: job halo: does not share its nodes"),
        (f"run ours.sb -o d {COMPETE} --set last=3", "job competing_traffic: is the name of the competing job"),
        (f"run none.sb -o d {COMPETE}", "--compete: none.sb: no [JOB_NAME]; expected jobs that share nodes"),
        (f"run two.sb -o d {COMPETE}", "[RANKS_PER_NODE] 2: expected 1 at most: of --ranks-per-node 2 one is the"),
        ("run app.sb -o d --compete --link 1Gbit --on local -n 8", "--compete: expected -n and --ranks-per-node of 2"),
        ("run app.sb -o d --compete --link 1Gbit --ranks-per-node 2", "--compete: expected -n and --ranks-per-node"),
        (
            "run app.sb -o d --compete --link 1Gbit -n 8 --ranks-per-node 1",
            "--compete: expected -n and --ranks-per-node of 2 or more",
        ),
        (
            "run app.sb -o d --compete --link 1Gbit -n 9 --ranks-per-node 2",
            "-n: 9 ranks are not a whole number of nodes",
        ),
        ("run app.sb -o d --compete --link 1Gbit -n 2 --ranks-per-node 2", "-n: 2 ranks, 2 per node, are one node"),
        (
            "run app.sb -o d --compete --link 1Gbit -n 8 --ranks-per-node 2 --on simgrid:tiny",
            "--compete: --on simgrid:tiny: simulated links have each rate; leave it out",
        ),
    ],
)
def test_a_mistake_gives_one_message_and_status_2_and_nothing_starts(
    launched: list[Any], words: str, message: str
) -> None:
    ended = degrade(words)

    assert ended.exit_code == 2, ended.output
    assert message in " ".join(ended.stderr.split())
    assert ended.stderr.count("stressbench: ") == 1
    assert launched == []
    assert not Path("d").exists()


def test_the_workload_is_included_and_another_job_stands_behind_it(launched: list[Any]) -> None:
    ended = degrade(f"run some.sb -o d {COMPETE} --rates 1,1/4")

    assert ended.exit_code == 0, ended.stderr
    folder = Path("d/workloads")
    assert (folder / "some.sb").read_text().splitlines()[1:] == [
        '[INCLUDE] "../../some.sb"', "[INCLUDE] compete/${compete_nodes}/${compete_rate}.sb"
    ]  # fmt: skip
    assert "[" not in (folder / "compete/4/1.sb").read_text()
    # Three quarters of 1 MB/s; 5 ms of it are 3750 B.
    assert (folder / "compete/4/1/4.sb").read_text().splitlines()[1:] == [
        "[JOB_NAME] competing_traffic", "[NID_LIST] 0-3", "[SHARED] yes", "[RANKS_PER_NODE] 1", "[ROLE] background",
        "[REPEAT] 1", "[RATE] 750000B", "[MOTIF] compression --partners 1 --messages 1 --size 3750B --pause 1us",
    ]  # fmt: skip


def test_long_bursts_are_several_messages(launched: list[Any]) -> None:
    degrade(f"run app.sb -o d --compete --link 10Gbit {ON} --rates 1,1/2")

    lines = Path("d/workloads/compete/4/1/2.sb").read_text().splitlines()
    # 625 MB/s for 5 ms are 3.125 MB: 48 messages of at most 64 KiB.
    assert lines[-2:] == [
        "[RATE] 625000000B", "[MOTIF] compression --partners 1 --messages 48 --size 65105B --pause 1us"
    ]  # fmt: skip


def test_what_comes_out_is_a_study_whose_links_nobody_touches(launched: list[Any]) -> None:
    ended = degrade(f"run app.sb -o d {COMPETE} --rates 1,1/2,1/4 --runs 2 --min-time 200ms")

    assert ended.exit_code == 0, ended.stderr
    study = open_directory(Path("d")).study
    assert (study.run.isolated, study.run.contended, str(study.run.min_time), study.repetitions) == (0, 10, "200ms", 2)
    assert {cell.rate for cell in study.cells} == {None}
    assert {tuple(sets.items()) for _, sets in launched} == {
        (("compete_rate", rate), ("compete_nodes", "4")) for rate in ("1", "1/2", "1/4")
    }
    assert all(Path(request.workload) == Path("d/workloads/app.sb") for request, _ in launched)
    for words in ("status d", "report d", "pack d -o d.tar.gz", "verify d.tar.gz", "verify d", "resume d"):
        again = invoke(f"study {words}")
        assert again.exit_code == 0, (words, again.stderr)


def test_more_nodes_go_on_with_it(launched: list[Any]) -> None:
    degrade(f"run app.sb -o d {COMPETE} --rates 1,1/2")

    ended = degrade("run app.sb -o d --compete --link 8Mbit --on local -n 8,16 --ranks-per-node 2 --rates 1,1/2")
    changed = degrade(f"run app.sb -o d --compete --link 9Mbit {ON} --rates 1,1/2")

    assert ended.exit_code == 0, ended.stderr
    assert [sets["compete_nodes"] for _, sets in launched] == ["4", "4", "8", "8"]
    assert changed.exit_code == 2
    assert (
        "d/workloads/compete/4/1/2.sb already exists with different contents: begin a study in another directory"
        in " ".join(changed.stderr.split())
    )


def test_a_plan_writes_nothing(launched: list[Any]) -> None:
    values = json.loads(degrade(f"plan app.sb {COMPETE} --json").stdout)

    assert {cell["values"]["set.compete_rate"] for cell in values["cells"]} == {"1", "1/2", "1/4", "1/8"}
    assert not list(Path.cwd().glob("**/compete"))


def test_the_report_has_jobs_beside_the_traffic_and_what_it_took(launched: list[Any]) -> None:
    degrade(f"run app.sb -o d {COMPETE} --rates 1,1/2,1/4")

    found = json.loads(degrade("report d --format json").stdout)
    text = " ".join(degrade("report d").stdout.split())
    page = degrade("report d --format md").stdout
    lines = list(csv.DictReader(io.StringIO(degrade("report d --format csv").stdout)))

    assert (found["time"], found["rates"]) == ("contended", ["1", "1/2", "1/4"])
    assert [(one["job"], one["where"]) for one in found["curves"]] == [("halo", {})]
    assert [point["factor"]["ratio"] for point in found["curves"][0]["points"]] == pytest.approx([1, 2, 4])
    assert [(one["rate"], one["asked"]) for one in found["competition"]] == [("1/2", 0.5), ("1/4", 0.75)]
    assert [one["taken"] for one in found["competition"]] == pytest.approx([0.4, 0.6])
    assert "| 1/2 | 50 | 40.0 |" in page
    assert "Links keep their rate; an additional rank on each node sends to another node." in text
    assert "rates are the shares of --link that competing traffic leaves: no link was slowed" in text
    assert [one["rate"] for one in lines] == ["1", "1/2", "1/4"]


def test_what_nobody_knows_that_it_took_is_null(launched: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made_run
    monkeypatch.setitem(globals(), "made_run", lambda rate: whole(rate).replace('"bandwidth_bytes":1000', '"bandwidth_bytes":null'))  # fmt: skip  # noqa: E501
    degrade(f"run app.sb -o d {COMPETE} --rates 1,1/2")

    assert json.loads(degrade("report d --format json").stdout)["competition"][0]["taken"] is None
    assert "| 1/2 | 50 | - |" in degrade("report d --format md").stdout


def test_rounds_in_which_jobs_are_alone_there_are_none(launched: list[Any]) -> None:
    degrade(f"run app.sb -o d {COMPETE} --rates 1,1/2")

    ended = degrade("report d --time isolated")

    assert ended.exit_code == 2
    assert "--time isolated: competing traffic runs in contended rounds alone; leave it out" in ended.stderr
