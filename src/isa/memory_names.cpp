#include <limits>

#include "isa/text.h"

namespace openneuron::isa {
namespace {

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '$') return false;
  return true;
}

}  // namespace

void MemoryNames::add(std::string name, Space space) {
  ids_[name].push_back(static_cast<std::uint32_t>(names_.size()));
  names_.push_back(std::move(name));
  spaces_.push_back(space);
}

void MemoryNames::print(TextWriter& out, BufferId id) const {
  if (!has(id)) {
    out << "%?";
    return;
  }
  const std::string& name = names_[id.index];
  out << '%';
  if (is_identifier(name))
    out << name;
  else if (!name.empty())
    out.quoted(name);
  if (name.empty() || ids_.find(name)->second.size() > 1) out << '#' << id.index;
}

namespace {
// "name", "quoted" or nothing, then "#index" or nothing (index -1).
Result<std::pair<std::string, std::int64_t>> parse_name(TextReader& in) {
  ON_TRY(in.expect("%"));
  std::pair<std::string, std::int64_t> out{{}, -1};
  if (in.next_is("\"")) {
    auto name = in.quoted("a name");
    if (!name) return name.failure();
    out.first = std::move(*name);
  } else {
    out.first = std::string(in.peek_identifier());
    if (!out.first.empty()) in.accept_word(out.first);
  }
  if (!in.at_line_end() && in.accept("#")) {  // a declaration ends with its line
    auto number = in.integer_between("the number of a name", 0, std::numeric_limits<std::int32_t>::max());
    if (!number) return number.failure();
    out.second = *number;
  } else if (out.first.empty()) {
    return in.error("expected a name after '%'");
  }
  return out;
}
}  // namespace

Result<BufferId> MemoryNames::parse(TextReader& in) const {
  const std::size_t start = in.offset();
  auto name = parse_name(in);
  if (!name) return name.failure();
  const auto found = ids_.find(name->first);
  if (name->second >= 0) {
    if (found != ids_.end())
      for (std::uint32_t id : found->second)
        if (id == name->second) return BufferId(id);
  } else if (found != ids_.end()) {
    if (found->second.size() > 1)
      return in.error_at(start, "the name '" + name->first + "' is declared more than once: write its number, %" +
                                    name->first + "#" + std::to_string(found->second[0]));
    return BufferId(found->second[0]);
  }
  return in.error_at(start, "'%" + name->first + "' is not declared");
}

Result<void> MemoryNames::skip(TextReader& in) {
  auto name = parse_name(in);
  if (!name) return name.failure();
  return {};
}

Result<std::string> MemoryNames::parse_declared(TextReader& in) const {
  const std::size_t start = in.offset();
  auto name = parse_name(in);
  if (!name) return name.failure();
  if (name->second >= 0 && static_cast<std::size_t>(name->second) != size())
    return in.error_at(start, "the number of this name must be its position, " + std::to_string(size()));
  if (name->second < 0 && ids_.count(name->first))
    return in.error_at(start, "'%" + name->first + "' is declared twice");
  return std::move(name->first);
}

}  // namespace openneuron::isa
