#!/bin/sh
# Prints a clang++ (14 or newer) that can build libFuzzer programs; exit status 1 when there is none.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat > "$work/t.cpp" <<'CODE'
#include <cstddef>
#include <cstdint>
#include <string>
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) { return std::string("a").size() == 2; }
CODE
for name in ${OPENNEURON_CLANG:-} clang++ clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do
  path=$(command -v "$name") || continue
  major=$("$path" -dumpversion | cut -d. -f1)
  [ "$major" -ge 14 ] || continue
  if "$path" -std=c++20 -fsanitize=fuzzer,address "$work/t.cpp" -o "$work/t" 2>/dev/null; then
    echo "$path"
    exit 0
  fi
done
exit 1
