#include "image/neff.h"

#include <cstring>

#include "base/version.h"
#include "image/content.h"
#include "image/facts.h"
#include "image/gzip.h"
#include "image/header.h"
#include "image/tar.h"

namespace openneuron::image {
namespace {

constexpr std::string_view kBuilder = "openneuron ";

// The archive, expanded when it is compressed; `owner` keeps `bytes` alive.
struct Archive {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

Result<Archive> open_archive(std::span<const std::byte> data, const std::string& file,
                             std::shared_ptr<const void> owner) {
  if (is_gzip(data)) {
    auto expanded = decompress(data, file);
    if (!expanded) return expanded.failure();
    auto kept = std::make_shared<const std::vector<std::byte>>(std::move(*expanded));
    return Archive{*kept, kept};
  }
  if (owner) return Archive{data, std::move(owner)};
  auto kept = std::make_shared<const std::vector<std::byte>>(data.begin(), data.end());
  return Archive{*kept, kept};
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::size_t core_count(const Members& members) { return members.count("sg01/def.json") ? 2 : 1; }

Result<std::vector<std::byte>> pack(const Members& members, const WriteOptions& options) {
  std::vector<std::byte> data = write_tar(members);
  if (options.compress && data.size() <= UINT32_MAX) {  // gzip states sizes in 32 bits
    auto small = compress(data);
    if (!small) return small.failure();
    data = std::move(*small);
  }
  Header header;
  header.data_bytes = data.size();
  header.build_version = std::string(kBuilder) + version();
  header.lnc_size = static_cast<std::uint32_t>(core_count(members));
  const Checksums sums = checksums(data);
  header.hash = sums.hash;
  header.uuid = sums.uuid;
  header.name = base_name(options.name);
  std::vector<std::byte> out(kHeaderBytes + data.size());
  write_header(header, out);
  if (!data.empty()) std::memcpy(out.data() + kHeaderBytes, data.data(), data.size());
  return out;
}

// Another producer's checksum may be of another kind: such a file is told apart by its content.
bool is_ours(const Header& header) { return header.build_version.compare(0, kBuilder.size(), kBuilder) == 0; }

struct Opened {
  Header header;
  Archive archive;
  Members members;
};
Result<Opened> open(std::span<const std::byte> bytes, const std::string& file, std::shared_ptr<const void> owner) {
  auto header = read_header(bytes, file);
  if (!header) return header.failure();
  Place place;
  place.file = file;
  const auto data = bytes.subspan(kHeaderBytes);
  const Checksums sums = checksums(data);
  if (is_ours(*header) && sums.hash != header->hash)
    return fail(Code::NeffCorrupt, place, "the data has checksum " + sums.hash + "; the header says " + header->hash);
  auto archive = open_archive(data, file, std::move(owner));
  if (!archive) return archive.failure();
  auto members = read_tar(archive->bytes, file);
  if (!members) return members.failure();
  Opened opened{std::move(*header), std::move(*archive), std::move(*members)};
  if (is_ours(opened.header)) {
    ON_TRY(check_header(opened.header, bytes, sums, core_count(opened.members), file));
  } else if (assemble(opened.members, file, opened.archive.owner)) {
    return fail(Code::NeffCorrupt, place, "the header does not name OpenNeuron, whose code the file holds");
  }
  return opened;
}

}  // namespace

Result<std::vector<std::byte>> write_neff(const isa::Code& code, const WriteOptions& options) {
  auto content = describe(code);
  if (!content) return content.failure();
  return pack(content->members, options);
}

Result<isa::Code> read_neff(std::span<const std::byte> bytes, const std::string& file,
                            std::shared_ptr<const void> owner) {
  auto opened = open(bytes, file, std::move(owner));
  if (!opened) return opened.failure();
  return assemble(opened->members, file, opened->archive.owner);
}

Result<isa::Facts> read_facts(std::span<const std::byte> bytes, const std::string& file) {
  // The caller's bytes outlive this call.
  auto opened = open(bytes, file, std::shared_ptr<const void>(std::shared_ptr<const void>(), bytes.data()));
  if (!opened) return opened.failure();
  const auto at = opened->members.find(kFactsMember);
  if (at == opened->members.end()) return isa::Facts();
  return parse_facts({reinterpret_cast<const char*>(at->second.data()), at->second.size()}, file);
}

Result<std::vector<std::byte>> strip_neff(std::span<const std::byte> bytes, const std::string& file) {
  // The caller's bytes outlive this call.
  auto opened = open(bytes, file, std::shared_ptr<const void>(std::shared_ptr<const void>(), bytes.data()));
  if (!opened) return opened.failure();
  auto code = assemble(opened->members, file, opened->archive.owner);
  if (!code) return code.failure();
  Members kept;
  for (const auto& [name, content] : opened->members)
    if (is_needed(name)) kept.emplace(name, content);
  WriteOptions options;
  options.name = opened->header.name;
  options.compress = is_gzip(bytes.subspan(kHeaderBytes));
  return pack(kept, options);
}

}  // namespace openneuron::image
