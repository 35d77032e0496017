#!/usr/bin/env bash
# Installs what is missing and runs the tests; ends with one line `N passed, N failed[, N skipped]`.
#
#   scripts/test.sh                        the fast lane: what CI runs; deterministic
#   scripts/test.sh --full                 the full lane: the fast one, and everything that measures, repeats or takes long
#   scripts/test.sh STAGE...               some stages only
#   scripts/test.sh --list                 the stages of both lanes
#   scripts/test.sh --full -- OPTION...    options for pytest: --samples N, --kills N, --interruptions N, --mutations N, -k WORD
#
# A stage leaves its whole output in .cache/test/STAGE.log, and how long its tests took in .cache/test/STAGE.xml.
# STRESSBENCH_FUZZ_INPUTS, STRESSBENCH_FUZZ_FILES: mutated inputs of each reader of the engine [1000000] and of the Python package [10000] in
# the stage `fuzz`.
set -uo pipefail
fast_stages=(lint engine unit contract integration mpich)
full_stages=(lint engine unit contract integration mpich docs ranks mpich-full sanitize fuzz simulator nightly)
describe_stages() {
  cat <<'STAGES'
lint         both  format, lint, types, layers, paths and commands in the documentation
engine       both  optimised build with Open MPI; C++ tests without MPI, and over 2 and 4 ranks
unit         both  Python, without MPI; in the full lane with the lines that they run, and property tests again with 20 times as many, random examples
contract     both  schemas against what is written; everything that users script against (tests/golden)
integration  both  each command from end to end with Open MPI; reference captures; a lab; a study and its report in a browser
mpich        both  build with MPICH; a motif of each family and the tracer on 2 ranks
docs         full  the documentation site: build, links, search without a network
ranks        full  C++ tests over 1 rank, some over 8, and all storage cells over 1, 2, 4 and 8
mpich-full   full  C++ tests over 1, 2 and 4 ranks, and integration tests for any MPI, with MPICH
sanitize     full  C++ tests with address and undefined-behaviour sanitizers, and the lines that they run
fuzz         full  mutated inputs of each reader, and libFuzzer
simulator    full  build with SimGrid, and its tests
nightly      full  lab physics, kills and interruptions, long benchmarks, browsers, presets
STAGES
}
stages=() lane=fast
while (($#)); do
  case $1 in
    -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --list) describe_stages; exit 0 ;;
    --full) lane=full ;;
    --) shift; break ;;
    *)
      [[ " ${full_stages[*]} " == *" $1 "* ]] ||
        { printf "test.sh: '%s' is not a stage; stages are: %s\n" "$1" "${full_stages[*]}" >&2; exit 2; }
      stages+=("$1") ;;
  esac
  shift
done
pytest_options=("$@")
if ((${#stages[@]} == 0)); then
  if [[ $lane == full ]]; then stages=("${full_stages[@]}"); else stages=("${fast_stages[@]}"); fi
elif [[ $lane == full ]]; then
  printf 'test.sh: --full names all stages: leave it out, or the stages\n' >&2
  exit 2
fi

# shellcheck source=scripts/install.sh
source "$(dirname "$0")/install.sh"
cd "$root" || exit
logs=$root/.cache/test
rm -rf "$logs"
mkdir -p "$logs"
jobs=$(nproc)

unset PYTHONDONTWRITEBYTECODE  # test modules are compiled once, not by each worker of each stage
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS="suppressions=$root/scripts/leaks.supp:print_suppressions=0"

# Ranks that wait give their core to whatever else runs, and get it back milliseconds later. With real-time priority, where it is allowed, they
# give it only to each other. The kernel's writers then hardly run, so the files of these ranks are in memory.
memory=''
free_kib=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
if ((${free_kib:-0} >= 4 << 20)); then
  memory=$(mktemp -d /dev/shm/stressbench-test.XXXXXX)
  trap 'rm -rf "$memory"' EXIT
fi

# A stage writes what it did to its log and leaves its results as JUnit files, $logs/STAGE*.xml, or counts itself in $logs/STAGE.count.
build() {  # preset, options of the build...
  local preset=$1 begin=$SECONDS status
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" "$@"
  status=$?
  ((build_s += SECONDS - begin))
  return $status
}
ctest_of() {  # stage, preset, options...
  local stage=$1 preset=$2
  shift 2
  local status
  STRESSBENCH_TEST_MEMORY=$memory ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --no-tests=error \
    --output-junit "$logs/$stage.xml" "$@"
  status=$?
  # Tests within a ranked launch that were left out, and why: ctest prints the output of failed tests only.
  .venv/bin/python scripts/count_tests.py --skips "build/$preset/Testing/Temporary/LastTest.log"
  return $status
}
pytest_of() {  # stage, options and folders...
  local stage=$1
  shift
  .venv/bin/python -m pytest -rs --durations=25 --junitxml="$logs/$stage.xml" -o junit_family=xunit1 \
    ${pytest_options[@]+"${pytest_options[@]}"} "$@"
}
in_parallel=(-n $((jobs + 1)) --dist worksteal)  # some tests wait; a worker that has none left takes half of another's

stage_lint() { scripts/lint.sh "$logs/lint.count"; }
stage_engine() { build openmpi && ctest_of engine openmpi -LE full; }
stage_unit() {  # in the full lane lines covered are counted: pages in coverage-python/, total in coverage.txt
  if [[ $lane == fast ]]; then
    pytest_of unit "${in_parallel[@]}" tests/unit
    return
  fi
  local status=0 data=$logs/coverage.data
  COVERAGE_FILE=$data pytest_of unit "${in_parallel[@]}" --cov=stressbench --cov-report="html:$logs/coverage-python" tests/unit || status=1
  printf 'Python %s %%\n' "$(.venv/bin/coverage report --data-file="$data" --format=total)" >>"$logs/coverage.txt" || status=1
  pytest_of unit.thorough --thorough -m hypothesis "${in_parallel[@]}" tests/unit || status=1
  return $status
}
stage_contract() { build openmpi && pytest_of contract "${in_parallel[@]}" tests/contract tests/golden; }
stage_integration() { build openmpi && pytest_of integration -n $((2 * jobs)) --dist worksteal tests/integration; }  # they mostly wait
stage_mpich() {
  build mpich --target stressbench-mpi stressbench-trace stressbench-trace-salvage patterns &&
    pytest_of mpich -n 1 --mpi mpich tests/integration/test_every_mpi.py
}
stage_docs() { pytest_of docs tests/nightly/test_site.py; }
stage_ranks() { build openmpi && ctest_of ranks openmpi -L full; }
stage_mpich-full() {
  local status=0
  build mpich || return
  ctest_of mpich-full mpich || status=1
  pytest_of mpich-full.integration --mpi mpich tests/integration || status=1
  return $status
}
stage_sanitize() {  # pages of lines covered in coverage-engine/, total in coverage.txt
  local status=0
  build sanitize || return
  find build/sanitize -name '*.gcda' -delete
  ctest_of sanitize sanitize || status=1
  mkdir -p "$logs/coverage-engine"
  .venv/bin/gcovr --root . --filter engine/ --filter tracer/ --gcov-ignore-errors all --exclude-throw-branches -j "$jobs" build/sanitize \
    --html-details "$logs/coverage-engine/index.html" --json-summary "$logs/coverage-engine/summary.json" || status=1
  .venv/bin/python -c '
import json, sys
print("engine and tracer", json.load(open(sys.argv[1]))["line_percent"], "%")' "$logs/coverage-engine/summary.json" >>"$logs/coverage.txt" || status=1
  return $status
}
mutations_of() {  # reader of the engine
  local program=(build/openmpi/tests/fuzz/reader_mutations "$1" "tests/corpus/${1/telemetry/counters}")
  [[ $1 != workload ]] || program=(build/openmpi/tests/fuzz/workload_mutations)
  "${program[@]}" "${STRESSBENCH_FUZZ_INPUTS:-1000000}"  # limits its own time (tests/fuzz/mutator.hpp)
}
libfuzzer_of() {  # package of the engine, seeds
  local corpus=$root/.cache/fuzz-corpus/$1
  mkdir -p "$corpus"
  cmake --build build/fuzz -j "$jobs" --target "$1_libfuzzer" &&
    (cd "$logs" && timeout 600 "$root/build/fuzz/tests/fuzz/$1_libfuzzer" -max_total_time=30 -rss_limit_mb=1024 -timeout=10 \
      -dict="$root/tests/fuzz/$1.dict" "$corpus" "$root/$2")
}
stage_fuzz() {  # mutated inputs of each reader, then half a minute of libFuzzer for workloads and one for telemetry
  local passed=0 failed=0 readers=(workload trace run sizes levels sidecar telemetry)
  build openmpi || return
  export -f mutations_of
  passed=$(printf '%s\n' "${readers[@]}" | xargs -P "$jobs" -I{} bash -c 'mutations_of {} >&2 && echo passed' | wc -l)
  failed=$((${#readers[@]} - passed))
  if cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DSTRESSBENCH_TESTS=ON -DSTRESSBENCH_LIBFUZZER=ON; then
    if libfuzzer_of workload workloads; then ((passed += 1)); else ((failed += 1)); fi
    if libfuzzer_of telemetry tests/corpus/counters; then ((passed += 1)); else ((failed += 1)); fi
  else
    ((failed += 2))
  fi
  echo "$passed $failed 0" >"$logs/fuzz.count"
  pytest_of fuzz.python --mutations "${STRESSBENCH_FUZZ_FILES:-10000}" --timeout 7200 -n "$jobs" tests/unit/test_readers_mutated.py &&
    ((failed == 0))
}
stage_simulator() { build simgrid && build openmpi && pytest_of simulator tests/nightly/test_simgrid*.py; }
stage_nightly() {  # what measures nothing in parallel, then the rest one by one
  export STRESSBENCH_FIGURES=$logs/figures.jsonl
  local status=0 folder=('--ignore-glob=tests/nightly/test_simgrid*.py' --ignore=tests/nightly/test_site.py tests/nightly)
  build openmpi && build mpich || return
  pytest_of nightly.parallel -m 'not measures' "${in_parallel[@]}" "${folder[@]}" || status=1
  pytest_of nightly -m measures --durations=60 "${folder[@]}" || status=1
  return $status
}

count() {  # stage, its exit status -> "passed failed skipped"
  .venv/bin/python scripts/count_tests.py --status "$2" "$logs/$1.count" "$logs/$1.xml" "$logs/$1".*.xml
}

cpu_s() {  # CPU time of all processes that this one has waited for, and of those that these have, s
  local fields
  read -ra fields </proc/$$/stat
  echo $(((fields[15] + fields[16]) / $(getconf CLK_TCK)))
}

in_words() {  # passed failed skipped
  printf '%d passed, %d failed' "$1" "$2"
  (($3 == 0)) || printf ', %d skipped' "$3"
}

strict_flags() {
  .venv/bin/python -c '
import json, pathlib
presets = json.loads(pathlib.Path("CMakePresets.json").read_text())["configurePresets"]
print(next(one for one in presets if one["name"] == "strict")["cacheVariables"]["CMAKE_CXX_FLAGS"])'
}

install_all() {
  need_packages test
  need_environment
  local fingerprint
  fingerprint=$(package_fingerprint)
  is_done tests "$fingerprint" && is_done package "$fingerprint" && [[ -x .venv/bin/stressbench ]] && return 0
  say "Installing the Python package and what its tests need (log: .cache/pip.log) ..."
  # With the compiler and flags of the presets, whose builds then take the engine from the compiler cache.
  CC=cc CXX=c++ pip_install .cache/pip.log --config-settings=build-dir=build/package --config-settings="cmake.define.CMAKE_CXX_FLAGS=$(strict_flags)" \
    '.[dev]' || give_up "The package could not be installed."
  mark_done package "$fingerprint"
  mark_done tests "$fingerprint"
}

started=$SECONDS passed=0 failed=0 skipped=0
install_all || exit 1
printf '%-12s %d s\n' installation $((SECONDS - started))
for name in "${stages[@]}"; do
  begin=$SECONDS build_s=0 cpu_before_s=$(cpu_s)
  [[ -t 1 ]] && printf '%-12s ...' "$name"
  "stage_$name" >"$logs/$name.log" 2>&1
  status=$?
  read -r p f s < <(count "$name" "$status")
  ((passed += p, failed += f, skipped += s))
  [[ -t 1 ]] && printf '\r'
  printf '%-12s %s, %d s (CPU %d s)' "$name" "$(in_words "$p" "$f" "$s")" $((SECONDS - begin)) $(($(cpu_s) - cpu_before_s))
  ((build_s == 0)) || printf ', %d s of them the build' "$build_s"
  printf '\n'
  grep -hE '^SKIPPED' "$logs/$name.log"
  if ((f)); then
    printf -- '---- %s: the end of .cache/test/%s.log\n' "$name" "$name"
    tail -n 150 "$logs/$name.log"
    printf -- '---- end of %s\n' "$name"
  fi
done
[[ ! -s $logs/coverage.txt ]] || printf 'Lines covered: %s (pages: .cache/test/coverage-*)\n' "$(paste -sd ',' "$logs/coverage.txt")"
[[ ! -s $logs/figures.jsonl ]] || printf 'Figures of tests that measure: %s\n' "${logs#"$root"/}/figures.jsonl"
# Once more at the very end, where a cut-off log still has them.
((failed == 0)) || .venv/bin/python scripts/count_tests.py --failures "$logs"/*.xml | sed 's/^/failed: /'
printf 'took %d min %02d s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
in_words "$passed" "$failed" "$skipped"
echo
((failed == 0))
