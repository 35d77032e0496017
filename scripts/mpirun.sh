#!/bin/sh
# mpirun.sh <mpi c++ compiler> <ranks> program [arguments...]
# Starts ranks on this machine with the launcher that belongs to that compiler, more ranks than cores allowed. A compiler that has none beside
# it, such as Cray's CC, goes with the one in PATH.
# STRESSBENCH_TEST_MEMORY: a folder in memory. Temporary files are made there, and ranks of Open MPI get real-time priority where that is allowed
# (those of MPICH never give up a core while they wait).
# MPI libraries keep memory, much of it from plug-ins that are unloaded again and so cannot be named in a suppression: leaks are looked for
# in the tests that start no MPI. Every other check of the sanitizers stays on.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
set -eu
if [ $# -lt 3 ]; then
  echo "usage: mpirun.sh <mpi c++ compiler> <ranks> program [arguments...]" >&2
  exit 2
fi
compiler=$(command -v "$1") || { echo "mpirun.sh: no compiler '$1'" >&2; exit 2; }
ranks=$2
shift 2

# Debian's mpicxx.openmpi has mpirun.openmpi beside it; mpicxx may be a link to it.
launcher=
while [ -z "$launcher" ]; do
  folder=$(dirname "$compiler")
  suffix=$(basename "$compiler" | sed -n 's/^mpi[^.]*\(\..*\)$/\1/p')
  for name in "mpiexec$suffix" "mpirun$suffix" mpiexec.hydra; do
    # The plain name belongs to whoever the alternatives point at: follow the compiler's link first.
    if [ -x "$folder/$name" ] && { [ -n "$suffix" ] || [ ! -L "$compiler" ]; }; then launcher=$folder/$name; break; fi
  done
  [ -z "$launcher" ] || break
  if [ ! -L "$compiler" ]; then
    launcher=$(command -v mpiexec || command -v mpirun || command -v srun) ||
      { echo "mpirun.sh: no mpiexec beside '$compiler', and no mpiexec, mpirun or srun in PATH" >&2; exit 2; }
    break
  fi
  target=$(readlink "$compiler")
  case $target in
    /*) compiler=$target ;;
    *) compiler=$folder/$target ;;
  esac
done

[ -z "${STRESSBENCH_TEST_MEMORY:-}" ] || export TMPDIR="$STRESSBENCH_TEST_MEMORY"
case $("$launcher" --version 2>&1) in
  *"Open MPI"* | *OpenRTE* | *"Open RTE"*)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none # Open MPI 5
    if [ -n "${STRESSBENCH_TEST_MEMORY:-}" ] && chrt --rr 1 true 2>/dev/null; then exec chrt --rr 1 "$launcher" -n "$ranks" "$@"; fi
    ;;
esac
exec "$launcher" -n "$ranks" "$@"
