#!/usr/bin/env bash
# One night of a regression test: examines a machine, measures it, and compares the result with a baseline.
#
#   stressbench-nightly.sh --baseline DIR --archive DIR [OPTION...] -- OPTIONS OF machine run
#
#   --baseline DIR   result to compare with: the directory of an earlier `stressbench machine run`
#   --archive DIR    each night becomes a directory in it, named by its start in UTC
#   --within SHARE   smallest difference of interest (5%)
#   --junit FILE     also write the tests to FILE; NIGHT/junit.xml has them in any case
#   --no-confirm     do not measure again if a figure is worse
#   --no-doctor      do not examine the machine first
#
# The options after -- are those of `stressbench machine run` by which the baseline was measured, without -o:
#
#   stressbench-nightly.sh --baseline baseline --archive nights -- -n 512 --on slurm --storage /scratch/bench
#
# An alarm is a figure that is worse by more than --within in two measurements of one night, by intervals that hold for
# all figures together with 95 % confidence. The second measurement is made only if the first has such a figure, and no
# third one is made. What NIGHT contains, and how to find the cause of an alarm: docs/how-to/computing-centre.md.
#
# Progress is on standard output, alarms and errors are on standard error. Exit status: 0 no figure is worse; 1 alarm;
# 2 an option or the baseline is wrong, nothing was measured; 3 the machine could not be measured; 130 interrupted.
set -uo pipefail

readonly alarm=1 mistake=2 fault=3 interrupted=130
baseline='' archive='' within=5% junit='' confirm=yes doctor=yes
declare -a options=() examined=()
night='' child='' stopped=''

say() { printf 'stressbench-nightly: %s\n' "$*"; }

give_up() {  # status, message
  say "$2" >&2
  exit "$1"
}

read_options() {
  while (($#)); do
    case $1 in
      --baseline | --archive | --within | --junit)
        [[ -n ${2-} ]] || give_up $mistake "$1: expected a value"
        printf -v "${1#--}" '%s' "$2"
        shift 2
        ;;
      --no-confirm) confirm=no; shift ;;
      --no-doctor) doctor=no; shift ;;
      -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
      --) shift; options=("$@"); break ;;
      *) give_up $mistake "'$1': expected --baseline, --archive, --within, --junit, --no-confirm, --no-doctor or --" ;;
    esac
  done
  [[ -n $baseline ]] || give_up $mistake "--baseline: expected the directory of an earlier \`stressbench machine run\`"
  [[ -n $archive ]] || give_up $mistake "--archive: expected a directory for the nights"
}

read_target() {  # those options of `machine run` that `doctor` has, too
  local number word
  for ((number = 0; number < ${#options[@]}; number++)); do
    word=${options[number]}
    case $word in
      -o* | --output | --output=*) give_up $mistake "$word: each night is a new directory in --archive" ;;
      --on | -n | --engine) examined+=("$word" "${options[number + 1]-}") ;;
      --ranks) examined+=(-n "${options[number + 1]-}") ;;
      --on=* | -n?* | --engine=*) examined+=("$word") ;;
      --ranks=*) examined+=(-n "${word#--ranks=}") ;;
    esac
  done
}

stop() {
  stopped=yes
  [[ -z $child ]] || kill -TERM "$child" 2>/dev/null
}

run() {  # PATH, command...: its status; its output is in PATH.txt, its errors in PATH.log
  local path=$1 status
  shift
  { : >"$path.txt" && : >"$path.log"; } || give_up $fault "$path.txt: cannot be written"
  "$@" >"$path.txt" 2>"$path.log" 9>&- &
  child=$!
  [[ -z $stopped ]] || kill -TERM "$child" 2>/dev/null
  while :; do  # a signal ends `wait` before the command
    status=0
    wait "$child" || status=$?
    kill -0 "$child" 2>/dev/null || break
  done
  child=''
  [[ -z $stopped ]] || give_up $interrupted "interrupted; $night has what was measured"
  return "$status"
}

refuse_options() {  # log of the command that refused them
  cat "$1" >&2
  rm -r "$night"
  give_up $mistake "the options after -- are wrong"
}

examine() {
  run "$night/doctor" stressbench doctor "${examined[@]}"
  case $? in
    0) return ;;
    "$mistake") refuse_options "$night/doctor.log" ;;
  esac
  grep -A 2 '^error' "$night/doctor.txt" >&2
  give_up $fault "the machine was not measured, since it has errors: $night/doctor.txt"
}

measure() {  # directory of the result
  say "measuring into $1; $1.log has the progress"
  run "$1" stressbench machine run "${options[@]}" -o "$1"
  case $? in
    0) return ;;
    "$mistake") [[ -d $night/first ]] || refuse_options "$1.log" ;;
    "$interrupted") give_up $interrupted "incomplete; \`stressbench machine resume $1\` continues" ;;
  esac
  tail -n 5 "$1.log" >&2
  give_up $fault "the machine could not be measured: $1.log"
}

compare() {  # options...: 0 no figure is worse, 1 a figure is worse
  run "$night/compare" stressbench machine compare "$baseline" "$night/first" --within "$within" --simultaneous \
    --junit "$night/junit.xml" --exit-code "$@"
  local status=$?
  ((status <= alarm)) && return "$status"
  cat "$night/compare.log" >&2
  give_up $fault "$night/first cannot be compared with $baseline"
}

keep_evidence() {  # counters, links and doubts of each run, which help to find the cause
  local one name
  mkdir "$night/runs"
  for one in "$night"/{first,second}/study/runs/*.jsonl; do
    [[ -e $one ]] || continue
    name=${one#"$night/"}
    run "$night/runs/${name%%/*}-$(basename "$one" .jsonl)" stressbench show "$one" --telemetry --jobs-only
  done
}

read_options "$@"
read_target
command -v stressbench >/dev/null || give_up $mistake "stressbench is not on PATH"
stressbench machine compare "$baseline" "$baseline" --within "$within" >/dev/null || exit $mistake
if [[ -n $junit ]] && ! [[ -w $(dirname "$junit") && ! -d $junit ]]; then
  give_up $mistake "--junit: $junit: cannot be written"
fi
mkdir -p "$archive" || exit $mistake
exec 9>>"$archive/lock" || exit $mistake
flock --nonblock 9 || give_up $mistake "--archive: $archive: another night is being measured"
night=$archive/$(date -u +%Y-%m-%dT%H%M%SZ)
mkdir "$night" || exit $mistake
trap stop INT TERM HUP USR1

[[ $doctor == no ]] || examine
measure "$night/first"
ln -sfn "$(basename "$night")" "$archive/latest"
compare
worse=$?
if ((worse)) && [[ $confirm == yes ]]; then
  say "a figure is worse: measuring again"
  cp "$night/compare.txt" "$night/compare-first.txt"
  measure "$night/second"
  compare --confirm "$night/second"
  worse=$?
fi
[[ -z $junit ]] || cp "$night/junit.xml" "$junit" || give_up $fault "--junit: $junit: cannot be written"
if ((worse)); then
  cat "$night/compare.txt" >&2
  keep_evidence
  give_up $alarm "alarm: a figure is worse; $night has the evidence"
fi
say "no figure is worse: $night/compare.txt"
