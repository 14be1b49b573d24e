#include "isa/text.h"
#include "tile/names.h"
#include "tile/text.h"

namespace openneuron::tile {

isa::MemoryNames memory_names(const Module& module) {
  isa::MemoryNames names;
  for (const Buffer& buffer : module.buffers) names.add(buffer.name, buffer.space);
  return names;
}

std::string_view space_name(isa::Space space) {
  switch (space) {
    case isa::Space::Sbuf: return "sbuf";
    case isa::Space::Psum: return "psum";
    case isa::Space::PrivateHbm: return "private_hbm";
    case isa::Space::SharedHbm: return "shared_hbm";
    case isa::Space::None: break;
  }
  return "none";
}

std::int64_t packed_bytes(ElementType type, const std::vector<std::int64_t>& shape) {
  std::int64_t bytes = byte_width(type);
  for (std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && bytes > kLargestBuffer / extent)) return -1;
    bytes *= extent;
  }
  return bytes;
}

namespace {

void print_buffer(TextWriter& out, const Module& module, BufferId id, const isa::MemoryNames& names) {
  const Buffer& b = module.buffers[id];
  out.line();
  names.print(out, id);
  out << " = " << space_name(b.space);
  if (isa::is_hbm(b.space)) {
    const isa::Variable& v = b.variable;
    out << ' ' << isa::variable_kind_name(v.kind) << ' ';
    isa::print_type(out, v.type);
    out << '[';
    for (std::size_t i = 0; i < v.shape.size(); ++i) {
      if (i) out << ',';
      out << v.shape[i];
    }
    out << ']';
    if (b.bytes != packed_bytes(v.type, v.shape)) out << " bytes=" << b.bytes;
    if (b.partitions != 1) out << " partitions=" << static_cast<int>(b.partitions);
    if (b.alias.valid()) {
      out << " alias=";
      names.print(out, b.alias);
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
  } else {
    out << " partitions=" << static_cast<int>(b.partitions) << " bytes=" << b.bytes;
  }
  if (b.copies != 1) out << " copies=" << static_cast<int>(b.copies);
  if (b.core) out << " core=" << static_cast<int>(b.core);
  if (b.address >= 0) out << " address=" << b.address;
}

}  // namespace

std::string print(const Module& module) {
  const isa::MemoryNames names = memory_names(module);
  TextWriter out;
  out << "tile ";
  out.quoted(module.name) << " target ";
  out.quoted(module.target) << " {";
  out.indent();
  for (std::uint32_t i = 0; i < module.buffers.size(); ++i) print_buffer(out, module, BufferId(i), names);
  for (std::size_t i = 1; i < module.locations.size(); ++i) {
    out.line() << "location " << static_cast<std::uint64_t>(i) << " = ";
    out.quoted(module.locations[i]);
  }
  for (std::size_t core = 0; core < module.programs.size(); ++core) {
    const Program& program = module.programs[core];
    out.line() << "core " << static_cast<std::uint64_t>(core);
    if (program.loop_count) out << " loops=" << program.loop_count;
    if (program.register_count) out << " registers=" << program.register_count;
    out << " {";
    out.indent();
    isa::print_instructions(out, program.instructions, names, isa::TextLevel::Tile);
    out.outdent();
    out.line() << '}';
  }
  out.outdent();
  out.line() << "}\n";
  return out.take();
}

}  // namespace openneuron::tile
