"""What every process that is started in a lab finds in its environment, made from three facts about the lab. Pure.

Nothing of it is ever read from a file: values such as Open MPI's agent are programs that MPI starts.
"""

LAB_FOLDER = "/run/lab"
"""A folder that only the lab's own nodes see, and that is gone with the lab."""
AGENT = f"{LAB_FOLDER}/agent"
SCRATCH = f"{LAB_FOLDER}/tmp"
COUNTERS = f"{LAB_FOLDER}/links.sock"
STATE = "state.json"
"""What is written down about a lab, in its folder."""

# Open MPI 4.1 puts long messages over TCP in pieces that the receiver asks for, three at a time. Where messages go both
# ways at once, what it asks with waits behind the data of its own messages, and links idle: 1 MiB both ways between two
# hosts takes 212 ms in place of 92 (MPICH: 92). 9: send, in place.
_FULL_DUPLEX = (("OMPI_MCA_btl_tcp_flags", "9"), ("OMPI_MCA_pml_ob1_send_pipeline_depth", "32"))


def environment(name: str, *, rails: int, scratch: str | None) -> tuple[tuple[str, str], ...]:
    """What lets a plain `mpirun` use the lab's hosts and links.

    `scratch`: where hosts find what I/O nodes serve; empty where these do not serve, so that it never is a folder of
    the machine instead; None where the lab has none.
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
