#include "import/hlo_instruction.h"

namespace openneuron::import::hlo {

void Instruction::read(Bytes bytes, Source& source) {
  *this = Instruction();
  record = bytes;
  Message m(bytes, source);
  while (m.next()) {
    switch (m.number()) {
      case 1: name = m.text(); break;
      case 2: opcode = m.text(); break;
      case 3: shape = m.bytes(); break;
      case 7: metadata = m.bytes(); break;
      case 8: literal = m.bytes(); break;
      case 13: tuple_index = m.integer(); break;
      case 14: m.integers(dimensions); break;
      case 15: window = m.bytes(); break;
      case 16: convolution = m.bytes(); break;
      case 17: {
        const Numbers n(m.bytes(), source);
        slices.push_back({n.value(1), n.value(2), n.value(3)});
        break;
      }
      case 18: exponent_bits = m.integer(); break;
      case 19: mantissa_bits = m.integer(); break;
      case 20: m.integers(dynamic_slice_sizes); break;
      case 21: padding = m.bytes(); break;
      case 22: outfeed_config = m.text(); break;
      case 23: distribution = m.integer(); break;
      case 24: epsilon = m.real32(); break;
      case 25: feature_index = m.integer(); break;
      case 26: channel_id = m.integer(); break;
      case 27: infeed_config = m.text(); break;
      case 28: custom_call_target = m.text(); break;
      case 30: dot = m.bytes(); break;
      case 31: fft_type = m.integer(); break;
      case 32: m.integers(fft_length); break;
      case 33: gather = m.bytes(); break;
      case 34: m.integers(gather_slice_sizes); break;
      case 40: sharding = m.bytes(); break;
      case 43: backend_config = m.text(); break;
      case 48: scatter = m.bytes(); break;
      case 49: replica_groups.push_back(Numbers(m.bytes(), source).list(1)); break;
      case 50: feature_group_count = m.integer(); break;
      case 51: precision = m.bytes(); break;
      case 52: {
        const Numbers n(m.bytes(), source);
        source_target_pairs.push_back(n.value(1));
        source_target_pairs.push_back(n.value(2));
        break;
      }
      case 56: constrain_layout = m.flag(); break;
      case 57: operand_shapes.push_back(m.bytes()); break;
      case 58: batch_group_count = m.integer(); break;
      case 59: triangular = m.bytes(); break;
      case 60: is_stable = m.flag(); break;
      case 62: cholesky = m.bytes(); break;
      case 63: comparison_direction = m.text(); break;
      case 65: side_effect = m.flag(); break;
      case 67: sorted_indices = m.flag(); break;
      case 68: frontend_attributes = m.bytes(); break;
      case 69: unique_indices = m.flag(); break;
      case 70: rng_algorithm = m.integer(); break;
      case 71: global_device_ids = m.flag(); break;
      case 72: comparison_type = m.text(); break;
      case 74: output_aliases.push_back(m.bytes()); break;
      case 77: api_version = m.integer(); break;
      case 81: k = m.integer(); break;
      case 85: largest = m.flag(); break;
      case 87: collective_devices = m.bytes(); break;
      case 89: is_composite = m.flag(); break;
      case 90: ragged_dot = m.bytes(); break;
      case 92: iota_devices = m.bytes(); break;
      case 93: mesh_groups = true; break;
      case 100: dynamic_root = m.flag(); break;
      default: break;
    }
  }
  // Newer writers keep the groups in a message of their own.
  Message devices(collective_devices, source);
  while (devices.next()) {
    if (devices.number() == 1) replica_groups.push_back(Numbers(devices.bytes(), source).list(1));
    if (devices.number() == 2) iota_devices = devices.bytes();
  }
}

std::vector<std::pair<std::string_view, std::string_view>> read_frontend_attributes(Bytes bytes, Source& source) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  Message map(bytes, source);
  while (map.next()) {
    if (map.number() != 1) continue;
    Message entry(map.bytes(), source);
    std::pair<std::string_view, std::string_view> pair;
    while (entry.next()) {
      if (entry.number() == 1) pair.first = entry.text();
      if (entry.number() == 2) pair.second = entry.text();
    }
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace openneuron::import::hlo
