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
  /// false: every float op computes in float64 and rounds nowhere, conversions between float types included (the
  /// reference of the acceptance bound); true: each op's result is rounded to its element type.
  bool round_each_op = false;
  /// Iterations of all while loops together; 0: ten million. Beyond it ON-E1191.
  std::uint64_t step_limit = 0;
  /// Element visits of all ops together; 0: 10^12. Beyond it ON-E1191.
  double work_limit = 0;
};

/// Runs the entry function of a verified module. docs/ref.md lists the ops that are covered; others give ON-E1190 with
/// their name and place. ON-E1191 beyond what the oracle is willing to do, ON-E1192 when inputs do not fit the parameters.
Result<std::vector<Tensor>> run_graph(const graph::Module& module, std::span<const Tensor> inputs, const Options& options = {});

/// Verifies a tile module and runs it (all cores, in program order between barriers) with the stated sum orders;
/// transcendental functions in double, rounded once. `hbm` is indexed by buffer: before, the bytes of every input; after,
/// those of every HBM buffer but constants (whose data the module holds). A donated output has the bytes of its input's
/// memory. An output with a byte that nothing wrote is an error, like every read of such a byte (ON-E1591).
/// `step_limit`: instructions of one core, 0: 50 million; beyond it ON-E1594.
Result<void> run_tile(const tile::Module& module, const Machine& machine, Column<BufferId, std::vector<std::byte>>& hbm,
                      std::uint64_t step_limit = 0);

}  // namespace openneuron::ref
