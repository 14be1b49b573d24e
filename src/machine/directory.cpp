#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "machine/builtin.h"

namespace openneuron {

std::string machine_directory() {
  struct stat status;
#ifdef OPENNEURON_DATA_DIR
  const std::string built_with = std::string(OPENNEURON_DATA_DIR) + "/machines";
  if (::stat(built_with.c_str(), &status) == 0) return built_with;
#endif
  char program[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", program, sizeof(program));
  if (n > 0) {
    const std::string path(program, static_cast<std::size_t>(n));
    const std::string beside = path.substr(0, path.rfind('/')) + "/../share/openneuron/machines";
    if (::stat(beside.c_str(), &status) == 0) return beside;
  }
  return "data/machines";
}

}  // namespace openneuron
