"""How MPI finds the lab's hosts: names, an agent in the place of ssh, and settings for Open MPI and MPICH. Pure."""

from stressbench.lab.addresses import address_of
from stressbench.lab.topology import Lab

INSIDE = "/run/lab"
"""A folder that only the lab's own nodes see, and that is gone with the lab."""
HOSTS = f"{INSIDE}/hosts"
AGENT = f"{INSIDE}/agent"
PIDS = f"{INSIDE}/pids"
CORES = f"{INSIDE}/cores"
SCRATCH = f"{INSIDE}/tmp"
COUNTERS = f"{INSIDE}/links.sock"


def hosts_text(lab: Lab) -> str:
    """`/etc/hosts` of every node: a plain name is on the first rail, `h0-eth1` on the second."""
    lines = ["127.0.0.1 localhost"]
    for node in lab.nodes:
        rails = sorted({link.rail for link in lab.links_of(node.name)})
        for rail in rails:
            names = [node.name] if rail == rails[0] else []
            lines.append(" ".join([address_of(node, rail=rail), *names, f"{node.name}-eth{rail}"]))
    return "\n".join(lines) + "\n"


def agent_text(lab: Lab) -> str:
    """`agent HOST COMMAND...` starts a command on another host, as `ssh HOST COMMAND...` would."""
    return f"""\
#!/bin/sh
# Called by mpirun in the place of ssh: agent HOST COMMAND...
host=$1
shift
pid=$(cat "{PIDS}/$host" 2>/dev/null) || {{ echo "lab {lab.name}: there is no host '$host'" >&2; exit 255; }}
cores=$(cat "{CORES}/$host" 2>/dev/null) && taskset -cp "$cores" $$ >/dev/null
exec nsenter --target "$pid" --net --mount --uts --ipc -- /bin/sh -c "$*"
"""


# Open MPI 4.1 puts long messages over TCP in pieces that the receiver asks for, three at a time. Where messages go both
# ways at once, what it asks with waits behind the data of its own messages, and links idle: 1 MiB both ways between two
# hosts takes 212 ms in place of 92 (MPICH: 92). 9: send, in place.
_FULL_DUPLEX = (("OMPI_MCA_btl_tcp_flags", "9"), ("OMPI_MCA_pml_ob1_send_pipeline_depth", "32"))


def environment(lab: Lab, *, serves: bool = True) -> tuple[tuple[str, str], ...]:
    """What every process that is started in the lab finds, so that a plain `mpirun` uses the lab's hosts and links.

    SCRATCH is what I/O nodes serve, and nothing where they do not: never a folder of the machine instead.
    """
    cards = ",".join(f"eth{rail}" for rail in range(lab.rails))
    allowed = tuple((f"{who}_ALLOW_RUN_AS_ROOT{end}", "1") for who in ("OMPI", "PRTE") for end in ("", "_CONFIRM"))
    return (
        ("STRESSBENCH_LAB", lab.name),
        ("TMPDIR", SCRATCH),
        ("STRESSBENCH_LINK_COUNTERS", COUNTERS),
        *(() if lab.io is None else (("SCRATCH", lab.io.path if serves else ""),)),
        *allowed,
        ("OMPI_MCA_plm", "rsh"),
        ("OMPI_MCA_plm_rsh_agent", AGENT),
        ("PRTE_MCA_plm_ssh_agent", AGENT),
        ("OMPI_MCA_pml", "ob1"),
        ("OMPI_MCA_btl", "tcp,vader,self"),
        ("OMPI_MCA_btl_tcp_if_include", cards),
        *_FULL_DUPLEX,
        ("OMPI_MCA_oob_tcp_if_include", "eth0"),
        ("PRTE_MCA_prte_if_include", "eth0"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("HYDRA_LAUNCHER", "rsh"),
        ("HYDRA_LAUNCHER_EXEC", AGENT),
        ("HYDRA_IFACE", "eth0"),
    )
