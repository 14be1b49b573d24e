#!/bin/sh
# Sets up a machine: Debian packages, then the pinned Python side in .venv. Does nothing when all is there.
set -eu
cd "$(dirname "$0")/.."

packages="ca-certificates g++ cmake ninja-build ccache mold python3 python3-venv libcli11-dev nlohmann-json3-dev libtomlplusplus-dev
  libfmt-dev valgrind libhwy-dev libxxhash-dev libprotozero-dev libssl-dev zlib1g-dev libzstd-dev doctest-dev chromium"

stamp=.venv/.set-up
wanted=$(cat scripts/setup.sh requirements.txt pyproject.toml | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi

say() { printf 'set-up: %s\n' "$*"; }

# -- Debian packages
missing=
if command -v dpkg-query >/dev/null; then
  for p in $packages; do
    dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed || missing="$missing $p"
  done
else
  say "this is not Debian: install by hand what corresponds to: $packages clang libclang-rt-dev"
fi
need_clang=
sh scripts/find_clang.sh >/dev/null || need_clang=yes

if [ -n "$missing$need_clang" ] && command -v apt-get >/dev/null; then
  root=
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then root=sudo; else root=no; fi
  fi
  run() { if [ -n "$root" ]; then sudo env DEBIAN_FRONTEND=noninteractive "$@"; else DEBIAN_FRONTEND=noninteractive "$@"; fi; }
  if [ "$root" != no ]; then run apt-get -q -o Acquire::Retries=3 update >/dev/null; fi
  if [ -n "$need_clang" ]; then
    # The clang that this Debian calls default, and the runtime library of the same number.
    number=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
    missing="$missing clang libclang-rt-${number:-14}-dev"
  fi
  command="apt-get install -y --no-install-recommends$missing"
  if [ "$root" = no ]; then
    say "these packages are missing and need root; please run:"
    echo "  sudo apt-get update && sudo $command"
    say "then start again."
    exit 1
  fi
  say "$command"
  log=$(mktemp)
  run apt-get -q -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 install -y --no-install-recommends $missing >"$log" 2>&1 || {
    tail -n 20 "$log"
    say "apt-get failed; the whole output is in $log"
    exit 1
  }
  rm -f "$log"
fi

compiler=$(g++ -dumpversion | cut -d. -f1)
if [ "$compiler" -lt 12 ]; then say "g++ 12 or newer is needed, found $compiler"; exit 1; fi

# -- Python
if ! .venv/bin/python -c 'import sys; assert sys.version_info >= (3, 11)' 2>/dev/null; then
  say "python3 -m venv .venv"
  rm -rf .venv
  python3 -m venv .venv
fi
say "pip install -r requirements.txt"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --retries 5 -r requirements.txt
# The package itself in development form: python/ as it stands, with the plugin and the programs that `make build` leaves.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings wheel.cmake=false --editable .

echo "$wanted" > "$stamp"
say "done"
