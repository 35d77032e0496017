"""The nodes of a run file: a record for each, or one for a range of them."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.builders import MadeJob, build_run
from support.commands import invoke

from stressbench.formats.errors import RunFileError
from stressbench.formats.run import Node, NodeTable, Run, read_run

MANY = 100_000
RANGE = {
    "nodes": "0-511", "hosts": "n[0001-0512]", "cores": 16, "ranks": "0-3", "rank_step": 4,
}  # fmt: skip


def with_nodes(folder: Path, *nodes: dict[str, Any], **header: object) -> Path:
    made = build_run(jobs=(MadeJob(name="CG", nodes="0-1", ranks=8),))
    made.records[0].update(nodes=list(nodes), **{"ranks": 2048, **header})
    return made.write(folder)


def run_with(folder: Path, *nodes: dict[str, Any], **header: object) -> Run:
    return read_run(with_nodes(folder, *nodes, **header))


def test_a_range_is_read_as_one_node_after_another(tmp_path: Path) -> None:
    nodes = run_with(tmp_path, RANGE).header.nodes

    assert len(nodes) == len(list(nodes)) == 512
    assert nodes[0] == Node(node=0, host="n0001", cores=16, ranks="0-3")
    assert nodes[511] == nodes[-1] == Node(node=511, host="n0512", cores=16, ranks="2044-2047")
    assert nodes[1:3] == (nodes[1], nodes[2])
    with pytest.raises(IndexError):
        nodes[512]


def test_ranks_that_were_dealt_in_turns(tmp_path: Path) -> None:
    cyclic = {**RANGE, "ranks": "0-1536:512", "rank_step": 1}

    assert run_with(tmp_path, cyclic).header.nodes[3].ranks == "3-1539:512"


def test_nodes_of_several_kinds(tmp_path: Path) -> None:
    thin = {"nodes": "0-2", "host": "all", "cores": None, "ranks": "0-3", "rank_step": 4}
    fat = {"node": 3, "host": "fat", "cores": 64, "ranks": "12-27"}

    nodes = run_with(tmp_path, thin, fat, ranks=28).header.nodes

    assert [(node.node, node.host, node.cores, node.ranks) for node in nodes] == [
        (0, "all", None, "0-3"), (1, "all", None, "4-7"), (2, "all", None, "8-11"), (3, "fat", 64, "12-27"),
    ]  # fmt: skip
    assert nodes.hosts == {0: "all", 1: "all", 2: "all", 3: "fat"}


def test_a_job_has_the_hosts_of_its_nodes(tmp_path: Path) -> None:
    assert run_with(tmp_path, RANGE).hosts_of(job=0) == ("n0001", "n0002")


def test_100000_nodes_are_one_record_in_memory(tmp_path: Path) -> None:
    path = with_nodes(tmp_path, {**RANGE, "nodes": f"0-{MANY - 1}", "hosts": f"n[000000-{MANY - 1}]"}, ranks=4 * MANY)
    run = read_run(path)

    assert len(run.header.nodes) == MANY
    assert len(run.header.nodes.ranges) == 1
    assert run.header.nodes[MANY - 1] == Node(node=MANY - 1, host="n099999", cores=16, ranks="399996-399999")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": None}, "header.nodes.0: expected either node or nodes"),
        ({"node": 0}, "header.nodes.0: expected either node or nodes"),
        ({"nodes": "5-0"}, "the smallest number first"),
        ({"nodes": "0-4294967296"}, "header.nodes.0: nodes 0-4294967296: expected at most 2097152 nodes"),
        ({"nodes": "0-3", "ranks": "0"}, "hosts"),
        ({"nodes": "0"}, "nodes"),
        ({"host": "n1"}, "header.nodes.0: expected either host or, of several nodes, hosts"),
        ({"hosts": None}, "header.nodes.0: expected either host or, of several nodes, hosts"),
        ({"hosts": "n[1-511]"}, "header.nodes.0: hosts: expected 512, one for each node, not 511"),
        ({"hosts": "n[1-513]"}, "expected at most 512 hosts"),
        ({"hosts": "n[1-"}, "'n[1-': expected a host such as n7, or hosts such as n[01-16,20]"),
        ({"rank_step": None}, "header.nodes.0: rank_step: expected a number with nodes"),
        ({"rank_step": 0}, "rank_step"),
        ({"rank_step": 2**40}, "header.nodes.0.ranks: expected numbers below 2^31"),
        ({"ranks": "0-4"}, "expected at most 4 numbers"),
    ],
)
def test_ranges_that_cannot_be_are_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = with_nodes(tmp_path, {key: value for key, value in {**RANGE, **change}.items() if value is not None})

    with pytest.raises(RunFileError) as refused:
        read_run(path)
    assert message in str(refused.value)


def test_a_table_is_written_in_as_few_records_as_possible() -> None:
    nodes = [Node(node=k, host=f"n{k:03}", cores=16, ranks=f"{2 * k}-{2 * k + 1}") for k in range(100)]
    nodes += [Node(node=100, host="fat", cores=64, ranks="200-215")]

    table = NodeTable.of(nodes)

    assert [one.as_json() for one in table.ranges] == [
        {"nodes": "0-99", "hosts": "n[000-099]", "cores": 16, "ranks": "0-1", "rank_step": 2},
        {"node": 100, "host": "fat", "cores": 64, "ranks": "200-215"},
    ]
    assert list(table) == nodes
    assert len(NodeTable.of(nodes[:64]).ranges) == 64  # as in files of version 0.1


def test_show_and_report_read_ranges(tmp_path: Path) -> None:
    path = with_nodes(tmp_path, RANGE)
    page = tmp_path / "page.html"

    shown = invoke(["show", str(path)])
    reported = invoke(["report", str(path), "-o", str(page)])

    assert (shown.exit_code, reported.exit_code) == (0, 0)
    assert "2,048 ranks, 512 nodes, 512 hosts" in page.read_text(encoding="utf-8")


def test_sizes_of_nodes_may_be_a_list(tmp_path: Path) -> None:
    assert run_with(tmp_path, RANGE, ranks_per_node="4(x511),4").header.ranks_per_node == "4(x511),4"
    for wrong in ("4(511)", "", "4,", "x"):
        with pytest.raises(RunFileError, match="ranks_per_node"):
            run_with(tmp_path, RANGE, ranks_per_node=wrong)


def test_the_end_has_the_memory_of_the_ranks(tmp_path: Path) -> None:
    made = build_run()
    memory = {"rank0_bytes": 2**24, "min_bytes": 2**23, "mean_bytes": 9e6, "max_bytes": 2**25, "max_rank": 3,
              "max_host": "h1"}  # fmt: skip
    made.records[-1]["memory"] = memory
    path, page = made.write(tmp_path), tmp_path / "page.html"

    invoke(["report", str(path), "-o", str(page)])

    end = read_run(path).end
    assert end is not None
    assert end.memory is not None
    assert asdict(end.memory) == memory
    assert "at most 32 MiB (rank 3 on h1), rank 0 16 MiB" in page.read_text(encoding="utf-8")
