// debug_info/facts.txt: what the compiler decided, a line a fact (docs/neff.md). Only reports read it.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "isa/code.h"

namespace openneuron::image {

inline constexpr std::string_view kFactsMember = "debug_info/facts.txt";

std::string write_facts(const isa::Facts& facts);
/// errors  ON-E1807 with the line
Result<isa::Facts> parse_facts(std::string_view text, const std::string& file);

}  // namespace openneuron::image
