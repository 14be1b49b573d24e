// The commands of `openneuron`, each in the .cpp of its name. They print what was asked for on stdout.
#pragma once
#include "base/result.h"
#include "tools/command_line.h"

namespace openneuron::tools {

Result<void> run(const Arguments& arguments);  ///< on the emulated device
Result<void> ref(const Arguments& arguments);  ///< on the oracle
Result<void> opt(const Arguments& arguments);
Result<void> show(const Arguments& arguments);
Result<void> report(const Arguments& arguments);
Result<void> strip(const Arguments& arguments);
Result<void> explain(const Arguments& arguments);

/// Names given to --passes, --disable, --dump-after, --stop-after.  errors  ON-E2104
Result<void> check_passes(const Arguments& arguments);

/// Resident memory at its highest, so far.
std::int64_t peak_rss_bytes();

}  // namespace openneuron::tools
