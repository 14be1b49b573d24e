// A machine: every size, clock and cost of one NeuronCore generation, read from data/machines/<name>.toml, where each
// figure names its source. Code asks the machine; no hardware number stands in the code.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace openneuron {

/// How long one class of instruction keeps its engine, and how long its result takes after that.
///   cycles  max(floor_cycles, elements / elements_per_cycle) + fixed_cycles   of the engine's clock; elements per
///   partition result  that, plus latency_ns until a semaphore sees it
struct CostRow {
  double floor_cycles = 0;
  double elements_per_cycle = 1;
  double fixed_cycles = 0;
  double latency_ns = 0;
};

struct Machine {
  std::string name;
  int generation = 3;  ///< 2 trn1, 3 trn2, 4 trn3

  // sizes
  int partitions = 128;                   ///< rows of SBUF and PSUM
  int quadrant = 32;                      ///< partitions of a quadrant: legal start granularity of small tiles
  std::int64_t sbuf_partition_bytes = 0;  ///< usable bytes of a partition
  int psum_banks = 8;
  std::int64_t psum_bank_bytes = 2048;  ///< per partition
  std::int64_t hbm_bytes = 0;           ///< per core
  int pe_rows = 128;                    ///< largest K of a tile
  int pe_columns = 128;                 ///< largest M of a stationary tile
  int moving_max = 512;                 ///< largest N of one Matmul
  int registers = 64;
  int semaphores = 256;
  int dma_queues = 16;
  int dma_engines = 16;
  int access_dims = 5;                            ///< [stride, count] pairs of an access
  std::int64_t instruction_elements_max = 65536;  ///< per partition, from SBUF
  int cores = 2;                                  ///< physical cores that can share HBM (lnc)

  // clocks, Hz
  double pe_clock_hz = 0, vector_clock_hz = 0, scalar_clock_hz = 0, gpsimd_clock_hz = 0, sync_clock_hz = 0;

  // costs by class name (CostClass of isa.def, e.g. "pe_matmul_16", "vector_copy_fast4"); see docs/machine.md
  std::map<std::string, CostRow> costs;
  // single figures by name (semaphore_hop_ns, dma_fixed_ns, dma_packet_ns, dma_engine_bytes_per_ns, launch_ns, ...)
  std::map<std::string, double> figures;
  double figure(const std::string& key) const;  ///< 0 when absent
};

/// Whether the file may take what it does not state from trn1, trn2 or trn3 (key based_on).
enum class BasedOn : std::uint8_t { Allowed, Refused };
/// The text of a machine file; `file` names it in messages. Errors ON-E2002.
Result<Machine> parse_machine(std::string_view text, const std::string& file, BasedOn based_on = BasedOn::Allowed);

/// Reads a machine file: `name_or_path` is trn1, trn2, trn3, odd, tiny (looked up in the data directory; built-in
/// copies serve when there is none) or the path of a .toml file. Parsed once per process and name.
/// errors  ON-E2001 unknown name, ON-E2002 broken file (key, value, allowed range)
Result<std::shared_ptr<const Machine>> load_machine(const std::string& name_or_path);

}  // namespace openneuron
