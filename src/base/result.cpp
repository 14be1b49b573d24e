#include "base/result.h"

namespace openneuron {
namespace {

struct Row {
  const char* code;
  const char* summary;
  const char* hint;
};
constexpr Row kRows[] = {
#define ERROR(name, code, summary, hint) {code, summary, hint},
#include "base/errors.def"
#undef ERROR
};

const Row& row(Code code) { return kRows[static_cast<std::size_t>(code)]; }

}  // namespace

const char* code_text(Code code) { return row(code).code; }
const char* code_summary(Code code) { return row(code).summary; }
const char* code_hint(Code code) { return row(code).hint; }

std::string format_diagnostic(const Diagnostic& d) {
  std::string out;
  if (!d.place.file.empty()) {
    out += d.place.file;
    if (d.place.line) out += ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column);
    if (d.place.byte_offset >= 0) out += ": byte " + std::to_string(d.place.byte_offset);
    out += ": ";
  } else if (d.place.byte_offset >= 0) {
    out += "byte " + std::to_string(d.place.byte_offset) + ": ";
  }
  out += std::string("error [") + code_text(d.code) + "] ";
  if (!d.place.op.empty()) out += d.place.op + ": ";
  out += d.message.empty() ? code_summary(d.code) : d.message;
  out += "\n  hint: ";
  out += d.hint.empty() ? code_hint(d.code) : d.hint;
  return out;
}

Failure fail(Code code, Place place, std::string message, std::string hint) {
  Diagnostic d;
  d.code = code;
  d.place = std::move(place);
  d.message = std::move(message);
  d.hint = std::move(hint);
  return Failure(std::move(d));
}

Failure fail(Code code, std::string message, std::string hint) {
  return fail(code, Place(), std::move(message), std::move(hint));
}

}  // namespace openneuron
