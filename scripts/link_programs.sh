#!/bin/sh
# After `. .venv/bin/activate` every program of build/bin is on the path.
cd "$(dirname "$0")/.." || exit 1
for program in build/bin/*; do
  name=$(basename "$program")
  case $name in test_*|bench_*|'*') continue ;; esac
  ln -sf "$PWD/build/bin/$name" ".venv/bin/$name"
done
