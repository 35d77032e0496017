#!/bin/bash
#SBATCH --job-name=stressbench-nightly
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@180
# A night as a job of Slurm. Nodes, tasks, account and reservation are options of sbatch, the rest are those of
# stressbench-nightly.sh, which has to be on PATH:
#
#   sbatch --nodes=8 --ntasks-per-node=64 --exclusive stressbench-nightly-slurm.sh --baseline DIR --archive DIR -- --on slurm
#
# Three minutes before the time is up, Slurm sends SIGTERM, so that what was measured is kept.
exec stressbench-nightly.sh "$@"
