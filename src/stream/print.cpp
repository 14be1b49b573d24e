#include "isa/text.h"
#include "stream/names.h"
#include "stream/text.h"

namespace openneuron::stream {

std::string_view space_name(isa::Space space) { return space == isa::Space::SharedHbm ? "shared_hbm" : "private_hbm"; }

std::int64_t packed_bytes(ElementType type, const std::vector<std::int64_t>& shape) {
  std::int64_t bytes = byte_width(type);
  for (std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && bytes > kLargestVariable / extent)) return -1;
    bytes *= extent;
  }
  return bytes;
}

isa::MemoryNames variable_names(const isa::Code& code) {
  isa::MemoryNames names;
  for (const isa::Variable& v : code.variables) names.add(v.name, v.space);
  return names;
}

namespace {

void print_variable(TextWriter& out, const isa::Code& code, std::size_t index, const isa::MemoryNames& names) {
  const isa::Variable& v = code.variables[index];
  out.line();
  names.print(out, BufferId(index));
  out << " = " << space_name(v.space) << ' ' << isa::variable_kind_name(v.kind) << ' ';
  isa::print_type(out, v.type);
  out << '[';
  for (std::size_t i = 0; i < v.shape.size(); ++i) {
    if (i) out << ',';
    out << v.shape[i];
  }
  out << ']';
  if (v.bytes != packed_bytes(v.type, v.shape)) out << " bytes=" << v.bytes;
  if (v.aliases >= 0) {
    out << " alias=";
    names.print(out, BufferId(static_cast<std::size_t>(v.aliases)));
  }
  if (v.splat) out << " splat";
  if (!v.data.empty()) {
    static const char kDigits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * v.data.size());
    for (std::byte byte : v.data) {
      hex += kDigits[static_cast<unsigned>(byte) >> 4];
      hex += kDigits[static_cast<unsigned>(byte) & 15];
    }
    out << " data=\"" << hex << '"';
  }
}

}  // namespace

std::string print(const isa::Code& code) {
  const isa::MemoryNames names = variable_names(code);
  TextWriter out;
  out << "code ";
  out.quoted(code.name) << " target ";
  out.quoted(code.target) << " {";
  out.indent();
  for (std::size_t i = 0; i < code.variables.size(); ++i) print_variable(out, code, i, names);
  for (std::size_t i = 1; i < code.locations.size(); ++i) {
    out.line() << "location " << static_cast<std::uint64_t>(i) << " = ";
    out.quoted(code.locations[i]);
  }
  for (std::size_t core = 0; core < code.cores.size(); ++core) {
    const isa::CoreCode& c = code.cores[core];
    out.line() << "core " << static_cast<std::uint64_t>(core);
    if (c.sbuf_bytes) out << " sbuf_bytes=" << c.sbuf_bytes;
    if (c.psum_banks) out << " psum_banks=" << c.psum_banks;
    out << " {";
    out.indent();
    for (const isa::Stream& stream : c.streams) {
      out.line() << isa::engine_name(stream.engine);
      if (stream.queue || stream.engine == isa::Engine::Dma) out << " queue=" << static_cast<int>(stream.queue);
      out << " sem" << static_cast<int>(stream.semaphore) << " {";
      out.indent();
      isa::print_instructions(out, stream.instructions, names, isa::TextLevel::Stream);
      out.outdent();
      out.line() << '}';
    }
    out.outdent();
    out.line() << '}';
  }
  out.outdent();
  out.line() << "}\n";
  return out.take();
}

}  // namespace openneuron::stream
