// Any bytes as an .npz archive and as one .npy array: refused or read, never more.
// builds tools/npz.cpp tools/zip.cpp
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/files.h"
#include "num/element_type.h"
#include "tools/npz.h"
#include "tools/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  FileBytes file;
  file.bytes = {reinterpret_cast<const std::byte*>(data), size};
  unsigned sum = 0;
  if (auto members = tools::read_zip(file, "fuzz"))
    for (const auto& member : *members) {
      auto array = tools::parse_npy(member.bytes, member.owner, "fuzz", member.name);
      if (array)
        for (std::byte b : array->bytes) sum += std::to_integer<unsigned>(b);
    }
  if (auto array = tools::parse_npy(file.bytes, {}, "fuzz", "a"))
    for (std::byte b : array->bytes) sum += std::to_integer<unsigned>(b);
  return sum == 0xFFFFFFFFu ? -1 : 0;  // reads every byte; the sum is of no interest
}
