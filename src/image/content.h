// What stands in the members of the archive: JSON texts, engine code, constants.
#pragma once
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "image/tar.h"
#include "isa/code.h"

namespace openneuron::image {

/// Members whose bytes are made here (`made`) or lie in the code's variables.
struct Content {
  Members members;
  std::list<std::vector<std::byte>> made;
};
/// Errors ON-E1810.
Result<Content> describe(const isa::Code& code);

/// The inverse; constants stay in the archive, which `owner` keeps alive. Errors ON-E1807, 1808, 1809.
Result<isa::Code> assemble(const Members& members, const std::string& file, std::shared_ptr<const void> owner);

/// Whether a stripped NEFF keeps the member.
bool is_needed(std::string_view member);

}  // namespace openneuron::image
