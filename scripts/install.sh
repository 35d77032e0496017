# shellcheck shell=bash
# What StressBench needs from the system, and the checkout's own Python environment. Sourced by quickstart.sh and test.sh.
#
#   need_packages TIER    TIER is `run` (one MPI, a compiler, Python, storage libraries) or `test` (both MPIs, checkers, a browser).
#   need_python           sets PYTHON to a Python >= 3.11 that can make virtual environments.
#   need_environment      a virtual environment in .venv, kept when it works.
#
# As root, what is missing is installed. Otherwise the one command to run is printed, and the script ends if it cannot do without.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stamps=$root/.cache/stamps
mkdir -p "$stamps"

# Children of pip and CMake find these; a second build takes its objects from the cache.
use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$root CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}
use_ccache
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

say() { printf '%s\n' "$*"; }
give_up() {
  printf '%s\n' "$@" >&2
  exit 1
}

# One line a need: what proves that it is there | the package that brings it. A proof is a command, a header in the compiler's own
# search path, or a path (several with spaces: one of them suffices).
run_needs() {
  cat <<'NEEDS'
command git           | git
path /etc/ssl/certs/ca-certificates.crt | ca-certificates
command cmake         | cmake
command ninja         | ninja-build
command g++           | g++
command ccache        | ccache
command mpicxx        | libopenmpi-dev
command mpirun mpiexec | openmpi-bin
header CLI/CLI.hpp    | libcli11-dev
header nlohmann/json.hpp | nlohmann-json3-dev
header fmt/core.h     | libfmt-dev
header Random123/philox.h | librandom123-dev
header boost/version.hpp | libboost-dev
path /usr/sbin/tc /sbin/tc /usr/bin/tc | iproute2
command nsenter       | util-linux
NEEDS
}
test_needs() {
  run_needs
  cat <<'NEEDS'
command mpicxx.openmpi | libopenmpi-dev
command mpirun.openmpi | openmpi-bin
command mpicxx.mpich  | libmpich-dev
command mpirun.mpich  | mpich
header gtest/gtest.h  | libgtest-dev
header gmock/gmock.h  | libgmock-dev
command clang++       | clang
command clang-format  | clang-format
command shellcheck    | shellcheck
command gfortran      | gfortran
command hpcc          | hpcc
command smpirun       | libsimgrid-dev
path /usr/lib/python3/dist-packages/mpi4py/__init__.py | python3-mpi4py
path /usr/sbin/glusterfsd /usr/bin/glusterfsd | glusterfs-client
path /usr/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a | libclang-rt-dev
command chromium chromium-browser google-chrome | chromium
NEEDS
}
# The same, of what a machine may lack: where it is not offered, what needs it is left out of the build, of labs and of the tests. The
# distribution's HDF5 and PnetCDF stand on the distribution's MPI: who has another one brings their own.
run_optional() {
  echo 'command pkg-config    | pkg-config'
  case $(readlink -f "$(command -v mpicxx)" 2>/dev/null) in
    '' | /usr/bin/*openmpi* | /usr/bin/opal_wrapper)
      echo 'path /usr/include/hdf5/openmpi/hdf5.h | libhdf5-openmpi-dev'
      echo 'header pnetcdf.h      | libpnetcdf-dev' ;;
    /usr/bin/*mpich*) echo 'path /usr/include/hdf5/mpich/hdf5.h | libhdf5-mpich-dev' ;;
  esac
  echo 'path /usr/sbin/glusterfsd /usr/bin/glusterfsd | glusterfs-client'
}
test_optional() {
  run_optional
  cat <<'OPTIONAL'
path /usr/include/hdf5/openmpi/hdf5.h | libhdf5-openmpi-dev
path /usr/include/hdf5/mpich/hdf5.h | libhdf5-mpich-dev
header pnetcdf.h      | libpnetcdf-dev
path /usr/sbin/munged | munge
path /usr/sbin/slurmctld | slurmctld
path /usr/sbin/slurmd | slurmd
command srun          | slurm-client
command otf2-print    | otf2-tools
path /usr/lib/python3/dist-packages/otf2 | python3-otf2
OPTIONAL
}

is_met() {  # kind, proofs...
  local kind=$1 proof match
  shift
  for proof in "$@"; do
    case $kind in
      command) command -v "$proof" >/dev/null && return 0 ;;
      header) [[ -e /usr/include/$proof || -e /usr/local/include/$proof ]] && return 0 ;;
      path) for match in $proof; do [[ -e $match ]] && return 0; done ;;
    esac
  done
  return 1
}

# The packages of a list (run_needs, test_optional, ...) that are missing, one a line.
unmet() {
  local proofs package
  while IFS='|' read -r proofs package; do
    package=${package// /}
    set -f
    # shellcheck disable=SC2086  # proofs are words, and paths may hold patterns
    set -- $proofs
    set +f
    is_met "$@" || echo "$package"
  done < <("$1") | sort -u
}
missing_packages() {  # tier
  unmet "$1_needs"
  find_python >/dev/null || python_packages
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3; do
    command -v "$candidate" >/dev/null || continue
    "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    command -v "$candidate"
    return 0
  done
  return 1
}

# Distributions whose own python3 is older (Ubuntu 22.04) also have a newer one.
python_packages() {
  local offered_python
  offered_python=$(candidate_of python3 | cut -d- -f1)
  if dpkg --compare-versions "${offered_python:-99}" ge 3.11; then
    printf '%s\n' python3 python3-venv
  else
    printf '%s\n' python3.11 python3.11-venv
  fi
}

candidate_of() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\(.*[^ ]\) *$/\1/p' | grep -v '^(none)$' | head -n 1; }

# Names differ between distributions: what is not offered under its own name goes by another.
offered() {
  case $1 in
    libclang-rt-dev) [[ $(candidate_of "$1") ]] || { echo clang; return; } ;;
    chromium) [[ $(candidate_of "$1") ]] || { echo chromium-browser; return; } ;;
  esac
  echo "$1"
}

apt_quietly() {
  local log=$root/.cache/apt.log
  DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; return 1; }
}

need_packages() {
  local tier=$1 missing names=() name
  mapfile -t missing < <(missing_packages "$tier")
  ((${#missing[@]})) || { try_optional "$tier"; return 0; }
  say "Missing on this machine: ${missing[*]}"
  command -v apt-get >/dev/null || give_up "This is not Debian or Ubuntu: please install these (or what they are called here), then start again." \
    "Optional, for more storage backends and for I/O nodes of labs: $(unmet "${tier}_optional" | paste -sd ' ')"
  for name in "${missing[@]}"; do names+=("$(offered "$name")"); done
  if ((EUID)); then
    mapfile -t missing < <(optional_packages "$tier")
    give_up "Please run this, then start again:" "  $(apt_command "${names[@]}" "${missing[@]}")"
  fi
  say "Installing them (log: .cache/apt.log) ..."
  [[ $(candidate_of cmake) && $(candidate_of ninja-build) ]] || apt_quietly update || give_up "apt-get update failed, see above."
  apt_quietly install -y --no-install-recommends "${names[@]}" ||
    { apt_quietly update && apt_quietly install -y --no-install-recommends "${names[@]}"; } ||
    give_up "apt-get could not install: ${names[*]}"
  hash -r
  mapfile -t missing < <(missing_packages "$tier")
  ((${#missing[@]} == 0)) || give_up "Still missing after the installation: ${missing[*]}"
  use_ccache
  try_optional "$tier"
}

apt_command() { echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"; }

# Optional packages that are missing and offered here; all that are missing where apt knows of no packages yet.
optional_packages() {  # tier
  local all=() known=() package
  mapfile -t all < <(unmet "$1_optional")
  for package in "${all[@]}"; do [[ $(candidate_of "$package") ]] && known+=("$package"); done
  [[ ${#known[@]} -gt 0 || $(candidate_of cmake) ]] || known=("${all[@]}")
  ((${#known[@]} == 0)) || printf '%s\n' "${known[@]}"
}

try_optional() {  # tier
  local optional=()
  mapfile -t optional < <(optional_packages "$1")
  ((${#optional[@]})) || return 0
  if ((EUID)) || ! command -v apt-get >/dev/null; then
    say "Going on without what is optional: ${optional[*]}. On Debian and Ubuntu this installs it:" "  $(apt_command "${optional[@]}")"
    return 0
  fi
  say "Installing what is optional: ${optional[*]} (log: .cache/apt.log) ..."
  [[ $(candidate_of "${optional[0]}") ]] || apt_quietly update || say "apt-get update failed, see above."
  apt_quietly install -y --no-install-recommends "${optional[@]}" || say "Going on without."
}

need_python() {
  PYTHON=$(find_python) ||
    give_up "StressBench needs Python 3.11 or newer with its venv module; this machine has $(python3 --version 2>&1 || echo none)." \
      "Install one and start again, or name it: PYTHON=/path/to/python3.12 $0"
}

need_environment() {
  need_python
  [[ -x $root/.venv/bin/python ]] && "$root/.venv/bin/python" -c 'import pip' 2>/dev/null && return 0
  say "Making a Python environment in .venv ..."
  "$PYTHON" -m venv --clear "$root/.venv" || give_up "Python could not make a virtual environment in .venv."
}

# Whether the work called NAME was last done with the inputs of this fingerprint. `mark_done NAME FINGERPRINT` says that it is now.
is_done() { [[ -f $stamps/$1 && $(<"$stamps/$1") == "$2" ]]; }
mark_done() { printf '%s\n' "$2" >"$stamps/$1"; }

# Of everything that goes into the package: engine, Python sources, build description, and the Python, MPI and storage libraries it is made for.
package_fingerprint() {
  (
    cd "$root" || exit
    "$root/.venv/bin/python" --version
    readlink -f "$(command -v mpicxx)"
    for library in hdf5-openmpi hdf5-mpich pnetcdf; do pkg-config --modversion "$library" 2>&1 || true; done
    find engine tracer src pyproject.toml CMakeLists.txt README.md workloads studies schema -type f ! -name '*.pyc' | LC_ALL=C sort | xargs sha256sum
  ) | sha256sum | cut -d' ' -f1
}

# pip install into .venv, with its output in a log and its tail on the screen when it fails.
pip_install() {  # log, arguments...
  local log=$1
  shift
  "$root/.venv/bin/python" -m pip install --disable-pip-version-check "$@" >"$log" 2>&1 && return 0
  say "pip failed; the end of $log:" >&2
  tail -n 40 "$log" >&2
  return 1
}
