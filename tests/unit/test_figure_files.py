"""`--figures DIR`: the figures of a page as SVG, PNG and PDF, with their data and an index."""

import csv
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread
from support.builders import MadeJob, MadeMachine, MadePlan, build_run
from support.commands import CommandResult, invoke
from support.golden import KEPT
from support.schemas import schema_faults

import stressbench
from stressbench.formats.files import recorded_reads
from stressbench.formats.run import read_run
from stressbench.report import drawing, figure_files
from stressbench.report.document import DataFile, Document, Figure, Heading, Section
from stressbench.report.figure_files import figures_of_page, write_figures
from stressbench.report.palette import TONES
from stressbench.report.run import page

KINDS = ("svg", "png", "pdf")
NASTY = "$x^2$ <b>& \\frac{1}"
JOBS = (MadeJob(name="CG_1", congestion=1.5), MadeJob(name=NASTY, nodes="1"))
PAGES = {
    "report": ("report", "run.jsonl", "--format", "json"),
    "study": ("study", "report", "study"),
    "degrade": ("degrade", "report", "degrade"),
    "rails": ("rails", "report", "rails", "--profile", "profile.json"),
    "sensitivity": ("sensitivity", "cg.json", "fft.json"),
    "predict": ("predict", "cg.json", "fft.json", "--all-models"),
    "corun": ("corun", "report", str(Path(__file__).parents[1] / "corpus" / "corun")),
    "beff": ("beff", "--from", "beff.jsonl"),
    "beff-io": ("beff-io", "--from", "beff-io.jsonl"),
    "evaluate": ("predict", "evaluate", "cg.json", "fft.json", "--observed", "co-runs.jsonl"),
}
SVG = "{http://www.w3.org/2000/svg}"


def call(*arguments: object) -> CommandResult:
    return invoke([*map(str, arguments)])


def write_run(folder: Path) -> Path:
    machine = MadeMachine(counts_links=True)
    return build_run(jobs=JOBS, plan=MadePlan(blocks=4, repetitions=3), machine=machine).write(folder)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of figures that `report` has written, beside run.jsonl; tests only read it."""
    run = write_run(tmp_path_factory.mktemp("exported"))
    folder = run.parent / "figures"
    ended = call("report", run, "--format", "json", "--figures", folder)
    assert ended.exit_code == 0, ended.output
    return folder


@pytest.fixture
def one_figure() -> Document:
    """A page with one figure."""
    with drawing.style():
        fig = drawing.canvas(height_in=1)
        fig.subplots().plot([1, 2])
        figure = drawing.finish(fig, key="s-line", title="A line", caption="c", description="d")
    return Document(title="T", sections=(Section(key="s", blocks=(figure,)),))


def index_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    return found


def files_in(index: dict[str, Any]) -> set[str]:
    """The index, and all files that it lists."""
    data = {one["data"]["file"] for one in index["figures"] if one["data"] is not None}
    return {"figures.json", *data, *(name for one in index["figures"] for name in one["files"].values())}


def test_each_figure_of_the_page_is_three_files_and_its_data(exported: Path) -> None:
    index = index_of(exported)

    drawn = figures_of_page(page([read_run(exported.parent / "run.jsonl")]))
    assert [(one["name"], one["title"]) for one in index["figures"]] == [(one.name, one.figure.title) for one in drawn]
    assert {"impacts", "boxes", "distribution", "placement", "timeline"} <= {one["name"] for one in index["figures"]}
    for one in index["figures"]:
        assert one["files"] == {kind: f"{one['name']}.{kind}" for kind in KINDS}
        rows = list(csv.DictReader((exported / f"{one['name']}.csv").open(newline="", encoding="utf-8")))
        assert len(rows) == one["data"]["rows"] > 0
        assert [column["name"] for column in one["data"]["columns"]] == list(rows[0])
    assert {path.name for path in exported.iterdir()} == files_in(index)


def test_the_index_names_captions_units_and_the_source_with_its_checksum(exported: Path) -> None:
    index, run = index_of(exported), exported.parent / "run.jsonl"

    assert schema_faults("figures", index) == []
    assert index["sources"] == [{"path": str(run), "sha256": hashlib.sha256(run.read_bytes()).hexdigest()}]
    boxes = next(one for one in index["figures"] if one["name"] == "boxes")
    assert boxes["source"] == str(run)
    assert boxes["caption"].startswith("One panel per job")
    units = {column["name"]: column["unit"] for column in boxes["data"]["columns"]}
    assert (units["median_s"], units["n"], units["job"]) == ("s", None, None)


def test_pictures_are_dark_on_white_and_the_colour_of_a_job_is_its_own(exported: Path) -> None:
    for one in index_of(exported)["figures"]:
        picture = imread(exported / one["files"]["png"])
        wanted = (200 * one["height_in"], 200 * one["width_in"])
        assert np.allclose(picture.shape[:2], wanted, atol=1)
        assert np.all(picture[..., 3] == 1)
        assert np.allclose(picture[0, 0, :3], 1, atol=0.01)
        assert 0.5 < picture[..., :3].mean() < 1
    impacts = (255 * imread(exported / "impacts.png")[..., :3]).round().astype(int)
    blue = np.abs(impacts - [0x00, 0x72, 0xB2]).max(axis=2) <= 1
    assert blue.sum() > 50


def test_drawings_stand_alone_with_text_and_without_variables(exported: Path) -> None:
    for path in exported.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert "var(" not in text
        assert ElementTree.fromstring(text).find(f".//{SVG}text") is not None
    assert NASTY[:5] in "".join(ElementTree.parse(exported / "impacts.svg").getroot().itertext())


def test_drawings_have_values_as_titles_and_no_links(exported: Path) -> None:
    for path in exported.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert '<g class="value"><title>' in text
        assert "<a " not in text


def test_documents_embed_fonts_that_publishers_accept_and_no_date(exported: Path) -> None:
    for path in exported.glob("*.pdf"):
        content = path.read_bytes()
        assert content.startswith(b"%PDF-")
        assert b"/FontFile2" in content
        assert b"/Type3" not in content
        assert b"CreationDate" not in content


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_figure_gives_the_same_bytes(one_figure: Document, kind: str) -> None:
    (block,) = one_figure.sections[0].blocks
    assert isinstance(block, Figure)

    assert drawing.image(block, kind) == drawing.image(block, kind)


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take most of the time; the SVG is that of the page."""
    monkeypatch.setattr(
        drawing, "image", lambda figure, kind: (figure.svg if kind == "svg" else f"{figure.key} {kind}").encode()
    )


@pytest.mark.usefixtures("without_pictures")
def test_of_several_runs_each_figure_names_its_own(run: Path, tmp_path: Path) -> None:
    other = shutil.copy(run, tmp_path / "other.jsonl")

    ended = call("report", run, other, "--format", "json", "--figures", tmp_path / "figures")

    assert ended.exit_code == 0, ended.output
    sources = {one["name"]: one["source"] for one in index_of(tmp_path / "figures")["figures"]}
    assert sources["overview-impacts"] is None
    assert (sources["run1-impacts"], sources["run2-impacts"]) == (str(run), str(other))
    data = [(tmp_path / "figures" / f"run{number}-impacts.csv").read_bytes() for number in (1, 2)]
    assert data[0] == data[1]


@pytest.mark.usefixtures("without_pictures")
def test_results_in_python_write_the_same_files(exported: Path, tmp_path: Path) -> None:
    files = stressbench.read_run(exported.parent / "run.jsonl").figures(tmp_path / "python")

    assert {one.name for one in files} == {one.name for one in exported.iterdir()}
    assert files[-1].read_bytes() == (exported / "figures.json").read_bytes()
    with pytest.raises(stressbench.StressBenchError, match="has files"):
        stressbench.read_run(exported.parent / "run.jsonl").figures(tmp_path / "python")


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("name", PAGES)
def test_each_report_with_a_page_writes_its_figures_with_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(shutil.copytree(KEPT, tmp_path / "kept"))

    ended = call(*PAGES[name], "--figures", "figures")

    assert ended.exit_code in (0, 1), ended.output
    index = index_of(Path("figures"))
    assert {path.name for path in Path("figures").iterdir()} == files_in(index)
    assert [one["name"] for one in index["figures"] if one["data"] is None] == []
    svgs = {one["name"]: (Path("figures") / one["files"]["svg"]).read_text() for one in index["figures"]}
    assert [name for name, svg in svgs.items() if '<g class="value"><title>' not in svg] == []
    assert index["figures"] and index["sources"]
    for source in index["sources"]:
        assert hashlib.sha256(Path(source["path"]).read_bytes()).hexdigest() == source["sha256"]


@pytest.mark.usefixtures("without_pictures")
def test_a_profile_writes_its_figures_with_data(tmp_path: Path) -> None:
    stressbench.read(KEPT / "profile.json").figures(tmp_path / "figures")

    index = index_of(tmp_path / "figures")
    assert {"matrix", "sizes", "balance"} <= {one["name"] for one in index["figures"]}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == files_in(index)
    assert all(one["data"]["rows"] > 0 for one in index["figures"])
    assert [source["path"] for source in index["sources"]] == [str(KEPT / "profile.json")]


def test_a_trace_of_profile_has_no_figures(tmp_path: Path) -> None:
    ended = call("profile", "--figures", tmp_path / "figures", "-o", tmp_path / "a.trace", "--", "mpirun", "./app")

    assert ended.exit_code == 2
    assert "a.trace is a trace, which is not evaluated; name an .html or .json file" in ended.stderr


def test_a_directory_in_use_is_refused_before_anything_is_written(run: Path, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine.txt").touch()

    ended = call("report", run, "--figures", tmp_path / "used")

    assert ended.exit_code == 2
    assert ended.stderr.count("\n") == 1
    assert f"--figures: {tmp_path / 'used'} has files; name a new directory, or add --force" in ended.stderr
    assert not run.with_suffix(".html").exists()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("x"), "is not a directory; name a new one"),
        (lambda path: path.symlink_to(path.parent), "is a symbolic link; name the directory itself"),
    ],
)
def test_other_files_are_no_directory(run: Path, tmp_path: Path, make: Callable[[Path], Any], message: str) -> None:
    make(tmp_path / "other")

    ended = call("report", run, "--figures", tmp_path / "other", "--force")

    assert ended.exit_code == 2
    assert message in ended.stderr


def test_force_without_figures_is_a_mistake(run: Path) -> None:
    ended = call("report", run, "--force")

    assert ended.exit_code == 2
    assert "--force: expected --figures DIR" in ended.stderr


def test_force_replaces_figures_removes_older_ones_and_keeps_other_files(one_figure: Document, tmp_path: Path) -> None:
    folder, outside = tmp_path / "figures", tmp_path / "outside"
    write_figures(one_figure, folder, sources=())
    index = index_of(folder)
    index["figures"][0]["files"] = {"png": "older.png", "pdf": "../outside"}
    (folder / "figures.json").write_text(json.dumps(index), encoding="utf-8")
    for path in (folder / "older.png", folder / "mine.txt", folder / "line.png", outside):
        path.write_text("old", encoding="utf-8")

    write_figures(one_figure, folder, sources=(), replace=True)

    assert {path.name for path in folder.iterdir()} == {"mine.txt", "line.svg", "line.png", "line.pdf", "figures.json"}
    assert (folder / "line.png").read_bytes().startswith(b"\x89PNG")
    assert index_of(folder)["figures"][0]["files"]["png"] == "line.png"
    assert outside.exists()


def test_an_empty_directory_is_filled_and_those_above_are_made(one_figure: Document, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    write_figures(one_figure, tmp_path / "empty", sources=())
    write_figures(one_figure, tmp_path / "a" / "b", sources=())

    assert len(list((tmp_path / "empty").iterdir())) == len(list((tmp_path / "a" / "b").iterdir())) == 4


def test_what_fails_halfway_leaves_nothing(
    one_figure: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []

    def fails(path: Path, content: str | bytes) -> None:
        written.append(path)
        path.touch()
        if len(written) == 3:
            raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(figure_files, "write_output", fails)

    with pytest.raises(OSError, match="No space left") as caught:
        write_figures(one_figure, tmp_path / "figures", sources=())
    assert caught.value.filename == str(tmp_path / "figures")
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_is_gone_is_named(one_figure: Document, run: Path, tmp_path: Path) -> None:
    run.unlink()

    with pytest.raises(OSError, match="No such file") as caught:
        write_figures(one_figure, tmp_path / "figures", sources=(run,))
    assert caught.value.filename == str(run)


def test_data_belong_to_the_figures_above_them_or_to_the_next_ones() -> None:
    def figure(key: str) -> Figure:
        return Figure(key=key, title=key, caption="", description="", svg="")

    def data(name: str) -> DataFile:
        return DataFile(name=name, head=("a",), rows=())

    blocks = (
        figure("s-a"), Heading(text="h"), data("above"), figure("s-b"), Heading(text="h"), figure("s-c"),
        figure("s-d"), data("below"), figure("s-e"), data("own"),
    )  # fmt: skip

    found = figures_of_page(Document(title="T", sections=(Section(key="s", blocks=blocks),)))

    assert [(one.name, one.data.name if one.data else None) for one in found] == [
        ("a", None), ("b", "above"), ("c", "below"), ("d", "below"), ("e", "own"),
    ]  # fmt: skip


def test_placeholders_look_like_the_light_theme_and_are_no_colour_of_it() -> None:
    lights = {tone.light for tone in TONES}

    assert len({tone.placeholder for tone in TONES}) == len(TONES)
    for tone in TONES:
        assert tone.placeholder not in lights
        assert abs(int(tone.placeholder[1:], 16) - int(tone.light[1:], 16)) == 1


def test_reads_are_recorded_within_the_context_only(run: Path) -> None:
    with recorded_reads() as reads:
        read_run(run)
    read_run(Path(shutil.copy(run, run.with_name("later.jsonl"))))

    assert list(reads) == [run]
