#include <algorithm>

#include "tools/commands.h"
#include "tools/console.h"

namespace openneuron::tools {
namespace {

struct Page {
  std::string_view code, text;
};
// docs/errors/*.md, built in.
constexpr Page kPages[] = {
#include "tools/error_pages.inc"
    {"", ""}};

}  // namespace

Result<void> explain(const Arguments& a) {
  std::string code = a.file;
  std::transform(code.begin(), code.end(), code.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  for (const Page& page : kPages)
    if (page.code == code && !code.empty()) return print(page.text);
  return fail(Code::CodeUnknown, "there is no diagnostic '" + a.file + "'");
}

}  // namespace openneuron::tools
