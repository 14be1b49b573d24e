#include "image/facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <type_traits>

namespace openneuron::image {
namespace {

using isa::BufferNote;
using isa::Note;
using isa::NoteKind;
using isa::Space;

constexpr std::array<std::string_view, 2> kKinds = {"turned", "spilled"};  // by NoteKind

// Names and reasons end at a tab or a line's end.
void add_words(std::string& out, std::string_view words) {
  for (char c : words) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
}

// Fields of one line, each ended by a tab.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  std::string_view words() {
    if (done_) {
      good_ = false;
      return {};
    }
    const std::size_t tab = rest_.find('\t');
    const std::string_view field = rest_.substr(0, tab);
    done_ = tab == std::string_view::npos;
    rest_ = done_ ? std::string_view() : rest_.substr(tab + 1);
    return field;
  }
  template <class Number>
  void number(Number& out) {
    const std::string_view field = words();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
    good_ = good_ && error == std::errc() && end == field.data() + field.size();
    if constexpr (std::is_signed_v<Number>) good_ = good_ && out >= 0;
  }
  bool good() const { return good_ && done_; }

 private:
  std::string_view rest_;
  bool done_ = false, good_ = true;
};

bool read_note(Fields& fields, NoteKind kind, isa::Facts& facts) {
  Note note;
  note.kind = kind;
  fields.number(note.location);
  fields.number(note.bytes);
  note.value = fields.words();
  note.why = fields.words();
  facts.notes.push_back(std::move(note));
  return fields.good();
}

bool read_buffer(Fields& fields, Space space, isa::Facts& facts) {
  BufferNote buffer;
  buffer.space = space;
  fields.number(buffer.core);
  fields.number(buffer.address);
  fields.number(buffer.bytes);
  fields.number(buffer.partitions);
  fields.number(buffer.first);
  fields.number(buffer.last);
  buffer.name = fields.words();
  facts.buffers.push_back(std::move(buffer));
  return fields.good();
}

bool read_line(std::string_view line, isa::Facts& facts) {
  Fields fields(line);
  const std::string_view kind = fields.words();
  if (kind == "layout") {
    facts.layouts += fields.words();
    facts.layouts += '\n';
    return fields.good();
  }
  for (std::size_t k = 0; k < kKinds.size(); ++k)
    if (kind == kKinds[k]) return read_note(fields, static_cast<NoteKind>(k), facts);
  if (kind == "sbuf") return read_buffer(fields, Space::Sbuf, facts);
  if (kind == "psum") return read_buffer(fields, Space::Psum, facts);
  return false;
}

}  // namespace

std::string write_facts(const isa::Facts& facts) {
  std::string out;
  out.reserve(48 * facts.buffers.size() + 160 * facts.notes.size() + 2 * facts.layouts.size());
  for (std::string_view rest = facts.layouts; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += "layout\t";
    add_words(out, rest.substr(0, end));
    out += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto number = [&out](std::uint64_t n) { out += std::to_string(n) + '\t'; };
  for (const Note& note : facts.notes) {
    out += kKinds[static_cast<std::size_t>(note.kind)];
    out += '\t';
    number(note.location);
    number(static_cast<std::uint64_t>(note.bytes));
    add_words(out, note.value);
    out += '\t';
    add_words(out, note.why);
    out += '\n';
  }
  for (const BufferNote& buffer : facts.buffers) {
    out += buffer.space == Space::Psum ? "psum\t" : "sbuf\t";
    number(buffer.core);
    number(static_cast<std::uint64_t>(buffer.address));
    number(static_cast<std::uint64_t>(buffer.bytes));
    number(buffer.partitions);
    number(buffer.first);
    number(buffer.last);
    add_words(out, buffer.name);
    out += '\n';
  }
  return out;
}

Result<isa::Facts> parse_facts(std::string_view text, const std::string& file) {
  isa::Facts facts;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!read_line(text.substr(0, end), facts)) {
      Place place;
      place.file = file;
      place.op = std::string(kFactsMember) + ", line " + std::to_string(line);
      return fail(Code::NeffMember, place, "the line states no fact");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return facts;
}

}  // namespace openneuron::image
