// HloModuleProto -> graph level. docs/hlo_proto.md describes the format and how it is read.
#include "import/hlo_build.h"
#include "import/import.h"

namespace openneuron::import {

Result<graph::Module> read_hlo(std::span<const std::byte> bytes, const std::string& file,
                               std::shared_ptr<const void> owner) {
  hlo::Source source(bytes);
  hlo::Structure structure;
  graph::Module module;
  hlo::read_structure(hlo::module_in(bytes), source, structure);
  if (!source.failed) hlo::Builder(structure, module, source).run();
  if (source.failed) {
    Place place;
    place.file = file;
    place.byte_offset = static_cast<std::int64_t>(source.offset);
    place.op = source.op;
    return fail(source.code, std::move(place), std::move(source.message));
  }
  if (owner) module.keep(std::move(owner));
  return module;
}

}  // namespace openneuron::import
