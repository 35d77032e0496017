"""The pages judged by axe-core in a real browser: readable for those who do not see them, or not well."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest
from support.beff_protocols import made_beff
from support.browser import DARK, browse, fetched, needs_browser
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run, event
from support.degradations import found_in
from support.io_protocols import MadeIO, write_lines
from support.networks import run_on
from support.sensitivities import aggressor
from support.sensitivity_pages import CG, FFT, SEEN, phased, rings
from support.studies import STUDY, FakeLaunches, carry_out, made_run, study_in

from stressbench.experiments.study.results import results_of
from stressbench.experiments.study.running import LaunchResult
from stressbench.experiments.sweep.rates.study_results import AnalysisOptions
from stressbench.formats.protocols.beff import read_protocols
from stressbench.formats.protocols.beff_io import read_io_protocols
from stressbench.formats.run import read_run
from stressbench.interference.corun_prediction import predict_corun
from stressbench.interference.coruns import UnusableCoRun
from stressbench.interference.models import Model
from stressbench.interference.validation import validate_models
from stressbench.labs.networks import read_network
from stressbench.report.interference import FORMATS as PROFILES
from stressbench.report.interference import evaluation, predictions, profile_report
from stressbench.report.rates import FORMATS as RATES
from stressbench.report.renderers import render as rendered
from stressbench.report.run import FORMATS as RUNS
from stressbench.report.study import FORMATS as STUDIES
from stressbench.report.suites import beff, beff_io
from stressbench.results.rates import Node
from stressbench.suites.beff import b_eff_of
from stressbench.suites.beff_io import b_eff_io_of

AXE = "axe-core@4.14.1"
CACHE = Path(__file__).parents[2] / ".cache" / "axe"
JUDGE = """
document.querySelectorAll('details').forEach(one => one.open = true);
axe.run(document, {resultTypes: ['violations']}).then(found => {
  const result = document.createElement('pre');
  result.id = 'judged';
  result.textContent = JSON.stringify({
    passes: found.passes.map(rule => rule.id),
    violations: found.violations.map(rule => ({
      id: rule.id, impact: rule.impact, nodes: rule.nodes.slice(0, 3).map(node => node.html)
    }))
  });
  document.body.append(result);
});
"""
pytestmark = [pytest.mark.browser, needs_browser]
THEMES = pytest.mark.parametrize("theme", [pytest.param((), id="light"), pytest.param(DARK, id="dark")])
PAGES = pytest.mark.parametrize(
    "which",
    [
        *("run_page", "network_page", "study_page", "beff_page", "beff_io_page"),
        *("profiles_page", "corun_page", "judgement_page", "degradation_page"),
    ],
)
WIDTHS = pytest.mark.parametrize("width", [1100, 500])


@pytest.fixture(scope="module")
def axe() -> str:
    """The program's text, from npm's registry the first time."""
    found = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    if not found.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed, so there is no axe-core: nobody judged the pages' accessibility")
        words = [npm, "install", "--prefix", str(CACHE), "--no-save", "--no-audit", "--no-fund", AXE]
        CACHE.mkdir(parents=True, exist_ok=True)
        ended = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        if ended.returncode:
            pytest.skip(f"npm cannot get {AXE}, so nobody judged the pages' accessibility: {ended.stderr[-300:]}")
    return found.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Incomplete, with a warning, an error, metrics, bandwidths, and hosts enough to be folded away."""
    folder = tmp_path_factory.mktemp("run")
    step = MadeStep(bandwidth_bytes=1000, bandwidth_definition="bytes sent", metrics=(("open_time_s", 0.1),))
    jobs = (
        MadeJob(name="TeaLeaf_CG", congestion=1.4, nodes="0-3", steps=(step,)),
        MadeJob(name="\u05d0\u05d1\u05d2", nodes="4-7"),
        MadeJob(name="noise", role="background", nodes="8"),
    )
    machine = MadeMachine(hosts=tuple(f"a{number}" for number in range(20)))
    run = build_run(jobs=jobs, machine=machine, plan=MadePlan(blocks=8), complete=False)
    run.records.insert(1, event(message="the clock is coarse"))
    run.records.insert(1, event(message="a rank was lost", severity="error"))
    read = read_run(run.write(folder))
    return RUNS["html"]([read, read])


@pytest.fixture(scope="module")
def network_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A dragonfly whose links are counted."""
    folder = tmp_path_factory.mktemp("network")
    jobs = (MadeJob(name="cg", congestion=1.4, nodes="0-14:2"), MadeJob(name="fft", nodes="1-15:2"))
    return RUNS["html"](
        [read_run(run_on(read_network("isambard"), jobs, {("g0r0", "g0r1"): (0.4, 0.4)}).write(folder))]
    )


@pytest.fixture(scope="module")
def study_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All pairs of two jobs, with one run that failed."""
    folder = tmp_path_factory.mktemp("study")
    for pair in ("a+b", "a+a"):
        (folder / f"{pair}.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] allreduce\n")
    head = STUDY[: STUDY.index("[factors]")]
    text = f'{head}matrix = ["CG", "Incast"]\n' + STUDY[STUDY.index("[factors]") :]
    directory = study_in(folder, text)
    failing = {number: LaunchResult(status=3, reason="rank 1 was ended by SIGKILL") for number in (0, 12)}
    carry_out(directory, FakeLaunches(results=failing, text=made_run(blocks=8)))
    return STUDIES["html"](*results_of(directory))


@pytest.fixture(scope="module")
def beff_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Everything measured."""
    found = b_eff_of(read_protocols(made_beff(tmp_path_factory.mktemp("beff")))[-1])
    assert found is not None
    return rendered("html", beff.page(found))


@pytest.fixture(scope="module")
def beff_io_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two partitions, cut short in the second, with warnings."""
    folder = tmp_path_factory.mktemp("beff-io")
    records = MadeIO(head={"partitions": [2, 4], "scheduled_s": 60}).records()[:-30]
    return rendered("html", beff_io.page(b_eff_io_of(read_io_protocols(write_lines(folder / "io.jsonl", records))[-1])))


@pytest.fixture(scope="module")
def profiles_page() -> str:
    """A chapter each: compressions of several kinds with a caution, phases and links, nothing but the idle machine."""
    cautions = ("probes woke up late",)
    return PROFILES["html"](
        [profile_report(rings(), cautions=cautions), profile_report(phased()), profile_report(aggressor(0.3))]
    )


@pytest.fixture(scope="module")
def corun_page() -> str:
    """Every model, some of which cannot tell."""
    return rendered("html", predictions.page(predict_corun([CG, FFT], tuple(Model))))


@pytest.fixture(scope="module")
def judgement_page() -> str:
    """Every model, with a co-run that is left out."""
    left = UnusableCoRun(victim="milc", aggressors=("cg",), source="f", reason="no profile of milc")
    return rendered("html", evaluation.page(validate_models([CG, FFT], (*SEEN, left))))


@pytest.fixture(scope="module")
def degradation_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three jobs at four rates on two numbers of ranks, with the balance of a node."""
    options = AnalysisOptions(node=Node(gflops=115.2, injection_gb_per_s=1.74))
    found = found_in(tmp_path_factory.mktemp("degradation"), options=options, machine=MadeMachine())
    return RATES["html"](found)


def judged(page: str, axe: str, folder: Path, *flags: str) -> dict[str, list[dict[str, str]]]:
    """What axe finds in the page; its own policy forbids scripts, so that the copy that is judged has none."""
    path = folder / "judged.html"
    program = f"<script>{axe}{JUDGE}</script>".replace("</script>", "<\\/script>", axe.count("</script>"))
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page)
    path.write_text(text.replace("</body>", f"{program}</body>"), encoding="utf-8")
    document = browse(path, folder, *flags, "--virtual-time-budget=60000", "--dump-dom").stdout
    reported = re.search(r'<pre id="judged">(.*?)</pre>', document, re.DOTALL)
    assert reported is not None, "axe did not finish"
    found: dict[str, list[dict[str, str]]] = json.loads(unescape(reported[1]))
    return found


def bad(found: dict[str, list[dict[str, str]]]) -> list[dict[str, str]]:
    return [one for one in found["violations"] if one["impact"] in ("serious", "critical")]


@THEMES
@WIDTHS
@PAGES
def test_axe_finds_nothing_serious(
    which: str, width: int, theme: Sequence[str], axe: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    found = judged(request.getfixturevalue(which), axe, tmp_path, *theme, f"--window-size={width},900")

    assert bad(found) == []
    assert {"color-contrast", "svg-img-alt"} <= set(map(str, found["passes"]))


def test_a_serious_fault_would_be_noticed(run_page: str, axe: str, tmp_path: Path) -> None:
    corrupted = run_page.replace("<main>", '<main><img src="data:,"><p style="color:#ccc;background:#fff">faint</p>')

    assert {one["id"] for one in bad(judged(corrupted, axe, tmp_path))} == {"image-alt", "color-contrast"}


@THEMES
@PAGES
def test_a_page_fetches_nothing_and_complains_about_nothing(
    which: str, theme: Sequence[str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path, log = tmp_path / "page.html", tmp_path / "net.json"
    path.write_text(request.getfixturevalue(which), encoding="utf-8")

    errors = browse(path, tmp_path, *theme, "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom").stderr

    assert fetched(log) == []
    assert "CONSOLE" not in errors


def test_what_is_folded_away_is_printed(run_page: str, tmp_path: Path) -> None:
    """Nobody can click on paper: twenty hosts twice are longer than the page with their lists left out."""
    lengths = []
    for name, text in (
        ("whole", run_page),
        ("cut", re.sub(r"<details><summary>.*?</details>", "", run_page, flags=re.S)),
    ):
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        browse(path, tmp_path, f"--print-to-pdf={tmp_path / f'{name}.pdf'}", "--no-pdf-header-footer")
        lengths.append((tmp_path / f"{name}.pdf").stat().st_size)

    assert lengths[0] > 1.02 * lengths[1]
