"""What the motifs' pages say of options is what the motifs declare, and every motif has a page."""

import subprocess
import sys

import pytest


def check(engine, checkout, **environment):
    command = [sys.executable, checkout / "scripts" / "motif_pages.py", "--check", "--engine", engine.program]
    return subprocess.run(command, capture_output=True, text=True, check=False, **environment)


def test_pages_are_those_of_the_motifs(engine, checkout):
    done = check(engine, checkout)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("old", "new"), [("cells across the mesh", "cells"), ("<!-- options tealeaf -->", "")])
def test_a_page_out_of_date_is_found(engine, checkout, tmp_path, old, new):
    (tmp_path / "docs").mkdir()
    for folder in ("docs/motifs", "docs/images", "scripts"):
        subprocess.run(["cp", "-r", checkout / folder, tmp_path / folder], check=True)
    page = tmp_path / "docs" / "motifs" / "tealeaf.md"
    page.write_text(page.read_text().replace(old, new))
    done = check(engine, tmp_path)
    assert done.returncode == 1
    assert "docs/motifs/tealeaf.md is out of date" in done.stderr
