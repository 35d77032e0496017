"""Where a measurement of a program stays: a profile by itself, or among others."""

import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from stressbench import __version__
from stressbench.cli.errands import Errand
from stressbench.cli.following import say
from stressbench.cli.pages import check_page, write_page
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.interference.errors import ProfileFileError
from stressbench.interference.pingpongs import Probes
from stressbench.interference.profile import NAME_PATTERN, ProbeSettings, Profile, Provenance, fitting_name, to_json
from stressbench.interference.store import Store
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import check_output

Differs: TypeAlias = Callable[[Profile, ProbeSettings], str | None]
"""Why what is known of an application does not go with new probes; None where it does."""
Made: TypeAlias = Callable[[Provenance, Profile | None], Profile]
"""A profile from what was measured, with what was known before or without it."""


@dataclass(frozen=True, kw_only=True)
class Keep:
    """Under which names a profile goes where; `known`: what a store has of it already. `page`: where it is drawn."""

    errand: Errand
    command: tuple[str, ...]
    application: str
    machine: str
    output: Path | None
    store: Store | None
    known: Profile | None
    page: Path | None
    began: datetime

    @property
    def asked(self) -> bool:
        """Whether anything is to stay."""
        return (self.output, self.store, self.page) != (None, None, None)

    def write(
        self, made: Made, *, pairs: Sequence[Probes], configuration: Mapping[str, str], cautions: tuple[str, ...],
        also: str = "",
    ) -> None:  # fmt: skip
        """Where it was asked for; the page has `cautions`, too, and what a store holds.

        `also`: what to say of a store behind its file. Raises ProfileFileError, LaunchMistake.
        """
        errand = self.errand
        provenance = Provenance(
            measured_at=self.began, version=__version__, command=self.command,
            nodes=len({host for one in pairs for host in one.hosts}) or 1, ranks=errand.shape.ranks,
            configuration={
                "on": errand.on, "pairs": " ".join("+".join(one.hosts) for one in pairs),
                "idle": f"{errand.idle_s:g} s", "seed": str(errand.seed), **configuration,
            },
        )  # fmt: skip
        if self.output is not None:
            try:
                write_output(self.output, to_json(made(provenance, None)))
            except OSError as fault:
                raise ProfileFileError(reason_of(fault), path=self.output) from fault
            say(f"wrote {self.output}")
        if self.store is not None:
            say(f"wrote {self.store.save(made(provenance, self.known))}{also}")
        if self.page is not None:
            from stressbench.report.interference import FORMATS, shown

            write_page(self.page, FORMATS["html"]([shown(made(provenance, self.known), cautions=cautions)]))


def keep(
    errand: Errand, words: list[str], *, name: str | None, machine: str | None, output: Path | None,
    store: Path | None, page: Path | None, probes: ProbeSettings, differs: Differs,
) -> Keep:  # fmt: skip
    """Names and files, checked before anything starts; `probes`: as they will be sent.

    Raises LaunchMistake, ProfileFileError.
    """
    for option, given in (("--name", name), ("--machine", machine)):
        if given is not None and not re.fullmatch(NAME_PATTERN, given):
            raise LaunchMistake(f"{option}: '{given}' must be letters, digits and . _ + - only, 64 at most")
    program = Path(words[0])
    application = name or fitting_name(program.stem if errand.workload is not None else program.name)
    kind, _, lab = errand.on.partition(":")
    host = machine or fitting_name(f"{kind}-{lab}" if lab else platform.node())
    if output is not None:
        check_output(output, endings=(".json",), replace=True)
    check_page(page)
    known = None if store is None else _known(
        store, application=application, machine=host, probes=probes, differs=differs
    )  # fmt: skip
    return Keep(
        errand=errand, command=tuple(words), application=application, machine=host, output=output,
        store=None if store is None else Store(folder=store), known=known, page=page, began=datetime.now(UTC),
    )  # fmt: skip


def _known(
    folder: Path, *, application: str, machine: str, probes: ProbeSettings, differs: Differs
) -> Profile | None:  # fmt: skip
    if folder.exists() and not folder.is_dir():
        raise LaunchMistake(f"--store: {folder} is not a directory")
    store = Store(folder=folder)
    if not store.path_of(application=application, machine=machine).exists():
        return None
    known = store.load(application=application, machine=machine)
    if (why := differs(known, probes)) is not None:
        raise LaunchMistake(f"--store: {why}; use the same, another --name, or another folder")
    return known
