// Text form of the tile level: see docs/tile.md. parse(print(x)) == x.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::tile {

std::string print(const Module& module);
Result<Module> parse(std::string_view text, const std::string& file);

/// Every instruction against the table and the machine; accesses inside their buffers for all values of the loop
/// variables; regions well nested; loop variables and registers defined where used; rotating accesses name an
/// enclosing loop; no read of a buffer that nothing wrote. Linear. Errors ON-E15xx.
Result<void> verify(const Module& module, const Machine& machine);

}  // namespace openneuron::tile
