"""ReFrame test of a StressBench workload: copy it, adapt `valid_systems`, `workload` and `reference`.

    reframe -c stressbench_check.py -r -S StressBenchCheck.workload=/path/to/demo.sb

Sanity: the run is complete. Performance: each job's congestion impact, and its median isolated and contended time.
ReFrame launches the engine itself, so its launcher and its scheduler options decide where the ranks run; `stressbench
show --json` reads the run file afterwards, on the node that ran the job.
"""
# ruff: noqa: RUF012  -- lists are how ReFrame's tests say it

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable


@rfm.simple_test
class StressBenchCheck(rfm.RunOnlyRegressionTest):
    """Jobs of one workload, alone and all together."""

    descr = "congestion impact of a StressBench workload"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "stressbench-mpi"
    num_tasks = 4
    workload = variable(str, value="demo.sb")
    rounds = variable(int, value=10)
    ranks_per_node = variable(int, type(None), value=None)
    keep_files = ["run.jsonl", "show.json"]

    @run_before("run")
    def ask(self):
        """The engine's command line, and what reads its file afterwards."""
        rounds = str(self.rounds)
        self.executable_opts = [
            "run", self.workload, "--isolated", rounds, "--contended", rounds, "--quiet", "--output", "run.jsonl",
        ]  # fmt: skip
        if self.ranks_per_node is not None:
            self.executable_opts += ["--ranks-per-node", str(self.ranks_per_node)]
        self.postrun_cmds = ["stressbench show run.jsonl --json > show.json"]

    @sanity_function
    def complete(self):
        """Every round was done."""
        return sn.assert_found(r'"complete": true', "show.json", "the run is not complete: see run.jsonl")

    @run_before("performance")
    def name_figures(self):
        """A figure for each job and quantity, by the names in the workload."""
        jobs = json.loads((Path(self.stagedir) / "show.json").read_text(encoding="utf-8"))["jobs"]
        self.perf_variables = {}
        for job in jobs:
            timing = job["timing"]
            figures = (
                ("impact", timing["impact"]["ratio"], "x"),
                ("isolated", (timing["isolated_s"] or {}).get("median"), "s"),
                ("contended", (timing["contended_s"] or {}).get("median"), "s"),
            )
            for name, value, unit in figures:
                if value is not None:
                    self.perf_variables[f"{job['name']}_{name}"] = sn.make_performance_function(sn.defer(value), unit)
