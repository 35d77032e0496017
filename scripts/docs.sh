#!/usr/bin/env bash
# Builds the documentation site into build/site. Everything is local: the finished site needs no network, and no server either.
#
#   scripts/docs.sh            build; a link that leads nowhere is an error
#   scripts/docs.sh --serve    build, then serve it at http://127.0.0.1:8000 and build again after each change
set -euo pipefail
case ${1-} in
  '' | --serve) ;;
  -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) printf "docs.sh: '%s' is not an option; there is only --serve\n" "$1" >&2; exit 2 ;;
esac
# shellcheck source=scripts/install.sh
source "$(dirname "$0")/install.sh"
cd "$root"

need_environment
fingerprint=$(sha256sum pyproject.toml | cut -d' ' -f1)
if ! { is_done docs "$fingerprint" && .venv/bin/python -c 'import material, typer' 2>/dev/null; }; then
  say "Installing what the documentation is built with (log: .cache/docs-pip.log) ..."
  # The package's own dependencies and the group `docs`, without a build of the engine: pages are made from src/.
  mapfile -t requirements < <(.venv/bin/python -c '
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*project["dependencies"], *project["optional-dependencies"]["docs"], sep="\n")')
  pip_install .cache/docs-pip.log "${requirements[@]}" || give_up "The documentation's dependencies could not be installed."
  mark_done docs "$fingerprint"
fi

export NO_MKDOCS_2_WARNING=1 PYTHONPATH=$root/src${PYTHONPATH:+:$PYTHONPATH}
[[ ${1-} == --serve ]] && exec .venv/bin/python -m mkdocs serve
.venv/bin/python -m mkdocs build --strict --clean --quiet
say "The site: $root/build/site/index.html"
