// What a collective does to memory once all its cores are there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/collective.h"

namespace openneuron::runtime {

/// Piece `piece` of the work of a group; there are as many as members, and they may run at the same time.
void run_piece(const std::vector<const device::CollectiveCall*>& calls, std::span<const std::int64_t> members, std::size_t piece);

/// destination[i] = ((source0[i] op source1[i]) op source2[i]) ..., each step rounded to the element type.
void combine(isa::AluOp op, ElementType type, std::span<const std::byte* const> sources, std::byte* destination, std::size_t elements);

}  // namespace openneuron::runtime
