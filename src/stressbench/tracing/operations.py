"""Classification of MPI operations by their names without the prefix `MPI_`. Pure."""

from enum import StrEnum
from functools import lru_cache


class OperationClass(StrEnum):
    """Classes of operations (docs/trace-format.md), in display order."""

    p2p = "p2p"
    wait = "wait"
    coll = "coll"
    io = "io"
    other = "other"

    @property
    def label(self) -> str:
        """Display name."""
        return _LABELS[self]


_LABELS = {
    OperationClass.p2p: "point-to-point",
    OperationClass.wait: "wait",
    OperationClass.coll: "collective",
    OperationClass.io: "I/O",
    OperationClass.other: "other",
}

SEND_TOKENS = {
    "Send": "S", "Ssend": "Ss", "Bsend": "Bs", "Rsend": "Rs",
    "Isend": "Is", "Issend": "Iss", "Ibsend": "Ibs", "Irsend": "Irs",
    "Send_init": "Send_init", "Ssend_init": "Ssend_init", "Bsend_init": "Bsend_init", "Rsend_init": "Rsend_init",
}  # fmt: skip
"""Send calls with a destination, and the prefix of their token."""
RECEIVE_TOKENS = {
    "Recv": "R", "Irecv": "Ir", "Mrecv": "Mr", "Imrecv": "Imr", "Recv_init": "Recv_init",
    "Probe": "Probe", "Iprobe": "Iprobe", "Mprobe": "Mprobe", "Improbe": "Improbe",
}  # fmt: skip
COMPLETION_TOKENS = {
    "Wait": "W", "Waitall": "Wa", "Waitany": "Wy", "Waitsome": "Ws",
    "Test": "T", "Testall": "Ta", "Testany": "Ty", "Testsome": "Ts",
}  # fmt: skip
WAIT_OF_TEST = {"Test": "Wait", "Testall": "Waitall"}
"""The call that waits for the requests that a test has completed."""
COMPUTATION = "Compute"
"""Computation in the calls that `stressbench-mpi calls --computation` lists; MPI has no such call."""
NULL_REQUEST = -1
"""MPI_REQUEST_NULL among the `requests` of a call."""
SENDRECV_CALLS = frozenset({"Sendrecv", "Sendrecv_replace"})
START_CALLS = frozenset({"Start", "Startall"})
PERSISTENT_INITS = frozenset(name for name in (*SEND_TOKENS, *RECEIVE_TOKENS) if name.endswith("_init"))
SENDING_CALLS = (SEND_TOKENS.keys() - PERSISTENT_INITS) | SENDRECV_CALLS
"""Calls that send a message by themselves."""
TEST_CALLS = frozenset({"Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe"})
"""Calls that may find nothing; the reference profiles omit them from sequences."""
COMPLETIONS_OF_ANY = frozenset({"Waitany", "Waitsome", "Testany", "Testsome"})
"""Calls that complete any of several requests: which of them depends on when messages arrive."""
COMMUNICATOR_CONSTRUCTORS = frozenset(
    {
        "Comm_dup", "Comm_dup_with_info", "Comm_idup", "Comm_create", "Comm_create_group", "Comm_split",
        "Comm_split_type", "Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent",
        "Intercomm_create", "Intercomm_merge", "Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect",
        "Comm_join",
    }
)  # fmt: skip
"""Calls that create a communicator."""
DYNAMIC_PROCESS_CALLS = frozenset({"Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect", "Comm_join"})
ONE_SIDED_CALLS = frozenset(
    {
        "Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap",
        "Rput", "Rget", "Raccumulate", "Rget_accumulate",
    }
)  # fmt: skip
WINDOW_CONSTRUCTORS = frozenset({"Win_create", "Win_allocate", "Win_allocate_shared"})
_COLLECTIVES = (
    "Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv",
    "Alltoall", "Alltoallv", "Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
    "Scan", "Exscan", "Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall", "Neighbor_alltoallv",
    "Neighbor_alltoallw",
)  # fmt: skip
COLLECTIVES = frozenset((*_COLLECTIVES, *(f"I{name[0].lower()}{name[1:]}" for name in _COLLECTIVES)))


@lru_cache(maxsize=1024)
def class_of(op: str) -> OperationClass:
    """The class of an operation; `other` for unknown ones."""
    if op.startswith("File_"):
        return OperationClass.io
    if op in COLLECTIVES:
        return OperationClass.coll
    if op in COMPLETION_TOKENS or op.endswith("robe"):
        return OperationClass.wait
    if op in SEND_TOKENS or op in RECEIVE_TOKENS or op in SENDRECV_CALLS or op in START_CALLS:
        return OperationClass.p2p
    return OperationClass.other


def is_one_sided(op: str) -> bool:
    """Whether the operation is a one-sided communication or window call."""
    return op in ONE_SIDED_CALLS or op.startswith("Win_")
