#include "base/hash.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace openneuron {
namespace {

// OpenSSL fails here only when memory is exhausted or the algorithm is missing from the build.
void must(int ok) {
  if (ok != 1) std::abort();
}

template <class Digest>
Digest digest(const EVP_MD* kind, std::span<const std::byte> bytes) {
  Digest out{};
  unsigned size = 0;
  must(EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, kind, nullptr));
  return out;
}

}  // namespace

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::span<const std::byte> bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

Md5 md5(std::span<const std::byte> bytes) { return digest<Md5>(EVP_md5(), bytes); }
Sha256 sha256(std::span<const std::byte> bytes) { return digest<Sha256>(EVP_sha256(), bytes); }

struct Sha256Stream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { must(context != nullptr && EVP_DigestInit_ex(context, EVP_sha256(), nullptr)); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {}
Sha256Stream::Sha256Stream(Sha256Stream&&) noexcept = default;
Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::add(std::span<const std::byte> bytes) {
  must(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

Sha256 Sha256Stream::finish() {
  Sha256 out{};
  unsigned size = 0;
  must(EVP_DigestFinal_ex(state_->context, out.data(), &size));
  return out;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (std::uint8_t b : bytes) {
    out.push_back(kDigits[b >> 4]);
    out.push_back(kDigits[b & 15]);
  }
  return out;
}

}  // namespace openneuron
