"""`python -m stressbench.packets`: simulates a run. `stressbench run --on ns3:LAB` starts it as it starts an engine."""

import signal
import sys
import tempfile
from pathlib import Path

from stressbench.errors import MachineFault, StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.formats.run.records import EndReason
from stressbench.packets.jobs import scheduled_jobs
from stressbench.packets.options import RunOptions, run_options
from stressbench.packets.rounds import planned_rounds, simulate, simulator_version
from stressbench.packets.run_file import RunFileWriter, new_run_file
from stressbench.scratch_names import scratch_prefix

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
"""SIGUSR1: by which `stressbench run` asks an engine to end its file (launch/stopping.py)."""


def main() -> int:
    """Run the simulation and return its exit status."""
    options = run_options(sys.argv[1:])
    for number in _STOP_SIGNALS:
        signal.signal(number, _interrupt)
    try:
        with tempfile.TemporaryDirectory(prefix=scratch_prefix("ns3")) as folder:
            return _run(options, Path(folder))
    except KeyboardInterrupt:
        return ExitStatus.interrupted
    except StressBenchError as fault:
        for line in fault.args:
            print(f"stressbench: {line}", file=sys.stderr)
        return fault.exit_status
    except OSError as fault:
        print(f"stressbench: {fault.filename}: {fault.strerror}", file=sys.stderr)
        return ExitStatus.fault


def _run(options: RunOptions, folder: Path) -> int:
    jobs = scheduled_jobs(options, folder)
    simulator = simulator_version(options.simulator)
    with new_run_file(options.output) as file:
        writer = RunFileWriter(file, options, jobs, simulator)
        writer.header()
        try:
            for planned in planned_rounds(options, jobs):
                taking_part = jobs if planned.job is None else (planned.job,)
                try:
                    writer.round(planned, taking_part, simulate(options, planned, taking_part, folder))
                except MachineFault as fault:
                    writer.fault("; ".join(fault.args), planned)
                    writer.end(EndReason.fault)
                    raise
        except KeyboardInterrupt:
            writer.end(EndReason.interrupted)
            raise
        writer.end(EndReason.done)
    return ExitStatus.ok


def _interrupt(number: int, frame: object) -> None:  # noqa: ARG001  the signature of signal handlers
    for one in _STOP_SIGNALS:
        signal.signal(one, signal.SIG_IGN)  # the end of the file is written undisturbed
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
