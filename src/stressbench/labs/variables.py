"""Environment variables of processes in a lab. Pure.

They follow from three properties of the lab and are never read from a file, because some values, such as Open MPI's
launch agent, are programs that MPI starts.
"""

from stressbench.formats.lab.paths import AGENT, LAB_FOLDER, SCRATCH

COUNTERS = f"{LAB_FOLDER}/links.sock"
STATE = "state.json"
"""Name of the state file in a lab's directory."""

# Open MPI 4.1 transfers long messages over TCP in fragments that the receiver requests, three at a time. With traffic
# in both directions these requests queue behind data and links idle: 1 MiB in both directions between two hosts takes
# 212 ms instead of 92 ms (MPICH: 92 ms). Flags 9: send and in-place.
_FULL_DUPLEX = (("OMPI_MCA_btl_tcp_flags", "9"), ("OMPI_MCA_pml_ob1_send_pipeline_depth", "32"))


def environment(name: str, *, rails: int, scratch: str | None) -> tuple[tuple[str, str], ...]:
    """Variables with which a plain `mpirun` uses the hosts and links of lab `name` with this number of rails.

    `scratch` is the mount point of the I/O nodes' file system: empty if it is not served, so that SCRATCH never names
    a directory of the machine by accident, and None if the lab has no I/O nodes.
    """
    nics = ",".join(f"eth{rail}" for rail in range(rails))
    allowed = tuple((f"{who}_ALLOW_RUN_AS_ROOT{end}", "1") for who in ("OMPI", "PRTE") for end in ("", "_CONFIRM"))
    return (
        ("STRESSBENCH_LAB", name),
        ("TMPDIR", SCRATCH),
        ("STRESSBENCH_LINK_COUNTERS", COUNTERS),
        *(() if scratch is None else (("SCRATCH", scratch),)),
        *allowed,
        ("OMPI_MCA_plm", "rsh"),
        ("OMPI_MCA_plm_rsh_agent", AGENT),
        ("PRTE_MCA_plm_ssh_agent", AGENT),
        ("OMPI_MCA_pml", "ob1"),
        ("OMPI_MCA_btl", "tcp,vader,self"),
        ("OMPI_MCA_btl_tcp_if_include", nics),
        *_FULL_DUPLEX,
        ("OMPI_MCA_oob_tcp_if_include", "eth0"),
        ("PRTE_MCA_prte_if_include", "eth0"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("HYDRA_LAUNCHER", "rsh"),
        ("HYDRA_LAUNCHER_EXEC", AGENT),
        ("HYDRA_IFACE", "eth0"),
    )
