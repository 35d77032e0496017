"""A lab whose hosts have different numbers of cores, and jobs with different numbers of ranks on a node."""

UNEQUAL = """
[hosts]
count = 3
cores = 2
[[host]]
name = "h1"
cores = 1
[[rail]]
rate = "100Mbit"
[topology]
kind = "single"
"""
UNEQUAL_JOBS = """\
[JOB_NAME] all_ranks
[NID_LIST] 0,1
[MOTIF] allreduce
[JOB_NAME] one_rank
[NID_LIST] 2
[RANKS_PER_NODE] 1
[MOTIF] compute -m 10us
"""
