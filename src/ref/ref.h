// The oracle: slow, obvious interpreters of the graph and the tile level, written from the specification.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/module.h"
#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::ref {

/// A tensor of the oracle. Floats are held as double whatever the type; integers and bools as int64; complex as pairs.
struct Tensor {
  ElementType type = ElementType::F32;
  std::vector<std::int64_t> shape;
  std::vector<double> real;        // floats and complex real parts
  std::vector<double> imaginary;   // complex
  std::vector<std::int64_t> integer;
  std::int64_t count() const;
};

/// From and to packed little-endian memory of the type.
Tensor from_bytes(ElementType type, std::vector<std::int64_t> shape, std::span<const std::byte> bytes);
std::vector<std::byte> to_bytes(const Tensor& tensor);

struct Options {
  /// false: every float op computes in float64 and rounds nowhere (the reference of the acceptance bound);
  /// true: each op's result is rounded to its element type.
  bool round_each_op = false;
  std::uint64_t step_limit = 0;
};

/// Runs the entry function. Covers the ops listed in docs/graph.md; others give ON-E1190.
Result<std::vector<Tensor>> run_graph(const graph::Module& module, std::span<const Tensor> inputs, const Options& options = {});

/// Runs a tile module (all cores, in program order between barriers) with the stated sum orders; transcendental
/// functions in double, rounded once. memory[i]: bytes of HBM buffer i in order of the module's hbm buffers; inputs are
/// read from it, outputs written to it.
Result<void> run_tile(const tile::Module& module, const Machine& machine, Column<BufferId, std::vector<std::byte>>& hbm);

}  // namespace openneuron::ref
