// The fields of one HloInstructionProto, as far as the opcodes that are read have a use for them.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/hlo_wire.h"

namespace openneuron::import::hlo {

struct Instruction {
  std::string_view opcode, name;
  Bytes record, shape, metadata, literal, sharding, frontend_attributes;
  Bytes window, convolution, dot, ragged_dot, gather, scatter, padding, precision, triangular, cholesky;
  Bytes collective_devices, iota_devices;
  std::string_view custom_call_target, backend_config, infeed_config, outfeed_config;
  std::string_view comparison_direction, comparison_type;
  std::vector<std::int64_t> dimensions, dynamic_slice_sizes, gather_slice_sizes, fft_length;
  std::vector<std::array<std::int64_t, 3>> slices;  ///< start, limit, stride
  std::vector<std::vector<std::int64_t>> replica_groups;
  std::vector<std::int64_t> source_target_pairs;  ///< flat
  std::vector<Bytes> operand_shapes, output_aliases;
  std::int64_t tuple_index = 0, exponent_bits = 0, mantissa_bits = 0, distribution = 0, feature_index = 0,
               channel_id = 0;
  std::int64_t fft_type = 0, feature_group_count = 0, batch_group_count = 0, rng_algorithm = 0, api_version = 0, k = 0;
  float epsilon = 0;
  bool is_stable = false, side_effect = false, sorted_indices = false, unique_indices = false,
       global_device_ids = false;
  bool constrain_layout = false, largest = false, is_composite = false, mesh_groups = false, dynamic_root = false;

  /// Reads the record; the problem, if any, is in `source`.
  void read(Bytes bytes, Source& source);
};

/// Pairs of a FrontendAttributes message, in the order of the file.
std::vector<std::pair<std::string_view, std::string_view>> read_frontend_attributes(Bytes bytes, Source& source);

}  // namespace openneuron::import::hlo
