#include "import/import.h"
#include "import/text_parser.h"

namespace openneuron::import {

Result<graph::Module> read_text(std::span<const std::byte> bytes, const std::string& file, std::shared_ptr<const void>,
                                Positions positions) {
  graph::Module module;
  TextParser parser({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file, module, positions);
  if (!parser.parse()) return Failure(std::move(parser.cursor().error()));
  return module;
}

}  // namespace openneuron::import
