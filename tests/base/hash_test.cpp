// Right values: RFC 1321 and FIPS 180-2 examples; xxHash's published value of the empty input.
#include "base/hash.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace openneuron;

namespace {
std::span<const std::byte> bytes(std::string_view s) { return std::as_bytes(std::span(s.data(), s.size())); }
}  // namespace

TEST_CASE("digests equal the published examples") {
  CHECK(hex(md5(bytes(""))) == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(hex(md5(bytes("abc"))) == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(hex(sha256(bytes("abc"))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash64(bytes("")) == 0x2D06800538D394C2ull);
}

TEST_CASE("a digest fed in pieces equals the whole") {
  Sha256Stream stream;
  stream.add(bytes("a"));
  stream.add(bytes(""));
  stream.add(bytes("bc"));
  CHECK(stream.finish() == sha256(bytes("abc")));
}

TEST_CASE("hashes differ by content and seed") {
  CHECK(hash64(bytes("a")) != hash64(bytes("b")));
  CHECK(hash64(bytes("a"), 1) != hash64(bytes("a"), 2));
  CHECK(!(hash128(bytes("a")) == hash128(bytes("b"))));
}
