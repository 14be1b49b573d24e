// Tile -> stream: addresses by linear scan, engines and queues, order, semaphores from the data dependences.
#pragma once
#include "base/part_times.h"
#include "base/result.h"
#include "isa/code.h"
#include "machine/machine.h"
#include "tile/module.h"

namespace openneuron::sched {

struct Options {
  bool rebalance_engines = true;    ///< optional pass: spreads Any-engine ops over Vector, Scalar, GpSimd by cost
  bool prune_waits = true;          ///< optional pass: drops waits that others imply
  PartTimes* parts = nullptr;
};

/// Whether the buffers have room in their present order; gives no addresses. errors  ON-E1701
Result<void> fits(tile::Module& module, const Machine& machine);
/// Assigns an address to every SBUF and PSUM buffer (`address` of each), by linear scan over live intervals.
/// errors  ON-E1701: does not fit; carries the space, bytes wanted, limit, and the largest live buffers
/// `deepen`: gives rotating buffers as many copies as help and fit.
Result<void> allocate(tile::Module& module, const Machine& machine, bool deepen = false);
/// Gives every instruction an engine (and DMA queue).
void assign_engines(tile::Module& module, const Machine& machine, const Options& options);
/// Splits into streams and derives semaphores. The module is allocated and assigned.
Result<isa::Code> emit_streams(tile::Module module, const Machine& machine, const Options& options);
/// The three, in that order.
Result<isa::Code> schedule(tile::Module& module, const Machine& machine, const Options& options);

}  // namespace openneuron::sched
