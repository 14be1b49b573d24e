// page/: the page's pieces, put together around the data.
#include "report/page.h"

#include <array>
#include <string_view>

namespace openneuron::report {
namespace {

struct Piece {
  std::string_view name, text;
};
constexpr Piece kPieces[] = {
#include "report/page_pieces.inc"
};

std::string_view piece(std::string_view name) {
  for (const Piece& p : kPieces)
    if (p.name == name) return p.text;
  return {};
}

// "</script>" in a name must not end the script.
std::string in_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string to_html(const Report& report) {
  std::string out;
  std::string_view frame = piece("page");
  while (!frame.empty()) {  // "@name@" on a line of its own stands for a piece
    const std::size_t end = std::min(frame.find('\n'), frame.size() - 1) + 1;
    const std::string_view line = frame.substr(0, end);
    frame.remove_prefix(end);
    if (line.size() < 4 || line[0] != '@') {
      out += line;
      continue;
    }
    const std::string_view name = line.substr(1, line.find('@', 1) - 1);
    if (name == "data")
      out += "const DATA = " + in_script(page_data(report)) + ";\n";
    else
      out += piece(name);
  }
  return out;
}

}  // namespace openneuron::report
