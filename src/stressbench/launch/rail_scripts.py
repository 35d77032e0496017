"""One-line shell scripts that run before a rank's program, on its host, and select its NIC, socket or cores. Pure."""

from collections.abc import Sequence

from stressbench.launch.job_ranks import Block

# Variables of srun come last: in a batch script they are set for the script, and inherited by the mpirun in it.
_RANK = (
    "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "PALS_RANKID", "FLUX_TASK_RANK",
    "SLURM_PROCID",
)  # fmt: skip
_LOCAL_RANK = (
    "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID",
)  # fmt: skip
_REFUSE = 'refuse() { echo "stressbench: $0: $1" >&2; exit 2; }; '


def by_local_rank(nics: Sequence[str], *, names: Sequence[str]) -> tuple[str, ...]:
    """Assign the NICs of a host round-robin to its ranks, as Intel's PSM does."""
    cases = " ".join(f"{number}) c={nic};;" for number, nic in enumerate(nics))
    script = f"{_REFUSE}{_rank_variable('on its host', _LOCAL_RANK)}case $((r % {len(nics)})) in {cases} esac; "
    return _wrapper(script, names)


def by_rank(
    assigned: Sequence[tuple[Sequence[Block], str]], *, names: Sequence[str], otherwise: str
) -> tuple[str, ...]:  # fmt: skip
    """Assign each rank the NIC paired with its blocks, and all other ranks the NIC `otherwise`.

    No rank keeps several: Open MPI 4.1 drops connections between a rank with two NICs and one with only the other.
    """
    is_in_block = '[ "$r" -ge "$1" ] && [ $(((r - $1) / $3)) -lt "$4" ] && [ $(((r - $1) % $3)) -lt "$2" ]'
    checks = " ".join(
        f"t {block.first} {block.width} {block.step} {block.count} {nic};"
        for blocks, nic in assigned
        for block in blocks
    )
    return _wrapper(
        f"{_REFUSE}{_rank_variable('in the launch', _RANK)}c={otherwise}; t() {{ {is_in_block} && c=$5; }}; {checks} ",
        names,
    )


def by_numa_distance(
    nics: Sequence[str], *, names: Sequence[str], sys: str = "/sys", stat: str = "/proc/self/stat"
) -> tuple[str, ...]:
    """Assign the NIC nearest to the processor on which the rank starts, the first of several equally near ones.

    The NIC stays near if the rank is bound to cores. Where distances are unknown, the rank ends with status 2 and
    prints the reason.
    """
    lookups = " ".join(f"look {nic} {_class_of(nic)};" for nic in nics)
    script = (
        f"{_REFUSE}s={sys}; IFS= read -r t < {stat} || refuse 'no {stat}'; "
        "cpu() { p=${37}; }; cpu ${t##*) }; "  # field 39 of proc(5), counted from after the name, which may have blanks
        "for d in $s/devices/system/cpu/cpu$p/node[0-9]*; do n=${d##*/node}; done; "
        '[ -d $s/devices/system/node/node$n ] || refuse "$(hostname): no NUMA node is known of processor $p"; '
        'read -r w < $s/devices/system/node/node$n/distance || refuse "no distances of NUMA node $n"; '
        "far() { i=0; for x in $w; do "
        "while [ ! -d $s/devices/system/node/node$i ]; do i=$((i + 1)); [ $i -lt 4096 ] || return; done; "
        "[ $i != $1 ] || y=$x; i=$((i + 1)); done; }; "
        "look() { m=; read -r m 2>/dev/null < $s/class/$2/device/numa_node; "
        '[ "${m:--1}" != -1 ] || refuse "$(hostname): no NUMA node is known of NIC $1"; '
        'y=; far $m; [ -n "$y" ] || refuse "$(hostname): no distance to NUMA node $m of NIC $1"; '
        'if [ -z "$b" ] || [ $y -lt $b ]; then b=$y; c=$1; fi; }; '
        f"b=; c=; {lookups} "
    )
    return _wrapper(script, names)


def bound_to_socket(sockets: int, *, folder: str) -> tuple[str, ...]:
    """Bind the ranks of a host to its sockets in turns. The cores of socket 0 are in the file `folder`/sockets/0."""
    script = (
        f"{_REFUSE}{_rank_variable('on its host', _LOCAL_RANK)}s=$((r % {sockets})); "
        f'read -r c 2>/dev/null < {folder}/sockets/$s || refuse "$(hostname): no cores are known of socket $s"; '
        'taskset -cp "$c" $$ >/dev/null || refuse "$(hostname): cannot bind to the cores $c of socket $s"; exec "$@"'
    )
    return ("sh", "-c", script, "sockets")


def bound_to_cores(cores: Sequence[tuple[str, str]], *, folder: str) -> tuple[str, ...]:
    """Bind a rank to other cores than its host's, which is a file of `folder`. `cores`: these by those, as `0,1`."""
    cases = " ".join(f"{own}) c={other};;" for own, other in cores)
    script = (
        f'{_REFUSE}read -r c 2>/dev/null < {folder}/$(hostname) || refuse "$(hostname): its cores are not known"; '
        f"case $c in {cases} esac; "
        'taskset -cp "$c" $$ >/dev/null || refuse "$(hostname): cannot bind to the cores $c"; exec "$@"'
    )
    return ("sh", "-c", script, "cores")


def _rank_variable(where: str, variables: Sequence[str]) -> str:
    """Shell text that sets `r` to the number of the rank, or refuses where no launcher provides it."""
    value = "".join(f"${{{name}:-" for name in variables) + "}" * len(variables)
    return f"r={value}; case $r in ''|*[!0-9]*) refuse 'no launcher says which rank this is {where}';; esac; "


def _class_of(nic: str) -> str:
    """Path of the NIC below /sys/class: a device with a port is an InfiniBand device."""
    device, colon, _ = nic.partition(":")
    return f"infiniband/{device}" if colon else f"net/{nic}"


def _wrapper(script: str, names: Sequence[str]) -> tuple[str, ...]:
    exported = " ".join(f'{name}="$c"' for name in names)
    return ("sh", "-c", f'{script}export {exported}; exec "$@"', "rails")
