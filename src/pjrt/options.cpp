#include "pjrt/options.h"

#include <cstring>

#include "import/hlo_wire.h"

namespace openneuron::pjrt {
namespace {

using import::hlo::Bytes;
using import::hlo::Message;
using import::hlo::Source;

// DeviceAssignmentProto: 1 replicas, 2 partitions, 3 per partition { 1 device of each replica }.
void read_assignment(Bytes bytes, Source& source, CompileOptions& out) {
  Message message(bytes, source);
  while (message.next()) {
    if (message.number() != 3) continue;
    Message partition(message.bytes(), source);
    std::vector<std::int64_t> ids;
    while (partition.next())
      if (partition.number() == 1) partition.integers(ids);
    for (std::int64_t id : ids) out.devices.push_back(static_cast<int>(id));
  }
}

void read_flags(Message& field, std::vector<bool>& out) {
  std::vector<std::int64_t> flags;
  field.integers(flags);
  out.insert(out.end(), flags.begin(), flags.end());
}

// ExecutableBuildOptionsProto.
void read_build(Bytes bytes, Source& source, CompileOptions& out) {
  Message message(bytes, source);
  while (message.next()) switch (message.number()) {
      case 4: out.replicas = static_cast<int>(message.integer()); break;
      case 5: out.partitions = static_cast<int>(message.integer()); break;
      case 9: read_assignment(message.bytes(), source, out); break;
      case 12: read_flags(message, out.propagate_to_results); break;
      case 18: read_flags(message, out.propagate_to_parameters); break;
      case 19: out.shardy = message.flag(); break;
      default: break;
    }
}

// map entry: 1 name, 2 { 1 string, 2 bool, 3 int64, 4 double }.
void read_override(Bytes bytes, Source& source, CompileOptions& out) {
  Message entry(bytes, source);
  std::string name;
  OptionValue value;
  while (entry.next()) {
    if (entry.number() == 1) name = std::string(entry.text());
    if (entry.number() != 2) continue;
    Message field(entry.bytes(), source);
    while (field.next()) switch (field.number()) {
        case 1: value = std::string(field.text()); break;
        case 2: value = field.flag(); break;
        case 3: value = field.integer(); break;
        case 4: {
          double number = 0;
          const Bytes raw = field.raw();
          if (raw.size() == sizeof number) std::memcpy(&number, raw.data(), sizeof number);
          value = number;
          break;
        }
        default: break;
      }
  }
  out.overrides[name] = value;
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

Result<CompileOptions> read_options(std::span<const std::byte> bytes) {
  CompileOptions out;
  out.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Source source(bytes);
  Message message(bytes, source);
  while (message.next()) switch (message.number()) {
      case 3: read_build(message.bytes(), source, out); break;
      case 4: out.portable = message.flag(); break;
      case 7: read_override(message.bytes(), source, out); break;
      default: break;
    }
  if (source.failed)
    return fail(Code::PjrtArgument, "the compile options are broken at byte " + std::to_string(source.offset) + ": " +
                                        source.message);
  if (out.replicas < 1 || out.partitions < 1)
    return fail(Code::PjrtArgument, "the compile options ask for " + std::to_string(out.replicas) + " replicas and " +
                                        std::to_string(out.partitions) + " partitions");
  return out;
}

std::string write_assignment(std::span<const int> devices) {
  std::string out = "\x08\x01\x10";
  put_varint(out, devices.size());
  for (int device : devices) {
    std::string id;
    put_varint(id, static_cast<std::uint64_t>(device));
    out += '\x1a';
    put_varint(out, id.size() + 2);
    out += '\x0a';
    put_varint(out, id.size());
    out += id;
  }
  return out;
}

}  // namespace openneuron::pjrt
