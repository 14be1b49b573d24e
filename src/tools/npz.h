// Arrays in numpy's .npz files (and single ones in .npy): how inputs come in and outputs go out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "num/element_type.h"

namespace openneuron::tools {

/// One array, row-major and little-endian.
struct Array {
  std::string name;
  char kind = 'f';  ///< numpy's: b bool, i, u, f, c, V raw
  int width = 4;    ///< bytes per element
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;   ///< count * width
  std::shared_ptr<const void> owner;  ///< keeps `bytes` alive

  std::int64_t count() const;
};

/// numpy's kind and width of an element type. bf16, float8 and integers below 8 bits travel raw: V2, V1.
struct NumpyType {
  char kind;
  int width;
};
NumpyType numpy_type(ElementType type);
/// "float32", "V2", ... for messages.
std::string numpy_name(char kind, int width);

/// errors  ON-E1001, ON-E2110 (broken file), ON-E2111 (an array of a kind that no tensor has)
Result<std::vector<Array>> read_npz(const std::string& path);
/// The array in the bytes of one .npy; `file` is for messages.
Result<Array> parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& file,
                        const std::string& name);
Result<void> write_npz(const std::string& path, std::span<const Array> arrays);

}  // namespace openneuron::tools
