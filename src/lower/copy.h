// Copies what a view reads into a view of an HBM home: the common end of concatenate, pad, updates, carries and outputs.
#pragma once
#include <optional>

#include "base/result.h"
#include "lower/nest.h"

namespace openneuron::lower {

/// A register whose value times `bytes` is added to an HBM address.
struct DynamicOffset {
  std::int16_t reg = -1;
  std::int64_t bytes = 0;
};

/// target[i...] = source[i...]; both have the same dims. `target` is a view of the HBM form `form` of its home. The
/// offset, when there is one, is added on the target's side (update) or on the source's (slice; read from HBM).
Result<void> copy_view(Store& store, const View& source, const View& target, const Form& form,
                       DynamicOffset target_offset = {}, DynamicOffset source_offset = {});

/// Every element of `form` of `home` = value.
void fill_form(Store& store, HomeId home, const Form& form, double value);

/// A plain view as an AxisView over its own dims.
AxisView over_dims(const View& view);
/// Merges neighbouring axes that merge in all of `strides` (each as long as `sizes`); merged-away axes get size 1.
void merge_neighbours(std::vector<std::int64_t>& sizes, std::span<std::vector<std::int64_t>* const> strides);

}  // namespace openneuron::lower
