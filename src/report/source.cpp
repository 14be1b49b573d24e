#include <cctype>

#include "report/report.h"

namespace openneuron::report {
namespace {

bool is_number(const std::string& text) {
  for (char c : text)
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  return !text.empty();
}

// The "(...)" that ends the text, without its brackets; it is taken off.
std::string take_group(std::string& text) {
  if (text.size() < 3 || text.back() != ')') return {};
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (depth > 0) continue;
    if (i == 0 || text[i - 1] != ' ') return {};
    std::string group = text.substr(i + 1, text.size() - i - 2);
    text.erase(i - 1);
    return group;
  }
  return {};
}

std::string after_last(const std::string& text, char separator) { return text.substr(text.rfind(separator) + 1); }

}  // namespace

Source parse_source(const std::string& location) {
  Source source;
  source.text = location;
  std::string rest = location;
  const std::string last = take_group(rest);
  if (last.find('/') != std::string::npos) {
    source.op = after_last(last, '/');
    source.function = take_group(rest);
    // JAX's name for what a backward pass derives from the line.
    if (last.find("transpose(jvp") != std::string::npos) source.function += source.function.empty() ? "gradient" : ", gradient";
  } else {
    source.function = last;
  }
  // file:line:column, or no place at all
  std::string place = rest;
  std::string column;
  if (const std::size_t colon = place.rfind(':'); colon != std::string::npos && is_number(place.substr(colon + 1))) {
    column = place.substr(colon);
    place.erase(colon);
    if (const std::size_t line = place.rfind(':'); line == std::string::npos || !is_number(place.substr(line + 1)))
      place += column;  // it was the line
    source.place = after_last(place, '/');
  } else if (source.op.empty()) {
    source.op = after_last(rest, '/');
  }
  return source;
}

}  // namespace openneuron::report
