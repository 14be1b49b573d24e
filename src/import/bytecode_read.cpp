// MLIR bytecode with VHLO -> graph level. docs/bytecode.md describes the format and how it is read.
#include "import/bytecode_ir.h"
#include "import/import.h"

namespace openneuron::import {
namespace {

using namespace bytecode;

std::string version_text(const VhloVersion& v) {
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

// Refuses what the container alone shows to be unreadable.
void check_contents(const Container& container, Problem& problem) {
  Cursor start(container.file, 0, 0, problem);
  VhloVersion version;
  if (version_of_producer(container.producer, version)) {
    const VhloVersion newest = newest_vhlo_version();
    if (newest < version) {
      return start.fail(Code::BytecodeTooNew, "VHLO " + version_text(version) + " (producer " +
                                                  std::string(container.producer) + ") is newer than " +
                                                  version_text(newest) + ", the newest that is understood");
    }
  }
  for (const OpName& op : container.ops) {
    const std::string_view dialect = container.dialect(op);
    if (dialect == "stablehlo" || dialect == "func") {
      problem.op = std::string(dialect) + "." + std::string(op.name);
      return start.fail(Code::BytecodeNotVhlo, "the module (producer " + std::string(container.producer) +
                                                   ") holds the op " + problem.op + " itself, not its VHLO form");
    }
  }
}

}  // namespace

Result<graph::Module> read_bytecode(std::span<const std::byte> bytes, const std::string& file,
                                    std::shared_ptr<const void> owner) {
  Problem problem;
  Container container;
  graph::Module module;
  read_container(bytes, container, problem);
  if (!problem.set) check_contents(container, problem);
  if (!problem.set) {
    Decoder decoder(container, module, problem);
    IrReader(container, module, decoder, problem).run();
  }
  if (problem.set) {
    Place place;
    place.file = file;
    place.byte_offset = static_cast<std::int64_t>(problem.offset);
    place.op = problem.op;
    return fail(problem.code, std::move(place), std::move(problem.message));
  }
  if (owner) module.keep(std::move(owner));
  return module;
}

}  // namespace openneuron::import
