// Text form of the stream level: exactly the disassembly of isa::Code, and assembles back. See docs/stream.md.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "isa/code.h"
#include "machine/machine.h"

namespace openneuron::stream {

std::string print(const isa::Code& code);
Result<isa::Code> parse(std::string_view text, const std::string& file);

/// Structure of finished streams: region markers agree with the order numbers, semaphores and queues within the
/// machine, addresses inside memories, variables named; errors ON-E16xx.
Result<void> verify(const isa::Code& code, const Machine& machine);

}  // namespace openneuron::stream
