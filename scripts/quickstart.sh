#!/usr/bin/env bash
# From a fresh checkout to a report: installs what is missing, builds, lets three applications disturb each other on this machine for about
# a minute, and draws what happened.
#
#   scripts/quickstart.sh            everything
#   scripts/quickstart.sh --setup    only installs and builds
set -euo pipefail
case ${1-} in
  '' | --setup) ;;
  -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) printf "quickstart.sh: '%s' is not an option; there is only --setup\n" "$1" >&2; exit 2 ;;
esac
# shellcheck source=scripts/install.sh
source "$(dirname "$0")/install.sh"
cd "$root"
trap 'give_up "quickstart.sh: line $LINENO failed: $BASH_COMMAND"' ERR

need_packages run
need_environment
fingerprint=$(package_fingerprint)
if ! { is_done package "$fingerprint" && [[ -x .venv/bin/stressbench ]]; }; then
  say "Building StressBench (about two minutes the first time; log: .cache/build.log) ..."
  pip_install .cache/build.log . || give_up "The build failed."
  mark_done package "$fingerprint"
fi
say "StressBench is ready: $(.venv/bin/stressbench-mpi --version | head -n 1)"
[[ ${1-} == --setup ]] && exit 0

mkdir -p results
printf '*\n' >results/.gitignore
run=results/demo.jsonl report=results/report.html

say "" "Running workloads/demo.sb: three jobs on 8 ranks, each alone and then all together, at most one minute ..."
rm -f "$run"
.venv/bin/stressbench run workloads/demo.sb -n 8 --ranks-per-node 1 --time-limit 60s --output "$run" ||
  give_up "The run failed, see above; its records so far are in $run."
.venv/bin/stressbench report "$run" -o "$report" || give_up "The report could not be made."

cat <<END

The report:   $root/$report
The records:  $root/$run

Next time:
  .venv/bin/stressbench run workloads/demo.sb -n 8 --ranks-per-node 1 -o my.jsonl
  .venv/bin/stressbench report my.jsonl -o my.html
END
