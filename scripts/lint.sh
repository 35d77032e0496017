#!/usr/bin/env bash
# Format, lint, type and layer checks. `scripts/lint.sh` prints a line a check; `scripts/lint.sh FILE` also writes `passed failed skipped`.
set -uo pipefail
# shellcheck source=scripts/install.sh
source "$(dirname "$0")/install.sh"
cd "$root" || exit
tools=$root/.venv/bin
passed=0 failed=0 skipped=0

check() {  # what, command...
  local what=$1 output
  shift
  if ! command -v "$1" >/dev/null; then
    say "SKIPPED $what: $1 is not installed"
    ((skipped += 1))
  elif output=$("$@" 2>&1); then
    say "passed  $what"
    ((passed += 1))
  else
    say "FAILED  $what:" "$output"
    ((failed += 1))
  fi
}

python_folders=()
for folder in src tests scripts benchmarks packaging; do [[ -d $folder ]] && python_folders+=("$folder"); done
mapfile -t cpp < <(git ls-files '*.cpp' '*.hpp' '*.c' '*.h')
mapfile -t shell < <(git ls-files '*.sh' .ci/run)

check "clang-format" clang-format --dry-run --Werror "${cpp[@]}"
check "ruff format" "$tools/ruff" format --check "${python_folders[@]}"
check "ruff check" "$tools/ruff" check "${python_folders[@]}"
check "mypy --strict, package" "$tools/mypy"
check "mypy --strict, scripts" "$tools/mypy" scripts
check "mypy --strict, benchmarks" "$tools/mypy" benchmarks
check "import-linter" "$tools/lint-imports"
check "layers of engine/" "$tools/python" scripts/check_layers.py
check "replaced names" "$tools/python" scripts/check_names.py
check "paths exist" "$tools/python" scripts/check_paths.py
check "documentation: commands, code blocks, generated pages" "$tools/python" scripts/check_docs.py
check "shellcheck" shellcheck --external-sources --severity=info "${shell[@]}"

(($# == 0)) || printf '%d %d %d\n' "$passed" "$failed" "$skipped" >"$1"
((failed == 0))
