// The array of passes.
#pragma once
#include <functional>
#include <span>

#include "compile/compile.h"

namespace openneuron::compile {

using GraphPass = Result<void> (*)(graph::Module&);

struct Pass {
  PassInfo info;
  GraphPass graph = nullptr;  ///< graph passes only; the others are called by the pipeline under their names
};

std::span<const Pass> pass_table();
const Pass* find_pass(std::string_view name);

}  // namespace openneuron::compile
