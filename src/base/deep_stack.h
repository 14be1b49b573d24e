// Recursion over nested programs needs more stack than a caller's thread may have.
#pragma once
#include <functional>

namespace openneuron {

/// Runs `work` to its end on a thread whose stack holds the deepest nesting that readers and passes allow, whatever the
/// caller's has left. Where the system grants no such thread it runs on the caller's.
void on_deep_stack(const std::function<void()>& work);

}  // namespace openneuron
