"""ReFrame tests of StressBench: any workload, the demo, the validation, a study like GPCNeT, and the I/O study.

    reframe -c packaging/reframe --list
    reframe -c packaging/reframe -n StressBenchDemo -r -S StressBenchDemo.num_tasks=8

ReFrame launches the engine itself, so its launcher and its scheduler options decide where the ranks run; `stressbench
show --json` reads the run file afterwards, on the node that ran the job. With the variable `on` (`lab:tinis`,
`simgrid:tinis`), `stressbench run` starts the ranks on a lab or in a simulation.

Sanity: the run is complete. Performance: for each job the congestion impact, both ends of its 95 % interval, and the
median isolated and contended times. A baseline is the output of `stressbench show --json` for an earlier run: a job
fails if its interval lies entirely above or entirely below the interval of the baseline. `references` has baselines of
the simulated lab tinis.
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_before, sanity_function, variable

HERE = Path(__file__).resolve().parent
WORKLOADS = HERE.parents[1] / "workloads"


class StressBenchRun(rfm.RunOnlyRegressionTest):
    """Jobs of one workload, isolated and contended."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 4
    workload = variable(str)
    settings = variable(list, value=[])
    """NAME=VALUE, for the workload's [SET] lines."""
    rounds = variable(int, value=10)
    """Isolated rounds of each job, and as many contended rounds; six or more give an interval."""
    ranks_per_node = variable(int, type(None), value=None)
    placement = variable(str, value="linear")
    """linear, interleaved or random:SEED; jobs share links unless they are placed linearly."""
    on = variable(str, value="")
    """Launch target of `stressbench run`; empty: ReFrame's launcher starts the engine."""
    rate = variable(str, value="")
    """Share of a lab's link rates, such as 1/5."""
    baseline = variable(str, value="")
    """Output of `stressbench show --json` for an earlier run; empty: that of this test and target in `references`."""
    keep_files = ["run.jsonl", "show.json"]

    @run_before("run")
    def prepare_command(self):
        """The command line, and what reads its file afterwards."""
        rounds = ["--isolated", str(self.rounds), "--contended", str(self.rounds)]
        settings = [word for setting in self.settings for word in ("--set", setting)]
        layout = [] if self.ranks_per_node is None else ["--ranks-per-node", str(self.ranks_per_node)]
        layout += ["--place", self.placement]
        common = ["run", self.workload, *rounds, *settings, *layout, "--output", "run.jsonl"]
        if self.on:
            self.executable = "stressbench"
            self.executable_opts = [*common, "--on", self.on, "-n", str(self.num_tasks)]
            self.executable_opts += ["--rate", self.rate] if self.rate else []
            self.job.launcher = getlauncher("local")()
        else:
            self.executable = "stressbench-mpi"
            self.executable_opts = [*common, "--quiet"]
        self.postrun_cmds = ["stressbench show run.jsonl --json > show.json"]

    @sanity_function
    def check_complete(self):
        """Every round was done."""
        return sn.assert_found(r'"complete": true', "show.json", "the run is not complete: see run.jsonl")

    @run_before("performance")
    def name_figures(self):
        """Figures for each job, by the names in the workload, and the ranges that the baseline gives."""
        self.perf_variables = {}
        for name, timing in timings(Path(self.stagedir) / "show.json").items():
            impact = timing["impact"]
            figures = (
                ("impact", impact["ratio"], "x"),
                ("impact_low", impact["low"], "x"),
                ("impact_high", impact["high"], "x"),
                ("isolated", (timing["isolated_s"] or {}).get("median"), "s"),
                ("contended", (timing["contended_s"] or {}).get("median"), "s"),
            )
            for figure, value, unit in figures:
                if value is not None:
                    self.perf_variables[f"{name}_{figure}"] = sn.make_performance_function(sn.defer(value), unit)
        if baseline := self.baseline_file():
            self.reference = {"*": ranges(timings(baseline))}

    def baseline_file(self):
        """The file that `baseline` names, or the one that ships for this test and launch target, or None."""
        if self.baseline:
            return Path(self.baseline)
        shipped = HERE / "references" / self.on.replace(":", "-") / f"{type(self).__name__}.json"
        return shipped if self.on and shipped.is_file() else None


def timings(path):
    """`timing` of each job, by its name, in the output of `stressbench show --json`."""
    return {job["name"]: job["timing"] for job in json.loads(path.read_text(encoding="utf-8"))["jobs"]}


def ranges(baseline):
    """References by which a run fails whose interval lies outside of the baseline's, by more than 0.1 % of its end.

    Where there is no interval, the impact itself has to be that of the baseline, to 0.1 %.
    """
    references = {}
    for name, timing in baseline.items():
        impact = timing["impact"]
        if impact["low"] is not None:
            references[f"{name}_impact_low"] = (impact["high"], None, 0.001, "x")
            references[f"{name}_impact_high"] = (impact["low"], -0.001, None, "x")
        elif impact["ratio"] is not None:
            references[f"{name}_impact"] = (impact["ratio"], -0.001, 0.001, "x")
    return references


@rfm.simple_test
class StressBenchCheck(StressBenchRun):
    """Any workload: -S StressBenchCheck.workload=/path/to/FILE.sb"""

    descr = "congestion impact of a StressBench workload"
    workload = str(WORKLOADS / "demo.sb")


@rfm.simple_test
class StressBenchDemo(StressBenchRun):
    """A solver, a transpose and an incast: workloads/demo.sb."""

    descr = "StressBench demo: solver, transpose and incast"
    workload = str(WORKLOADS / "demo.sb")
    num_tasks = 8
    ranks_per_node = 1
    placement = "interleaved"


@rfm.simple_test
class StressBenchValidation(StressBenchRun):
    """TeaLeaf, Sweep3D, LULESH and SWFFT, in the size of studies/lab/validation.toml."""

    descr = "StressBench validation: four applications next to each other"
    workload = str(WORKLOADS / "paper" / "validation.sb")
    num_tasks = 16
    ranks_per_node = 1
    placement = "interleaved"
    rounds = 6
    settings = [
        "nodes=2", "lulesh=8", "compute=sleep", "cells=2000", "sweep=100", "depth=50", "elements=10", "points=32",
    ]  # fmt: skip


@rfm.simple_test
class StressBenchGpcnet(StressBenchRun):
    """Latency, bandwidth and allreduce next to four kinds of congestors: workloads/gpcnet.sb."""

    descr = "StressBench like GPCNeT: three tests next to congestors"
    workload = str(WORKLOADS / "gpcnet.sb")
    num_tasks = 14
    ranks_per_node = 1
    placement = "random:1"
    rounds = 6


@rfm.simple_test
class StressBenchStorage(StressBenchRun):
    """An application pattern next to a writer of one file, in the size of studies/lab/io-study.toml.

    For the storage of a cluster: -S StressBenchStorage.settings=nodes=8,file=/scratch/io-study.out,...
    """

    descr = "StressBench I/O study: TeaLeaf next to a writer of one file"
    workload = str(WORKLOADS / "paper" / "io-study.sb")
    num_tasks = 16
    ranks_per_node = 1
    placement = "interleaved"
    rounds = 6
    settings = ["pattern=tealeaf", "nodes=8", "cells=500", "mode=sleep", "write=64KiB", "time=1s"]
