// Copies of data/machines/*.toml inside the library, made by machine.cmake, and where the files lie.
#pragma once
#include <string>
#include <string_view>

namespace openneuron {

std::string_view builtin_machine(std::string_view name);  ///< empty when there is none of this name
/// OPENNEURON_DATA_DIR of the build while it exists, else share/openneuron beside the program's directory.
std::string machine_directory();

}  // namespace openneuron
