"""What the runs of a study's directory measured."""

from collections.abc import Mapping

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.results import report_of
from stressbench.experiments.study.standing import standings
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.results.selections import selections_of
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData


def runs_of(directory: Directory) -> tuple[Mapping[str, Run], tuple[str, ...]]:
    """The completed runs, by id, and a sentence for each run file that cannot be read."""
    runs, complaints = {}, []
    for standing in standings(directory.study.runs, directory.read().records):
        if standing.state == "done" and standing.file is not None:
            try:
                runs[standing.run.id] = read_run(directory.path / standing.file)
            except RunFileError as fault:
                complaints.append(f"{fault}; the run is left out")
    return runs, tuple(complaints)


def results_of(directory: Directory) -> tuple[StudyReport, StudyData]:
    """The report on the directory's runs, and what a page shows beside it."""
    manifest = directory.read()
    runs, complaints = runs_of(directory)
    found = standings(directory.study.runs, manifest.records)
    chosen = selections_of(runs)
    report = report_of(directory.study, found, runs, chosen=chosen, notes=(*manifest.complaints, *complaints))
    file, text = directory.newest_file()
    return report, StudyData(
        runs=runs,
        name=file,
        text=text,
        seed=directory.study.seed,
        environment=directory.environment_text(),
        chosen=chosen,
    )
