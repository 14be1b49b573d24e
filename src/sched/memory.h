// How buffers lie in on-chip memory: decided once, used by the allocator and by the emitter.
#pragma once
#include <cstdint>

#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::sched {

/// SBUF addresses are multiples of this many bytes, so that wide host and chip accesses are aligned.
inline constexpr std::int64_t kSbufAlignment = 32;

inline std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Bytes from one copy of a buffer to the next; PSUM copies start at banks.
inline std::int64_t copy_pitch(const tile::Buffer& buffer, const Machine& machine) {
  return round_up(buffer.bytes, buffer.space == isa::Space::Psum ? machine.psum_bank_bytes : kSbufAlignment);
}

inline std::int64_t space_bytes(isa::Space space, const Machine& machine) {
  return space == isa::Space::Psum ? machine.psum_banks * machine.psum_bank_bytes : machine.sbuf_partition_bytes;
}

}  // namespace openneuron::sched
