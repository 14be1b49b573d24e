// What a reduction starts from.
#pragma once
#include <cstdint>
#include <limits>

#include "isa/instruction.h"

namespace openneuron::device {

inline float identity(isa::AluOp op) {
  switch (op) {
    case isa::AluOp::Multiply:
    case isa::AluOp::LogicalAnd: return 1.0f;
    case isa::AluOp::Max: return -std::numeric_limits<float>::infinity();
    case isa::AluOp::Min: return std::numeric_limits<float>::infinity();
    default: return 0.0f;
  }
}

inline std::int32_t identity_int(isa::AluOp op, bool is_unsigned) {
  switch (op) {
    case isa::AluOp::Multiply:
    case isa::AluOp::LogicalAnd: return 1;
    case isa::AluOp::BitAnd: return -1;
    case isa::AluOp::Max: return is_unsigned ? 0 : std::numeric_limits<std::int32_t>::min();
    case isa::AluOp::Min: return is_unsigned ? -1 : std::numeric_limits<std::int32_t>::max();
    default: return 0;
  }
}

}  // namespace openneuron::device
