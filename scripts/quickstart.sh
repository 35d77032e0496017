#!/usr/bin/env bash
# From a fresh checkout to a report: installs what is missing, builds, lets three applications and a writer of files disturb each other in
# three placements on a small cluster inside this machine (on the bare machine where none can be made), and draws what happened.
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
  say "Building StressBench (two to five minutes the first time; log: .cache/build.log) ..."
  pip_install .cache/build.log . || give_up "The build failed."
  mark_done package "$fingerprint"
fi
say "StressBench is ready:"
.venv/bin/stressbench-mpi --version | sed '/^$/d; s/^/  /'
[[ ${1-} == --setup ]] && exit 0

mkdir -p results
printf '*\n' >results/.gitignore
command=$root/.venv/bin/stressbench
study=results/first report=results/report.html
rm -rf "$study"

export STRESSBENCH_LABS=$root/.cache/labs  # apart from the user's own labs
if "$command" lab probe >.cache/probe.log 2>&1; then
  file=studies/quickstart.toml what="on sixteen hosts of a lab (docs/explanation/lab.md), links of 20 Mbit/s between them; three minutes"
  trap '"$command" lab down tinis >/dev/null 2>&1' EXIT
  "$command" lab down tinis >/dev/null 2>&1 || true
  "$command" lab up tinis >.cache/lab.log 2>&1 || give_up "The lab did not come up:" "$(<.cache/lab.log)"
  if ! "$command" lab exec h0 -- printenv SCRATCH | grep -q .; then
    grep -v 'is up:' .cache/lab.log || true  # why its I/O nodes serve no files
    say "The writer therefore writes to a file of this machine."
    file=results/quickstart.toml
    sed "s|\\\${SCRATCH}/quickstart|stressbench-quickstart.out|" studies/quickstart.toml >"$file"
  fi
else
  file=studies/small.toml what="on four ranks of this machine, since no lab can be made here (stressbench lab probe); a minute or two"
fi
say
say "Running $file: applications and a writer of files, isolated and contended," "$what ..."
"$command" study run "$file" -o "$study" --time-limit 10min || give_up "The study failed, see above; what it has found lies in $study."
"$command" study report "$study" --format html -o "$report" || give_up "The report could not be made."

cat <<END

The report:   $root/$report
The records:  $root/$study/runs

Next time:
  $command study run $file -o my-study          # the same again; resume, status and report go with it (docs/how-to/studies.md)
  $command run workloads/demo.sb -n 8 --ranks-per-node 1 -o my.jsonl && $command report my.jsonl -o my.html
END
