// POSIX ustar archives: 512-byte headers, content padded to 512, two zero blocks at the end. Regular files only.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace openneuron::image {

/// Name and content; the content is the caller's.
using Members = std::map<std::string, std::span<const std::byte>, std::less<>>;

/// Owner 0, mode 644, time 0, members in order of their names: equal members give equal bytes.
std::vector<std::byte> write_tar(const Members& members);
/// Spans into `archive`. A leading "./" is dropped; directories and extended headers are skipped. Errors ON-E1806.
Result<Members> read_tar(std::span<const std::byte> archive, const std::string& file);

}  // namespace openneuron::image
