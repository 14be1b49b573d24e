// Hashes: XXH3 for content keys inside the process and cache keys, MD5 and SHA-256 where a file format asks for them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace openneuron {

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Hash128& other) const { return low == other.low && high == other.high; }
  bool operator<(const Hash128& other) const { return high != other.high ? high < other.high : low < other.low; }
};
Hash128 hash128(std::span<const std::byte> bytes);

using Md5 = std::array<std::uint8_t, 16>;
using Sha256 = std::array<std::uint8_t, 32>;
Md5 md5(std::span<const std::byte> bytes);
Sha256 sha256(std::span<const std::byte> bytes);

/// The same, fed piece by piece.
class Sha256Stream {
 public:
  Sha256Stream();
  Sha256Stream(Sha256Stream&&) noexcept;
  ~Sha256Stream();
  void add(std::span<const std::byte> bytes);
  Sha256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Lower-case hexadecimal.
std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace openneuron
