#include "image/neff.h"
#include "tools/commands.h"
#include "tools/program.h"

namespace openneuron::tools {

Result<void> strip(const Arguments& a) {
  auto file = read_file(a.file);
  if (!file) return file.failure();
  auto bytes = image::strip_neff(file->bytes, a.file);
  if (!bytes) return bytes.failure();
  return write_file_atomically(a.output, *bytes);
}

}  // namespace openneuron::tools
