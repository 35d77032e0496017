"""Ramble application of StressBench: the demo, the validation, a study like GPCNeT, and the I/O study."""

import json
from pathlib import Path

from ramble.appkit import *


class Stressbench(ExecutableApplication):
    """Slowdown of each job of a workload by the other jobs, with 95 % intervals."""

    name = "stressbench"

    tags("synthetic", "large-scale", "mpi", "network-latency-bound", "network-bandwidth-bound", "i-o", "c++")

    software_spec("stressbench", pkg_spec="stressbench", package_manager="spack*")
    required_package("stressbench", package_manager="spack*")

    executable(
        "run",
        "stressbench-mpi run {workload_file} {workload_settings} --isolated {rounds} --contended {rounds}"
        " --overwrite --quiet --output {experiment_run_dir}/run.jsonl",
        use_mpi=True,
    )
    executable(
        "show",
        "stressbench show {experiment_run_dir}/run.jsonl --json",
        use_mpi=False,
        redirect="{experiment_run_dir}/show.json",
    )

    for case, file, settings in (
        ("demo", "demo.sb", "--ranks-per-node 1 --place interleaved"),
        (
            "validation",
            "paper/validation.sb",
            "--ranks-per-node 1 --place interleaved --set nodes=2 --set lulesh=8 --set compute=sleep --set cells=2000"
            " --set sweep=100 --set depth=50 --set elements=10 --set points=32",
        ),
        ("gpcnet", "gpcnet.sb", "--ranks-per-node 1 --place random:1"),
        (
            "storage",
            "paper/io-study.sb",
            "--ranks-per-node 1 --place interleaved --set pattern=tealeaf --set nodes=8 --set cells=500"
            " --set mode=sleep --set write=64KiB --set time=1s --set file={experiment_run_dir}/io-study.out",
        ),
    ):
        workload(case, executables=["run", "show"])
        workload_variable(
            "workload_file",
            default="{stressbench_path}/share/stressbench/workloads/" + file,
            description="workload in StressBench's language",
            workloads=[case],
        )
        workload_variable(
            "workload_settings",
            default=settings,
            description="options of `stressbench-mpi run`: ranks per node, and --set for the workload's [SET] lines",
            workloads=[case],
        )
        workload_variable(
            "rounds",
            default="10",
            description="isolated rounds of each job, and contended rounds; six or more give an interval",
            workloads=[case],
        )

    figures = "{experiment_run_dir}/figures.txt"

    figure_of_merit_context("job", regex=r"(?P<job>\S+) \S+ \S+", output_format="{job}")
    for title, key, units in (
        ("congestion impact", "impact", ""),
        ("congestion impact, lower end of the 95 % interval", "impact_low", ""),
        ("congestion impact, upper end of the 95 % interval", "impact_high", ""),
        ("isolated time", "isolated", "s"),
        ("contended time", "contended", "s"),
    ):
        figure_of_merit(
            title,
            log_file=figures,
            fom_regex=r"\S+ " + key + r" (?P<value>\S+)",
            group_name="value",
            units=units,
            contexts=["job"],
        )

    success_criteria("complete", mode="string", match=r'.*"complete": true', file="{experiment_run_dir}/show.json")

    def _prepare_analysis(self, workspace, app_inst=None):
        """Write `JOB FIGURE VALUE` lines from the output of `stressbench show --json`: Ramble reads figures by line."""
        folder = Path(self.expander.expand_var("{experiment_run_dir}"))
        shown = folder / "show.json"
        if not shown.is_file() or not shown.stat().st_size:
            return
        lines = []
        for job in json.loads(shown.read_text(encoding="utf-8"))["jobs"]:
            timing = job["timing"]
            impact = timing["impact"]
            values = (
                ("impact", impact["ratio"]),
                ("impact_low", impact["low"]),
                ("impact_high", impact["high"]),
                ("isolated", (timing["isolated_s"] or {}).get("median")),
                ("contended", (timing["contended_s"] or {}).get("median")),
            )
            lines += [f"{job['name']} {key} {value}\n" for key, value in values if value is not None]
        (folder / "figures.txt").write_text("".join(lines), encoding="utf-8")
