// NEFF files. The first byte says what the rest is: 0 a whole file, else the data section, under a header that fits it,
// so that the fuzzer reaches the archive, the members and the engine code.
#include <cstdlib>
#include <cstring>

#include "image/header.h"
#include "image/neff.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openneuron;
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data + 1, size - 1));
  std::vector<std::byte> bytes(rest.begin(), rest.end());
  if (data[0] != 0) {
    image::Header header;
    header.data_bytes = rest.size();
    header.build_version = "openneuron 0";
    const image::Checksums sums = image::checksums(rest);
    header.hash = sums.hash;
    header.uuid = sums.uuid;
    header.lnc_size = data[0] == 2 ? 2 : 1;
    bytes.insert(bytes.begin(), image::kHeaderBytes, std::byte{0});
    image::write_header(header, bytes);
  }
  (void)image::read_facts(bytes, "fuzz.neff");
  auto code = image::read_neff(bytes, "fuzz.neff");
  if (!code) return 0;
  // What was read can be written, and reads back.
  auto written = image::write_neff(*code, {});
  if (!written || !image::read_neff(*written, "fuzz.neff")) std::abort();
  return 0;
}
