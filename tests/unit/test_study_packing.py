"""A pack holds what the study's workloads read, as it lay."""

import gzip
import io
import json
import os
import tarfile
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

import pytest

from stressbench.experiments.study.directory import Directory, create_or_extend, open_directory
from stressbench.experiments.study.packing import Verdict, pack, verify
from stressbench.experiments.study.unpacking import read_archive
from stressbench.formats.files import limits
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import parse_study

STUDY = '[factors]\nworkload = ["../a/same.sb", "../b/same.sb"]\nranks = 2\n'
WORKLOAD = "[INCLUDE] parts/{}.sb\n[JOB_NAME] one\n[NODES] 1\n[MOTIF] allreduce\n"


def packed(folder: Path) -> set[str]:
    """Names in the pack of a study of two workloads of one name, each with an include of its own."""
    for name in ("a", "b"):
        (folder / name / "parts").mkdir(parents=True)
        (folder / name / "same.sb").write_text(WORKLOAD.format(name))
        (folder / name / "parts" / f"{name}.sb").write_text("[SET] x=1\n")
    (folder / "studies").mkdir()
    study = parse_study(STUDY, source="study.toml")
    directory = create_or_extend(folder / "done", study=study, text=STUDY, folder=folder / "studies")
    pack(directory, folder / "p.tar.gz")
    with tarfile.open(folder / "p.tar.gz") as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_workloads_of_one_name_and_their_includes_are_all_there(tmp_path: Path) -> None:
    names = packed(tmp_path)

    wanted = {"a/same.sb", "b/same.sb", "a/parts/a.sb", "b/parts/b.sb"}
    assert {name.removeprefix("workloads/") for name in names if name.startswith("workloads/")} == wanted
    assert not verify(tmp_path / "p.tar.gz").complaints


def test_a_workload_that_is_gone_is_left_out(tmp_path: Path) -> None:
    packed(tmp_path)
    (tmp_path / "p.tar.gz").unlink()
    (tmp_path / "a" / "same.sb").unlink()
    directory = create_or_extend(
        tmp_path / "done", study=parse_study(STUDY, source="study.toml"), text=STUDY, folder=tmp_path / "studies"
    )

    pack(directory, tmp_path / "p.tar.gz")

    assert not verify(tmp_path / "p.tar.gz").complaints


def study_with(folder: Path) -> Directory:
    """That study, taken up."""
    packed(folder)
    (folder / "p.tar.gz").unlink()
    return open_directory(folder / "done")


def test_a_workload_that_has_changed_is_left_out_and_named(tmp_path: Path) -> None:
    directory = study_with(tmp_path)
    (tmp_path / "a" / "same.sb").write_text("other")

    found = pack(directory, tmp_path / "p.tar.gz")

    assert found.left_out == (
        f"{tmp_path}/a/same.sb has changed since the study began; it is left out",
    )  # fmt: skip
    assert not verify(tmp_path / "p.tar.gz").complaints


def test_a_study_of_somebody_else_cannot_have_any_file_packed_as_its_workload(tmp_path: Path) -> None:
    directory = study_with(tmp_path)
    (tmp_path / "secret").write_text("secret")
    origin = json.loads((tmp_path / "done" / "study-1.json").read_text())
    origin["includes"]["../secret"] = "0" * 64
    (tmp_path / "done" / "study-1.json").write_text(json.dumps(origin))

    pack(directory, tmp_path / "p.tar.gz")

    with tarfile.open(tmp_path / "p.tar.gz") as archive:
        assert not [name for name in archive.getnames() if name.endswith("secret")]


@pytest.mark.parametrize("place", ["runs/leak.jsonl", "leak", "workloads"])
def test_a_link_in_a_study_is_refused_and_nothing_is_packed(tmp_path: Path, place: str) -> None:
    directory = study_with(tmp_path)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "shadow").write_text("root:x")
    (tmp_path / "done" / place).symlink_to(tmp_path / "secret" / ("" if place == "workloads" else "shadow"))

    with pytest.raises(StudyMistake) as refused:
        pack(directory, tmp_path / "p.tar.gz")

    assert str(refused.value) == (
        f"{tmp_path}/done/{place} is a symbolic link, which may lead to any file: put the file itself there"
    )
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".gz", ".new")]


def test_files_are_packed_without_being_held_in_memory(tmp_path: Path) -> None:
    directory = study_with(tmp_path)
    for number in range(4):
        with (directory.path / "runs" / f"{number}.jsonl").open("wb") as file:
            file.truncate(16 << 20)
    tracemalloc.start()

    try:
        found = pack(directory, tmp_path / "p.tar.gz")
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most_bytes < 16 << 20
    assert verify(tmp_path / "p.tar.gz") == Verdict(intact=found.files, complaints=())


@pytest.mark.parametrize("length", [0, 1 << 20])
def test_a_file_that_changes_while_it_is_packed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    directory = study_with(tmp_path)
    add = tarfile.TarFile.addfile

    def added(archive: tarfile.TarFile, entry: tarfile.TarInfo, content: IO[bytes] | None = None) -> None:
        if entry.name.endswith("/manifest.jsonl"):
            os.truncate(directory.manifest, length)
        add(archive, entry, content)

    monkeypatch.setattr(tarfile.TarFile, "addfile", added)

    with pytest.raises(StudyMistake) as refused:
        pack(directory, tmp_path / "p.tar.gz")

    assert str(refused.value) == (
        f"{directory.manifest} changed while it was packed; pack the study again when nothing writes to it"
    )
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".gz", ".new")]


@pytest.mark.parametrize("ending", [".tar.gz", ".tar.zst"])
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_packed(tmp_path: Path, ending: str) -> None:
    directory = study_with(tmp_path)
    with (directory.path / "runs" / "large.jsonl").open("wb") as file:
        file.truncate(limits.RUN + 1)

    with pytest.raises(StudyMistake) as refused:
        pack(directory, tmp_path / f"p{ending}")

    assert str(refused.value) == f"{directory.path}/runs/large.jsonl: is larger than 4 GiB, the most that is read"
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".gz", ".zst", ".new")]


Change = Callable[[tarfile.TarFile], None]


def member(name: str, content: bytes = b"x", **settings: object) -> Change:
    def add(archive: tarfile.TarFile) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        for key, value in settings.items():
            setattr(entry, key, value)
        archive.addfile(entry, io.BytesIO(content))

    return add


def changed(folder: Path, *changes: Change) -> tuple[str, ...]:
    """What verify says of a pack to which these entries were added."""
    pack(study_with(folder), folder / "p.tar.gz")
    with tarfile.open(folder / "p.tar.gz") as old, tarfile.open(folder / "q.tar.gz", "w:gz") as new:
        for entry in old:
            new.addfile(entry, old.extractfile(entry))
        for change in changes:
            change(new)
    return tuple(one.removeprefix(f"{folder}/q.tar.gz: ") for one in verify(folder / "q.tar.gz").complaints)


def test_a_pack_that_was_packed_anew_with_its_folders_is_as_it_was(tmp_path: Path) -> None:
    pack(study_with(tmp_path), tmp_path / "p.tar.gz")
    with tarfile.open(tmp_path / "p.tar.gz") as old:
        old.extractall(tmp_path / "there", filter="data")
    with tarfile.open(tmp_path / "q.tar.gz", "w:gz") as new:
        new.add(tmp_path / "there" / "p", arcname="p")

    assert not verify(tmp_path / "q.tar.gz").complaints


def test_nothing_was_added_means_nothing_to_say(tmp_path: Path) -> None:
    assert changed(tmp_path) == ()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (member("q/manifest.jsonl"), "q/manifest.jsonl does not lie in the folder p"),
        (member("manifest.jsonl"), "manifest.jsonl does not lie in the folder p"),
        (member("/etc/cron.d/x"), "/etc/cron.d/x does not lie in the folder p"),
        (member("p/../../x"), "p/../../x points outside its directory, or has a name that is not normalised"),
        (member("p/./x"), "p/./x points outside its directory, or has a name that is not normalised"),
        (member("p/manifest.jsonl"), "p/manifest.jsonl occurs twice"),
        (member("p/new"), "new was not packed"),
        (
            member("p/l", b"", type=tarfile.SYMTYPE, linkname="/etc/shadow"),
            "p/l is not a regular file",
        ),
        (
            member("p/l", b"", type=tarfile.LNKTYPE, linkname="p/manifest.jsonl"),
            "p/l is not a regular file",
        ),
        (
            member("p/s", pax_headers={"GNU.sparse.size": str(1 << 50), "GNU.sparse.map": "0,1"}),
            "p/s is a sparse file, which a pack has none of",
        ),
        (member("p/f", b"", type=tarfile.FIFOTYPE), "p/f is not a regular file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_added_to_a_pack_is_named(tmp_path: Path, change: Change, complaint: str) -> None:
    assert changed(tmp_path, change) == (complaint,)


def test_a_second_archive_behind_the_end_is_named(tmp_path: Path) -> None:
    pack(study_with(tmp_path), tmp_path / "p.tar.gz")
    more = io.BytesIO()
    with tarfile.open(fileobj=more, mode="w") as archive:
        member("p/manifest.jsonl")(archive)
    with gzip.open(tmp_path / "p.tar.gz", "ab") as file:
        file.write(more.getvalue())

    assert verify(tmp_path / "p.tar.gz").complaints == (
        f"{tmp_path}/p.tar.gz: there is data after the end of the archive",
    )  # fmt: skip


def archive_of(path: Path, names: Iterable[str]) -> Path:
    """An archive of empty files."""
    with tarfile.open(path, "w:gz", compresslevel=1, format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    return path


def test_the_names_of_an_archive_are_limited_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ARCHIVE_NAMES", limits.MIB)
    path = archive_of(tmp_path / "p.tar.gz", (f"p/{number:03990}" for number in range(300)))

    with pytest.raises(StudyMistake) as refused:
        verify(path)

    assert str(refused.value) == f"{path}: its names have more than 1 MiB in all, the most that is read"


def test_headers_of_an_archive_are_not_kept(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "p.tar.gz", ("p/x" for _ in range(8000)))
    tracemalloc.start()

    try:
        contents = read_archive(path, text_of="SHA256SUMS")
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(contents.complaints.sentences()) == 1001
    assert contents.complaints.sentences()[-1] == f"{path}: 6,999 more complaints are left out"
    assert most_bytes < 3 << 20


def test_an_archive_of_a_few_megabytes_does_not_unpack_to_gigabytes(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "p.tar.gz", "wb", compresslevel=1) as file:
        entry = tarfile.TarInfo("p/runs/r.jsonl")
        entry.size = 5 << 30
        file.write(entry.tobuf())
        for _ in range((limits.ARCHIVE_UNPACKED >> 20) + 2):
            file.write(bytes(1 << 20))

    with pytest.raises(StudyMistake) as refused:
        verify(tmp_path / "p.tar.gz")

    assert str(refused.value).endswith("unpacks to more than 1 GiB, the most that is read)")


def test_links_and_what_was_added_to_an_unpacked_pack_are_named(tmp_path: Path) -> None:
    pack(study_with(tmp_path), tmp_path / "p.tar.gz")
    with tarfile.open(tmp_path / "p.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    assert not verify(tmp_path / "p").complaints
    (tmp_path / "p" / "link").symlink_to("manifest.jsonl")
    (tmp_path / "p" / "linked").symlink_to("runs")

    assert verify(tmp_path / "p").complaints == (
        f"{tmp_path}/p/link: is a symbolic link", f"{tmp_path}/p/linked: is a symbolic link",
    )  # fmt: skip


def test_sums_that_name_a_file_twice_are_named(tmp_path: Path) -> None:
    pack(study_with(tmp_path), tmp_path / "p.tar.gz")
    with tarfile.open(tmp_path / "p.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    sums = tmp_path / "p" / "SHA256SUMS"
    sums.write_text(sums.read_text() + "0" * 64 + "  manifest.jsonl\n")

    (complaint,) = verify(tmp_path / "p").complaints
    assert complaint.endswith(": manifest.jsonl occurs twice")


def test_sums_of_millions_of_lines_are_refused(tmp_path: Path) -> None:
    sums = study_with(tmp_path).path / "SHA256SUMS"
    sums.write_text("wrong\n" * (limits.ARCHIVE_FILES + 1))

    with pytest.raises(StudyMistake, match=r"SHA256SUMS has more than 200,000 lines"):
        verify(sums.parent)
