#!/usr/bin/env bash
# Installs what is missing and runs every test; ends with one line `N passed, N failed[, N skipped]`.
#
#   scripts/test.sh              all stages
#   scripts/test.sh STAGE...     some of: lint engine mpich sanitize fuzz python contract system
set -uo pipefail
all_stages=(lint engine mpich sanitize fuzz python contract system)
case ${1-} in
  -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
for name in "$@"; do
  [[ " ${all_stages[*]} " == *" $name "* ]] ||
    { printf "test.sh: '%s' is not a stage; stages are: %s\n" "$name" "${all_stages[*]}" >&2; exit 2; }
done
stages=("$@")
(($#)) || stages=("${all_stages[@]}")

# shellcheck source=scripts/install.sh
source "$(dirname "$0")/install.sh"
cd "$root" || exit
logs=$root/.cache/test
rm -rf "$logs"
mkdir -p "$logs"
jobs=$(nproc)

export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS="suppressions=$root/scripts/leaks.supp:print_suppressions=0"

# A stage writes what it did to its log and leaves its results as JUnit files, $logs/STAGE*.xml, or counts itself in $logs/STAGE.count.
build() {  # preset, options of the build...
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" "$@"
}
ctest_of() {  # stage, preset
  ctest --test-dir "build/$2" -j "$jobs" --output-on-failure --no-tests=error --output-junit "$logs/$1.xml"
}
pytest_of() {  # stage, folder, options...
  local stage=$1 folder=$2
  shift 2
  .venv/bin/python -m pytest -q -rs --durations=25 --junitxml="$logs/$stage.xml" -o junit_family=xunit2 "$@" "tests/$folder"
}

stage_lint() { scripts/lint.sh "$logs/lint.count"; }
stage_engine() { build release && ctest_of engine release; }
stage_mpich() { build mpich && ctest_of mpich mpich; }
stage_sanitize() { build sanitize && ctest_of sanitize sanitize; }
stage_fuzz() {  # a million mutated workloads, then half a minute of libFuzzer
  local passed=0 corpus=$root/.cache/fuzz-corpus
  mkdir -p "$corpus"
  build release --target workload_mutations && build/release/tests/fuzz/workload_mutations 1000000 && ((passed += 1))
  cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DSTRESSBENCH_TESTS=ON -DSTRESSBENCH_LIBFUZZER=ON &&
    cmake --build build/fuzz -j "$jobs" --target workload_libfuzzer &&
    (cd "$logs" && "$root/build/fuzz/tests/fuzz/workload_libfuzzer" -max_total_time=30 -rss_limit_mb=1024 -timeout=10 \
      -dict="$root/tests/fuzz/workload.dict" "$corpus" "$root/workloads") && ((passed += 1))
  echo "$passed $((2 - passed)) 0" >"$logs/fuzz.count"
  ((passed == 2))
}
stage_python() { pytest_of python unit -n "$jobs" --dist loadfile; }
stage_contract() { build release && pytest_of contract contract tests/golden; }
stage_system() { build release && build mpich && build simgrid && pytest_of system integration tests/nightly; }

count() {  # stage, its exit status -> "passed failed skipped"
  .venv/bin/python scripts/count_tests.py --status "$2" "$logs/$1.count" "$logs/$1"*.xml
}

in_words() {  # passed failed skipped
  printf '%d passed, %d failed' "$1" "$2"
  (($3 == 0)) || printf ', %d skipped' "$3"
  printf '\n'
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
for name in "${stages[@]}"; do
  begin=$SECONDS
  [[ -t 1 ]] && printf '%-9s ...' "$name"
  "stage_$name" >"$logs/$name.log" 2>&1
  status=$?
  read -r p f s < <(count "$name" "$status")
  ((passed += p, failed += f, skipped += s))
  [[ -t 1 ]] && printf '\r'
  printf '%-9s %s, %d s\n' "$name" "$(in_words "$p" "$f" "$s")" $((SECONDS - begin))
  if ((f)); then
    printf -- '---- %s: the end of .cache/test/%s.log\n' "$name" "$name"
    tail -n 150 "$logs/$name.log"
    printf -- '---- end of %s\n' "$name"
  elif ((s)); then
    grep -hE '^SKIPPED' "$logs/$name.log"
  fi
done
# Once more at the very end, where a cut-off log still has them.
((failed == 0)) || .venv/bin/python scripts/count_tests.py --failures "$logs"/*.xml | sed 's/^/failed: /'
printf 'took %d min %02d s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
in_words "$passed" "$failed" "$skipped"
((failed == 0))
