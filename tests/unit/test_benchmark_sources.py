"""Definitions of public programs, and how they are fetched and built (benchmarks/sources.py)."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def sources(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("sources")


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """A repository with one program, whose first commit prints 1 and whose second prints 2; the first commit."""
    folder = tmp_path / "mirror" / "lab+greeter"
    folder.mkdir(parents=True)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    commits = []
    subprocess.run([*git, "init", "--quiet"], check=True)
    for number in (1, 2):
        (folder / "program.sh").write_text(f"echo {number}\n")
        subprocess.run([*git, "add", "program.sh"], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", "x"], check=True)
        commits.append(subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout)
    subprocess.run([*git, "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)
    return folder.parent, commits[0].strip()


def definition(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_program_is_built_once_from_the_stated_commit(sources, repository, tmp_path):
    mirror, commit = repository
    programs = sources.Programs(cache=tmp_path / "cache", sources=mirror)
    source = sources.Source(
        name="Greeter", repository="https://example.invalid/lab/greeter", commit=commit,
        build="bash program.sh > said; command -v mpicc >> said; echo built >> ../builds",
    )  # fmt: skip

    assert not programs.is_built(source)
    folder = programs.built(source)

    assert programs.is_built(source)
    assert folder == programs.folder_of(source)
    assert (folder / "said").read_text().splitlines()[0] == "1"
    assert programs.built(source) == folder
    assert (folder.parent / "builds").read_text() == "built\n"


def test_another_way_to_build_is_another_checkout(sources, repository, tmp_path):
    mirror, commit = repository
    programs = sources.Programs(cache=tmp_path / "cache", sources=mirror)
    where = {"name": "Greeter", "repository": "https://example.invalid/lab/greeter", "commit": commit}

    assert programs.built(sources.Source(**where, build="true")) != programs.built(sources.Source(**where, build=":"))


def test_control_characters_of_a_build_log_do_not_reach_the_terminal(sources, repository, tmp_path):
    mirror, commit = repository
    programs = sources.Programs(cache=tmp_path / "cache", sources=mirror)
    source = sources.Source(
        name="Greeter", repository="https://example.invalid/lab/greeter", commit=commit,
        build="printf 'first\\n\\033]0;title\\007last\\n'; exit 1",
    )  # fmt: skip

    with pytest.raises(sources.SourceMistake, match=r"(?s)failed .*first\n") as failed:
        programs.built(source)

    assert str(failed.value).endswith("\\u001b]0;title\\u0007last")


def test_only_the_stated_paths_are_checked_out_even_if_the_rest_is_incomplete(sources, repository, tmp_path):
    mirror, commit = repository
    folder = mirror / "lab+greeter"
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    (folder / "huge.tar").write_text("many bytes\n")
    (folder / "part").mkdir()
    (folder / "part" / "a").write_text("a\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "x"], check=True)
    commit, blob = subprocess.run(
        [*git, "rev-parse", "HEAD", "HEAD:huge.tar"], check=True, capture_output=True, text=True
    ).stdout.split()
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    programs = sources.Programs(cache=tmp_path / "cache", sources=mirror)
    where = {"name": "Greeter", "repository": "https://example.invalid/lab/greeter", "commit": commit}

    found = programs.built(sources.Source(**where, paths=("part", "program*")))

    assert sorted(path.name for path in found.rglob("*") if ".git" not in path.parts) == ["a", "part", "program.sh"]
    with pytest.raises(sources.SourceMistake, match=r"Greeter: .*lab\+greeter lacks huge\.tar"):
        programs.built(sources.Source(**where))


def test_files_beside_the_definition_are_added_and_changing_one_builds_again(sources, tmp_path):
    programs = sources.Programs(cache=tmp_path / "cache", beside=tmp_path)
    source = sources.Source(name="A", added=("driver.c",), build="cp driver.c made")
    folders = []
    for text in ("one", "two"):
        (tmp_path / "driver.c").write_text(text)
        folders.append(programs.built(source))
    assert [(folder / "made").read_text() for folder in folders] == ["one", "two"]


def test_a_file_that_is_not_beside_the_definition_is_named(sources, tmp_path):
    programs = sources.Programs(cache=tmp_path / "cache", beside=tmp_path)
    with pytest.raises(sources.SourceMistake, match=r"A: .*driver\.c: No such file"):
        programs.built(sources.Source(name="A", added=("driver.c",)))


def test_a_failed_build_shows_its_last_lines_and_is_tried_again(sources, repository, tmp_path):
    mirror, commit = repository
    programs = sources.Programs(cache=tmp_path / "cache", sources=mirror)
    source = sources.Source(
        name="Greeter", repository="https://example.invalid/lab/greeter", commit=commit, build="seq 30; false; echo 31"
    )

    for _ in range(2):
        with pytest.raises(sources.SourceMistake) as raised:
            programs.built(source)
        assert "Greeter: build failed" in str(raised.value)
        assert str(raised.value).splitlines()[1:] == [str(line) for line in range(11, 31)]


def test_a_repository_that_is_not_there_is_named(sources, tmp_path):
    programs = sources.Programs(cache=tmp_path / "cache", sources=tmp_path)
    source = sources.Source(name="A", repository="https://example.invalid/lab/other.git", commit="0" * 40)
    with pytest.raises(sources.SourceMistake, match=r"has no repository lab/other, lab\+other or other"):
        programs.built(source)


def test_missing_packages_are_named(sources, tmp_path):
    source = sources.Source(name="A", packages=("no-such-package-of-debian",))
    with pytest.raises(sources.SourceMistake, match="A needs packages: apt-get install no-such-package-of-debian"):
        sources.Programs(cache=tmp_path).built(source)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "A"\ncommmit = "0"\n', "commmit: Unexpected keyword argument"),
        ('name = "A"\ncommit = "main"\n', "commit: String should match pattern"),
        ('packages = ["a"]\n', "name: Field required"),
        ('name = "A\n', "Illegal character"),
        ('name = "A"\npackages = "a"\n', "packages: Input should be a valid tuple"),
    ],
)
def test_an_invalid_definition_is_refused_with_file_and_key(sources, tmp_path, text, message):
    path = definition(tmp_path / "a.toml", text)
    with pytest.raises(sources.SourceMistake) as raised:
        sources.read_definition(path, sources.Source)
    assert str(raised.value).startswith(f"{path}: ")
    assert message in str(raised.value)
