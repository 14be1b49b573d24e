// Which format the bytes are in, and the one entrance for all of them.
#include <cstring>
#include <optional>
#include <string_view>

#include "base/deep_stack.h"
#include "graph/verify.h"
#include "import/hlo_module.h"
#include "import/import.h"

namespace openneuron::import {
namespace {

constexpr unsigned char kBytecodeMagic[] = {0x4D, 0x4C, 0xEF, 0x52};

// The text without comments and spaces in front.
std::string_view first_token(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  for (;;) {
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at);
    if (text.substr(0, 2) != "//") return text;
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return {};
    text.remove_prefix(newline);
  }
}

bool is_printable(std::string_view text) {
  for (unsigned char c : text.substr(0, 1024)) {
    if (c < 32 && c != '\n' && c != '\t' && c != '\r') return false;
  }
  return true;
}

bool starts(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

// What the first word says.
Format detect_text(std::string_view text) {
  const std::string_view token = first_token(text);
  if (starts(token, "module") || starts(token, "func.func") || starts(token, "func ") ||
      starts(token, "\"builtin.module\"") || starts(token, "builtin.module") || starts(token, "\"func.func\"") ||
      starts(token, "sdy.mesh")) {
    return Format::StablehloText;
  }
  if (starts(token, "#") || starts(token, "!")) {  // an alias: `#loc1 = ...`
    const std::size_t end = token.find_first_of(" =\n");
    if (end != std::string_view::npos && token[token.find_first_not_of(' ', end)] == '=') return Format::StablehloText;
  }
  return Format::Unknown;
}

}  // namespace

Format detect(std::span<const std::byte> bytes) {
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), kBytecodeMagic, 4) == 0) return Format::MlirBytecode;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (is_printable(text)) {
    const Format format = detect_text(text);
    if (format != Format::Unknown) return format;
  }
  return hlo::looks_like_hlo(bytes) ? Format::HloProto : Format::Unknown;
}

namespace {

Result<graph::Module> read_any(std::span<const std::byte> bytes, const std::string& file, std::shared_ptr<const void> owner,
                               Positions positions) {
  Place place;
  place.file = file;
  Format format = detect(bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (format == Format::Unknown) {
    if (bytes.empty()) return fail(Code::UnknownFormat, place, "The file is empty.");
    if (!is_printable(text))
      return fail(Code::UnknownFormat, place, "The first bytes belong to no format that is read.");
    format = Format::StablehloText;  // its reader says what is wrong, and where
  }
  auto module = format == Format::MlirBytecode ? read_bytecode(bytes, file, std::move(owner))
                : format == Format::HloProto   ? read_hlo(bytes, file, std::move(owner))
                                               : read_text(bytes, file, std::move(owner), positions);
  if (!module) return module;
  if (auto verified = graph::verify(*module); !verified) {
    Failure failure = verified.failure();
    if (failure.diagnostic().place.line == 0 && format == Format::StablehloText && positions == Positions::Stated) {
      // Read once more for the place of the op.
      auto placed = read_any(bytes, file, {}, Positions::OfText);
      if (!placed && placed.diagnostic().place.line != 0) return placed;
    }
    if (failure.diagnostic().place.file.empty()) failure.diagnostic().place.file = file;
    return failure;
  }
  return module;
}

}  // namespace

Result<graph::Module> read(std::span<const std::byte> bytes, const std::string& file, std::shared_ptr<const void> owner,
                           Positions positions) {
  std::optional<Result<graph::Module>> module;
  on_deep_stack([&]() { module.emplace(read_any(bytes, file, std::move(owner), positions)); });
  return std::move(*module);
}

}  // namespace openneuron::import
