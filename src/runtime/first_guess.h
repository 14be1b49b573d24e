// How long a program that has not run yet may take on the host.
#pragma once
#include <cstdint>

#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::runtime {

/// Nanoseconds of one run, very roughly: instructions with the trips of their loops, floating-point operations and bytes
/// of HBM at the rates of one host thread. A program of more than `enough_ns` by its instructions alone is not looked at
/// further, and one whose loops depend on data counts as longer than that.
std::int64_t guess_host_ns(const isa::Code& code, const Machine& machine, std::int64_t enough_ns);

}  // namespace openneuron::runtime
