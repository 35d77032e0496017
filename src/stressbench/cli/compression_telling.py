"""What `compress` says and leaves behind: its table or JSON, its profile, and how far it came when it was stopped."""

from dataclasses import asdict

import orjson

from stressbench.cli.compressing import Taken
from stressbench.cli.compression_plan import Plan
from stressbench.cli.following import say
from stressbench.cli.keeping import Keep
from stressbench.console import echo
from stressbench.interference.keeping import compression_profile, moved_since
from stressbench.interference.profile import Profile, Provenance
from stressbench.interference.suffering import Compressed, compression_found
from stressbench.report.units import count


def show(measured: Compressed, kept: Keep, plan: Plan, *, as_json: bool) -> None:
    """On standard output, behind the program's own."""
    found, errand = compression_found(measured), kept.errand
    if as_json:
        told = {
            "application": kept.application, "machine": kept.machine, "command": kept.command, "on": errand.on,
            "ranks": errand.shape.ranks, "probing": asdict(errand.probing), "ring_nodes": plan.nodes,
            "seed": errand.seed, "link": plan.link.rate, "packet": plan.link.packet, **asdict(found),
        }  # fmt: skip
        echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
        return
    from stressbench.report.renderers.text import standard_output
    from stressbench.report.terminal.compression_table import print_compression

    print_compression(
        found, name=errand.name, nodes=plan.nodes, by_rounds=errand.workload is not None, console=standard_output()
    )


def write(kept: Keep, taken: Taken, plan: Plan) -> None:
    """A profile where one was asked for. Raises ProfileFileError."""
    measured, by_rounds = taken.measured, kept.errand.workload is not None
    if not measured.kept:
        if kept.asked:
            say("no compression beside which every run came to its end: no profile and no page is written")
        return

    def made(provenance: Provenance, known: Profile | None) -> Profile:
        return compression_profile(
            measured, application=kept.application, machine=kept.machine, provenance=provenance, kept=known,
            by_rounds=by_rounds,
        )  # fmt: skip

    if kept.known is not None and (moved := moved_since(kept.known, measured)) is not None:
        say(f"CAUTION: {moved}")
    kept.write(
        made,
        pairs=measured.before,
        cautions=() if kept.page is None else compression_found(measured).cautions,
        configuration={
            "compressions": f"{len(measured.kept)} of {len(plan.candidates)}", "ring": count(plan.nodes, "host"),
            "runs": str(plan.runs), "times": "rounds" if by_rounds else "launches",
            **({} if taken.interrupted is None else {"interrupted": "yes"}), **dict(plan.link.provenance()),
        },
        also=", with the impact that it held" if kept.known is not None and kept.known.impact is not None else "",
    )  # fmt: skip


def said_interrupted(taken: Taken, kept: Keep) -> str:
    """What there is all the same."""
    measured = taken.measured
    runs = [len(one.times_s) for one in measured.kept]
    many = f"{min(runs)}" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
    has = f"{count(len(runs), 'compression')}, of {many} times each, and {len(measured.alone_s)} alone"
    if not kept.asked:
        return f"{taken.interrupted}; {has} are lost: -o or --store would have kept them"
    return f"{taken.interrupted}; kept {has}"
