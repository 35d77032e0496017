"""Recipes of packaging/ agree with pyproject.toml and CMake, and read what `stressbench show --json` prints."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.recipes import (
    CHECKOUT,
    EASYBUILD,
    PACKAGING,
    SPACK,
    benchpark_experiment,
    directives,
    easyconfig,
    ramble_application,
    reframe_checks,
)

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
CMAKE = (CHECKOUT / "CMakeLists.txt").read_text(encoding="utf-8")
SHOWN = CHECKOUT / "tests" / "golden" / "data" / "json" / "show.json"
SPACK_NAMES = {
    "CLI11": "cli11", "nlohmann_json": "nlohmann-json", "fmt": "fmt", "Boost": "boost", "MPI": "mpi",
    "Python3": "python",
}  # fmt: skip
"""Spack's names of what CMake finds; Threads belong to the compiler."""
WORKLOAD_OF = {
    "demo": "demo.sb", "validation": "paper/validation.sb", "gpcnet": "gpcnet.sb", "storage": "paper/io-study.sb",
}  # fmt: skip


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, pattern
    return match.group(1)


VERSION = found(r"project\(StressBench VERSION ([\d.]+)", CMAKE)


def spack_dependencies() -> dict[str, dict[str, Any]]:
    """Options of each dependency of the Spack package, by its specification."""
    return dict(directives(SPACK, "depends_on"))


def test_every_recipe_has_the_version_of_the_build() -> None:
    parameters = easyconfig(EASYBUILD)
    benchpark = (PACKAGING / "benchpark" / "experiments" / "stressbench" / "experiment.py").read_text()

    assert [version for version, _ in directives(SPACK, "version")] == ["main", VERSION]
    assert f"stressbench-{VERSION}.tar.gz" in SPACK.read_text()
    assert parameters["version"] == VERSION
    assert f"StressBench-{VERSION}-" in EASYBUILD.name
    assert f'values=("main", "{VERSION}")' in benchpark
    assert f"\nversion: {VERSION}\n" in (CHECKOUT / "CITATION.cff").read_text()


def test_the_spack_package_has_the_project_s_licence() -> None:
    assert directives(SPACK, "license") == [(PROJECT["project"]["license"]["text"], {})]


def test_the_spack_package_needs_what_the_python_package_needs() -> None:
    wanted = set()
    for line in PROJECT["project"]["dependencies"]:
        name, _, lowest = line.partition(">=")
        wanted.add(f"py-{name}@{lowest}:" if lowest else f"py-{name}")
    backend, _, lowest = PROJECT["build-system"]["requires"][0].partition(">=")
    lowest_python = PROJECT["project"]["requires-python"].removeprefix(">=")

    dependencies = spack_dependencies()
    assert {name for name in dependencies if name.startswith("py-")} == wanted | {"py-pip", f"py-{backend}@{lowest}:"}
    assert dependencies[f"python@{lowest_python}:"]["type"] == ("build", "run")


def test_the_spack_package_needs_what_cmake_needs() -> None:
    texts = [
        CMAKE,
        *(path.read_text() for path in (CHECKOUT / "tracer" / "CMakeLists.txt", CHECKOUT / "engine/mpi/find.cmake")),
    ]
    wanted = {name for text in texts for name in re.findall(r"find_package\((\w+)[^)]*REQUIRED", text)} - {"Threads"}

    names = {name.partition("@")[0] for name in spack_dependencies()}
    assert {SPACK_NAMES[name] for name in wanted} | {"random123", "cmake"} <= names
    assert f"cmake@{found(r'VERSION ([0-9.]+)', CMAKE)}:" in spack_dependencies()
    assert f"boost@{found(r'Boost ([0-9.]+) REQUIRED', CMAKE)}:" in spack_dependencies()


def test_every_cmake_option_of_the_spack_package_exists() -> None:
    text = "".join(path.read_text() for path in (CHECKOUT / "engine").rglob("*.cmake")) + CMAKE
    options = set(re.findall(r'"(STRESSBENCH_\w+)"', SPACK.read_text()))

    assert options == {
        "STRESSBENCH_HDF5", "STRESSBENCH_PNETCDF", "STRESSBENCH_TRACER", "STRESSBENCH_SIMGRID",
    }  # fmt: skip
    for option in options:  # those of storage libraries are made of their names
        assert f"option({option} " in text or f"use_library({option.removeprefix('STRESSBENCH_')} " in text


def test_every_variant_is_explained_in_the_guide() -> None:
    page = (CHECKOUT / "docs" / "how-to" / "packages.md").read_text()
    variants = {name: options["default"] for name, options in directives(SPACK, "variant")}

    assert variants == {"hdf5": False, "pnetcdf": False, "simgrid": False, "tracer": True, "python": True}
    for name, default in variants.items():
        assert f"| `{name}` | {'on' if default else 'off'} |" in page


def test_easybuild_installs_what_the_python_package_needs() -> None:
    parameters = easyconfig(EASYBUILD)
    provided = {name.lower() for name, *_ in parameters["dependencies"]} | {
        name for name, *_ in parameters["exts_list"]
    }
    brought = {
        "numpy": "scipy-bundle", "scipy": "scipy-bundle", "pydantic-core": "pydantic",
        **dict.fromkeys(("jinja2", "markupsafe", "rich", "tomli-w"), "python-bundle-pypi"),
    }  # fmt: skip

    wanted = [re.split(r"[<>=]", line)[0] for line in PROJECT["project"]["dependencies"]]
    assert {name for name in wanted if brought.get(name, name) not in provided} == set()


CHECKS = {
    "StressBenchDemo": (8, "demo"), "StressBenchValidation": (16, "validation"), "StressBenchGpcnet": (14, "gpcnet"),
    "StressBenchStorage": (16, "storage"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_a_reframe_test_and_benchpark_run_the_same_workload_in_the_same_size(name: str) -> None:
    check = getattr(reframe_checks(), name)
    ranks, case = CHECKS[name]
    variables = [
        (words[0], options["default"])
        for words, options in ramble_application().declared["workload_variable"]
        if options["workloads"] == [case]
    ]
    settings = set(re.findall(r"--set (?!file=)(\S+)", dict(variables)["workload_settings"]))

    assert (check.num_tasks, Path(check.workload)) == (ranks, CHECKOUT / "workloads" / WORKLOAD_OF[case])
    assert Path(check.workload).is_file()
    assert benchpark_experiment().RANKS[case] == ranks
    assert dict(variables)["workload_file"].endswith(f"/workloads/{WORKLOAD_OF[case]}")
    assert settings == set(check.settings)
    assert f"--ranks-per-node {check.ranks_per_node} --place {check.placement}" in dict(variables)["workload_settings"]


def prepared(name: str, **variables: Any) -> Any:
    test = getattr(reframe_checks(), name)()
    test.job = type("Job", (), {"launcher": "mpirun"})()
    for variable, value in variables.items():
        setattr(test, variable, value)
    test.prepare_command()
    return test


def test_reframe_s_launcher_starts_the_engine() -> None:
    test = prepared("StressBenchDemo")

    assert (test.executable, test.job.launcher) == ("stressbench-mpi", "mpirun")
    assert test.executable_opts == [
        "run", str(CHECKOUT / "workloads" / "demo.sb"), "--isolated", "10", "--contended", "10",
        "--ranks-per-node", "1", "--place", "interleaved", "--output", "run.jsonl", "--quiet",
    ]  # fmt: skip


def test_on_a_launch_target_stressbench_starts_the_ranks() -> None:
    test = prepared("StressBenchGpcnet", on="lab:tinis", rate="1/5", settings=["repeat=20"])

    assert (test.executable, test.job.launcher) == ("stressbench", "launcher local")
    assert test.executable_opts[6:] == [
        "--set", "repeat=20", "--ranks-per-node", "1", "--place", "random:1", "--output", "run.jsonl",
        "--on", "lab:tinis", "-n", "14", "--rate", "1/5",
    ]  # fmt: skip


def test_figures_are_named_after_jobs(tmp_path: Path) -> None:
    test = reframe_checks().StressBenchCheck()
    test.stagedir = str(tmp_path)
    shutil.copy(SHOWN, tmp_path / "show.json")

    test.name_figures()

    timing = json.loads(SHOWN.read_text())["jobs"][0]["timing"]
    assert test.perf_variables["halo_impact"] == (timing["impact"]["ratio"], "x")
    assert test.perf_variables["halo_impact_low"] == (timing["impact"]["low"], "x")
    assert test.perf_variables["halo_isolated"] == (timing["isolated_s"]["median"], "s")
    assert not hasattr(test, "reference")


def timing(ratio: float | None, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"impact": {"ratio": ratio, "low": low, "high": high}, "isolated_s": None, "contended_s": None}


def within(value: float, reference: tuple[float, float | None, float | None, str]) -> bool:
    """Whether ReFrame accepts the value: https://reframe-hpc.readthedocs.io, `reference`."""
    target, lower, upper, _ = reference
    return (lower is None or value >= target * (1 + lower)) and (upper is None or value <= target * (1 + upper))


@pytest.mark.parametrize(
    ("low", "high", "accepted"), [(1.25, 1.9, True), (1.0, 1.25, True), (1.32, 1.9, False), (1.0, 1.18, False)]
)
def test_a_run_fails_if_its_interval_and_the_baseline_s_do_not_overlap(low: float, high: float, accepted: bool) -> None:
    references = reframe_checks().ranges({"solver": timing(1.25, 1.2, 1.3)})

    assert set(references) == {"solver_impact_low", "solver_impact_high"}
    within_both = within(low, references["solver_impact_low"]) and within(high, references["solver_impact_high"])
    assert within_both is accepted


def test_without_an_interval_the_impact_itself_is_compared() -> None:
    references = reframe_checks().ranges({"solver": timing(1.25), "idle": timing(None)})

    assert set(references) == {"solver_impact"}
    assert within(1.251, references["solver_impact"])
    assert not within(1.252, references["solver_impact"])


def test_a_named_baseline_comes_before_the_one_that_ships() -> None:
    test = reframe_checks().StressBenchDemo()
    test.on = "lab:nowhere"
    assert test.baseline_file() is None
    test.baseline = "/results/show.json"
    assert test.baseline_file() == Path("/results/show.json")


def test_reframe_lists_the_tests(tmp_path: Path) -> None:
    if shutil.which("reframe") is None:
        pytest.skip("NO REFRAME: `pip install reframe-hpc`, with its folder on PATH; the tests were not listed")
    listed = subprocess.run(
        ["reframe", "--prefix", str(tmp_path), "-c", str(PACKAGING / "reframe"), "--list"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip

    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert set(re.findall(r"^- (\w+)", listed.stdout, re.MULTILINE)) == {*CHECKS, "StressBenchCheck"}


def test_ramble_reads_each_figure_of_each_job(tmp_path: Path) -> None:
    application = ramble_application()
    shutil.copy(SHOWN, tmp_path / "show.json")
    instance = application()
    instance.expander = type("Expander", (), {"expand_var": staticmethod(lambda _: str(tmp_path))})()

    instance._prepare_analysis(None)

    lines = (tmp_path / "figures.txt").read_text().splitlines()
    (context,) = (options["regex"] for _, options in application.declared["figure_of_merit_context"])
    read = {}
    for words, options in application.declared["figure_of_merit"]:
        for line in lines:
            if match := re.match(options["fom_regex"], line):
                job = re.match(context, line)
                assert job
                read[job["job"], words[0]] = float(match["value"])
    first = json.loads(SHOWN.read_text())["jobs"][0]
    assert len(read) == len(lines)
    assert read["halo", "congestion impact"] == first["timing"]["impact"]["ratio"]
    assert read["halo", "contended time"] == first["timing"]["contended_s"]["median"]


def test_ramble_finds_nothing_without_a_run(tmp_path: Path) -> None:
    instance = ramble_application()()
    instance.expander = type("Expander", (), {"expand_var": staticmethod(lambda _: str(tmp_path))})()
    (tmp_path / "show.json").touch()

    instance._prepare_analysis(None)

    assert not (tmp_path / "figures.txt").exists()


def test_a_benchpark_experiment_names_ranks_and_package_but_no_system() -> None:
    names = benchpark_experiment()
    experiment = names.Stressbench(workload="gpcnet", version="main", rounds="6")

    experiment.compute_applications_section()
    experiment.compute_package_section()

    assert (experiment.variables["n_ranks"], experiment.variables["rounds"]) == (14, "6")
    assert {"n_resources", "process_problem_size", "total_problem_size"} <= set(experiment.variables)
    assert experiment.packages == {"stressbench": ["stressbench@main"]}
