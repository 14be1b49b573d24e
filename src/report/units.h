// Numbers as people read them.
#pragma once
#include <string>

namespace openneuron::report {

std::string bytes_text(double bytes);  ///< "1.5 MiB"
std::string flops_text(double flops);  ///< "1.5 GFLOP"
std::string time_text(double ns);      ///< "1.5 us"

}  // namespace openneuron::report
