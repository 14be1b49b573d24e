// The one file that sees toml++. Keys, ranges and defaults of machine files: docs/machine.md.
// The header alone is used, with its exceptions and with its assertions as exceptions: some texts ("[[[") break an
// assertion of the parser. Nothing leaves parse_machine.
#include <stdexcept>
#undef TOML_SHARED_LIB
#define TOML_SHARED_LIB 0
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_EXCEPTIONS
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
namespace openneuron {
constexpr void toml_assertion(bool holds) {
  if (!holds) throw std::logic_error("the text is not TOML");
}
}  // namespace openneuron
#define TOML_ASSERT(expression) ::openneuron::toml_assertion(static_cast<bool>(expression))
#include "machine/machine.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "base/files.h"
#include "base/text.h"
#include "machine/builtin.h"

namespace openneuron {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::array<std::string_view, 5> kNames = {"trn1", "trn2", "trn3", "odd", "tiny"};

struct Size {
  std::string_view key;
  std::int64_t low, high;
  int Machine::*narrow;  // one of the two
  std::int64_t Machine::*wide;
};
// The largest values are what instruction fields can hold, or far beyond any machine.
constexpr std::array<Size, 15> kSizes = {{
    {"partitions", 1, 4096, &Machine::partitions, nullptr},
    {"quadrant", 1, 4096, &Machine::quadrant, nullptr},
    {"sbuf_partition_bytes", 64, 1 << 28, nullptr, &Machine::sbuf_partition_bytes},
    {"psum_banks", 1, 64, &Machine::psum_banks, nullptr},
    {"psum_bank_bytes", 4, 1 << 20, nullptr, &Machine::psum_bank_bytes},
    {"hbm_bytes", 1 << 20, std::int64_t{1} << 45, nullptr, &Machine::hbm_bytes},
    {"pe_rows", 1, 4096, &Machine::pe_rows, nullptr},
    {"pe_columns", 1, 4096, &Machine::pe_columns, nullptr},
    {"moving_max", 1, 1 << 18, &Machine::moving_max, nullptr},
    {"registers", 1, 32767, &Machine::registers, nullptr},
    {"semaphores", 1, 65535, &Machine::semaphores, nullptr},
    {"dma_queues", 1, 255, &Machine::dma_queues, nullptr},
    {"dma_engines", 1, 1024, &Machine::dma_engines, nullptr},
    {"access_dims", 1, 16, &Machine::access_dims, nullptr},
    {"instruction_elements_max", 1, 1 << 24, nullptr, &Machine::instruction_elements_max},
}};
constexpr Size kCores = {"cores", 1, 16, &Machine::cores, nullptr};
constexpr Size kGeneration = {"generation", 2, 4, &Machine::generation, nullptr};

struct Clock {
  std::string_view key;
  double Machine::*value;
};
constexpr std::array<Clock, 5> kClocks = {{{"pe_hz", &Machine::pe_clock_hz},
                                           {"vector_hz", &Machine::vector_clock_hz},
                                           {"scalar_hz", &Machine::scalar_clock_hz},
                                           {"gpsimd_hz", &Machine::gpsimd_clock_hz},
                                           {"sync_hz", &Machine::sync_clock_hz}}};

constexpr std::array<std::string_view, 35> kCosts = {"pe_matmul_16",
                                                     "pe_matmul_32",
                                                     "pe_load_16",
                                                     "pe_load_32",
                                                     "pe_transpose_16",
                                                     "pe_transpose_32",
                                                     "scalar_copy",
                                                     "scalar_copy_fast2",
                                                     "scalar_activation_psum",
                                                     "scalar_activation_sbuf",
                                                     "scalar_reduce_readout",
                                                     "vector_copy",
                                                     "vector_copy_fast2",
                                                     "vector_copy_fast4",
                                                     "vector_scalar",
                                                     "vector_scalar_fast2",
                                                     "vector_scalar_fast4",
                                                     "vector_tensor",
                                                     "vector_tensor_psum",
                                                     "vector_tensor_fast2",
                                                     "vector_reduce",
                                                     "vector_reduce_fast2",
                                                     "vector_reciprocal",
                                                     "vector_memset",
                                                     "vector_memset_zero_16",
                                                     "vector_predicated",
                                                     "vector_predicated_psum",
                                                     "vector_select",
                                                     "gpsimd_copy",
                                                     "gpsimd_scalar",
                                                     "gpsimd_tensor",
                                                     "gpsimd_memset",
                                                     "gpsimd_memset_zero_16",
                                                     "gpsimd_iota",
                                                     "gpsimd_routine"};
constexpr std::array<std::string_view, 24> kFigures = {"activation_table_load_ns",
                                                       "semaphore_hop_ns",
                                                       "semaphore_hop_to_pe_ns",
                                                       "overhead_pe_ns",
                                                       "overhead_vector_ns",
                                                       "overhead_scalar_ns",
                                                       "overhead_gpsimd_ns",
                                                       "overhead_sync_ns",
                                                       "overhead_dma_ns",
                                                       "register_load_ns",
                                                       "dma_issue_ns",
                                                       "dma_fixed_ns",
                                                       "dma_packet_ns",
                                                       "dma_engine_bytes_per_ns",
                                                       "dma_packet_bytes_max",
                                                       "dma_cast_factor",
                                                       "hbm_bytes_per_ns",
                                                       "pe_warmup_ns",
                                                       "pe_cold_factor",
                                                       "barrier_ns",
                                                       "collective_hop_ns",
                                                       "link_bytes_per_ns",
                                                       "launch_before_ns",
                                                       "launch_after_ns"};
constexpr std::array<std::string_view, 1> kSwitches = {"vector_fast_fp8"};

template <class Keys>
bool holds(const Keys& keys, std::string_view key) {
  for (const auto& k : keys)
    if (k == key) return true;
  return false;
}

std::string shown(double value) {
  TextWriter out;
  out.number(value);
  return out.take();
}

class Reader {
 public:
  Reader(std::string file, const toml::table& root, bool standing_alone)
      : file_(std::move(file)), root_(root), standing_alone_(standing_alone) {}

  Result<Machine> read();

 private:
  Failure broken(const toml::node& node, const std::string& what) const {
    Place place;
    place.file = file_;
    place.line = node.source().begin.line;
    place.column = node.source().begin.column;
    return fail(Code::MachineBroken, place, what);
  }
  Result<double> number(const toml::node& node, const std::string& key, double low, double high) const {
    double value = 0;
    if (node.is_integer())
      value = static_cast<double>(node.as_integer()->get());
    else if (node.is_floating_point())
      value = node.as_floating_point()->get();
    else
      return broken(node, key + " must be a number from " + shown(low) + " to " + shown(high));
    if (!(value >= low && value <= high))
      return broken(node, key + " is " + shown(value) + "; allowed: " + shown(low) + " to " + shown(high));
    return value;
  }
  Result<void> size(const Size& row, const toml::table& table) {
    const toml::node* node = table.get(row.key);
    if (!node) {
      if (based_) return {};
      return broken(table, std::string(row.key) + " is missing; allowed: " + std::to_string(row.low) + " to " +
                               std::to_string(row.high));
    }
    const std::string range = std::to_string(row.low) + " to " + std::to_string(row.high);
    if (!node->is_integer()) return broken(*node, std::string(row.key) + " must be a whole number from " + range);
    const std::int64_t value = node->as_integer()->get();
    if (value < row.low || value > row.high)
      return broken(*node, std::string(row.key) + " is " + std::to_string(value) + "; allowed: " + range);
    if (row.narrow)
      machine_.*row.narrow = static_cast<int>(value);
    else
      machine_.*row.wide = value;
    return {};
  }
  // The table [name]; null when absent and a base machine supplies it.
  Result<const toml::table*> section(std::string_view name) const {
    const toml::node* node = root_.get(name);
    if (!node) {
      if (based_) return static_cast<const toml::table*>(nullptr);
      return broken(root_, "the table [" + std::string(name) + "] is missing");
    }
    if (!node->is_table()) return broken(*node, std::string(name) + " must be a table");
    return node->as_table();
  }
  Result<void> only(const toml::table& table, const std::string& where,
                    const std::vector<std::string_view>& keys) const {
    for (const auto& [key, node] : table)
      if (!holds(keys, key.str())) {
        std::string all;
        for (std::string_view k : keys) all += (all.empty() ? "" : ", ") + std::string(k);
        return broken(node, "unknown key " + std::string(key.str()) + where + "; known: " + all);
      }
    return {};
  }
  Result<void> read_cost(std::string_view name, const toml::node& node);
  Result<void> read_sizes();
  Result<void> read_clocks();
  Result<void> read_costs();
  Result<void> read_figures();
  Result<void> consistent() const;

  std::string file_;
  const toml::table& root_;
  bool standing_alone_;
  bool based_ = false;
  Machine machine_;
};

Result<void> Reader::read_sizes() {
  auto table = section("sizes");
  if (!table) return table.failure();
  if (!*table) return {};
  std::vector<std::string_view> keys = {"source", kCores.key};
  for (const Size& row : kSizes) keys.push_back(row.key);
  ON_TRY(only(**table, " in [sizes]", keys));
  for (const Size& row : kSizes) ON_TRY(size(row, **table));
  return size(kCores, **table);
}

Result<void> Reader::read_clocks() {
  auto table = section("clocks");
  if (!table) return table.failure();
  if (!*table) return {};
  std::vector<std::string_view> keys = {"source"};
  for (const Clock& row : kClocks) keys.push_back(row.key);
  ON_TRY(only(**table, " in [clocks]", keys));
  for (const Clock& row : kClocks) {
    const toml::node* node = (*table)->get(row.key);
    if (!node) {
      if (based_) continue;
      return broken(**table, std::string(row.key) + " is missing");
    }
    auto value = number(*node, std::string(row.key), 1e6, 1e12);
    if (!value) return value.failure();
    machine_.*row.value = *value;
  }
  return {};
}

Result<void> Reader::read_cost(std::string_view name, const toml::node& node) {
  const std::string key(name);
  if (!node.is_table()) return broken(node, key + " must be { floor, rate, fixed, latency_ns, source }");
  const toml::table& table = *node.as_table();
  ON_TRY(only(table, " in " + key, {"floor", "rate", "fixed", "latency_ns", "source"}));
  CostRow row;
  const struct {
    std::string_view key;
    double low, high;
    double* value;
  } parts[] = {{"floor", 0, 1e9, &row.floor_cycles},
               {"rate", 1e-6, 1e6, &row.elements_per_cycle},
               {"fixed", 0, 1e9, &row.fixed_cycles},
               {"latency_ns", 0, 1e9, &row.latency_ns}};
  for (const auto& part : parts) {
    const toml::node* value = table.get(part.key);
    if (!value) return broken(node, key + " has no " + std::string(part.key));
    auto read = number(*value, key + "." + std::string(part.key), part.low, part.high);
    if (!read) return read.failure();
    *part.value = *read;
  }
  machine_.costs[key] = row;
  return {};
}

Result<void> Reader::read_costs() {
  auto table = section("costs");
  if (!table) return table.failure();
  if (!*table) return {};
  for (const auto& [key, node] : **table) {
    if (key.str() == "source") continue;
    if (!holds(kCosts, key.str())) return broken(node, "unknown cost class " + std::string(key.str()));
    ON_TRY(read_cost(key.str(), node));
  }
  for (std::string_view key : kCosts)
    if (!machine_.costs.count(std::string(key)))
      return broken(**table, "cost class " + std::string(key) + " is missing");
  return {};
}

Result<void> Reader::read_figures() {
  auto table = section("figures");
  if (!table) return table.failure();
  if (!*table) return {};
  for (const auto& [key, node] : **table) {
    if (key.str() == "source") continue;
    const bool is_switch = holds(kSwitches, key.str());
    if (!is_switch && !holds(kFigures, key.str())) return broken(node, "unknown figure " + std::string(key.str()));
    // Rates and factors divide or multiply: they must not be 0.
    const bool divides = key.str() == "dma_engine_bytes_per_ns" || key.str() == "dma_packet_bytes_max" ||
                         key.str() == "hbm_bytes_per_ns" || key.str() == "link_bytes_per_ns";
    auto value = number(node, std::string(key.str()), divides ? 1e-3 : 0, is_switch ? 1 : 1e9);
    if (!value) return value.failure();
    machine_.figures[std::string(key.str())] = *value;
  }
  for (std::string_view key : kFigures)
    if (!machine_.figures.count(std::string(key))) return broken(**table, "figure " + std::string(key) + " is missing");
  return {};
}

// Sizes against each other, once all are known.
Result<void> Reader::consistent() const {
  const toml::node* node = root_.get("sizes");
  const toml::node& at = node ? *node : static_cast<const toml::node&>(root_);
  const Machine& m = machine_;
  const auto above = [](std::string_view key, std::int64_t value, std::int64_t limit, std::string_view why) {
    return std::string(key) + " is " + std::to_string(value) + "; allowed: 1 to " + std::to_string(limit) + ", " +
           std::string(why);
  };
  if (m.quadrant > m.partitions || m.partitions % m.quadrant != 0)
    return broken(at, "quadrant is " + std::to_string(m.quadrant) + "; it must divide partitions, " +
                          std::to_string(m.partitions));
  if (m.pe_rows > m.partitions) return broken(at, above("pe_rows", m.pe_rows, m.partitions, "the partitions"));
  if (m.pe_columns > m.partitions) return broken(at, above("pe_columns", m.pe_columns, m.partitions, "the partitions"));
  if (m.moving_max > m.psum_bank_bytes / 4)
    return broken(at, above("moving_max", m.moving_max, m.psum_bank_bytes / 4, "the fp32 elements of a PSUM bank"));
  if (m.sbuf_partition_bytes % 4 != 0)
    return broken(at,
                  "sbuf_partition_bytes is " + std::to_string(m.sbuf_partition_bytes) + "; it must be a multiple of 4");
  if (m.psum_bank_bytes % 4 != 0)
    return broken(at, "psum_bank_bytes is " + std::to_string(m.psum_bank_bytes) + "; it must be a multiple of 4");
  return {};
}

Result<Machine> Reader::read() {
  ON_TRY(only(root_, "", {"name", "based_on", "generation", "sizes", "clocks", "costs", "figures"}));
  const toml::node* name = root_.get("name");
  if (!name || !name->is_string() || name->as_string()->get().empty() || name->as_string()->get().size() > 64)
    return broken(name ? *name : static_cast<const toml::node&>(root_), "name must be a text of 1 to 64 characters");
  if (const toml::node* base = root_.get("based_on")) {
    // Real machines only, and those stand alone: a chain cannot loop.
    if (standing_alone_) return broken(*base, "this machine must state everything itself");
    const std::string text = base->is_string() ? base->as_string()->get() : "";
    if (text != "trn1" && text != "trn2" && text != "trn3") return broken(*base, "based_on must be trn1, trn2 or trn3");
    auto machine = load_machine(text);
    if (!machine) return machine.failure();
    machine_ = **machine;
    based_ = true;
  }
  machine_.name = name->as_string()->get();
  ON_TRY(size(kGeneration, root_));
  ON_TRY(read_sizes());
  ON_TRY(read_clocks());
  ON_TRY(read_costs());
  ON_TRY(read_figures());
  ON_TRY(consistent());
  return std::move(machine_);
}

bool is_name(std::string_view text) { return holds(kNames, text); }

}  // namespace

Result<Machine> parse_machine(std::string_view text, const std::string& file, BasedOn based_on) {
  if (text.size() > kLargestFile) {
    Place place;
    place.file = file;
    return fail(Code::MachineBroken, place,
                "the file has " + std::to_string(text.size()) + " bytes; the limit is " + std::to_string(kLargestFile));
  }
  Place place;
  place.file = file;
  // ASCII only: the parser mishandles some Unicode spaces.
  const auto foreign = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 127 || (byte < ' ' && c != '\n' && c != '\t' && c != '\r');
  });
  if (foreign != text.end()) {
    const auto at = static_cast<std::size_t>(foreign - text.begin());
    place.line = 1 + static_cast<std::uint32_t>(std::count(text.begin(), foreign, '\n'));
    place.column = static_cast<std::uint32_t>(at - (at == 0 ? 0 : text.rfind('\n', at - 1) + 1) + 1);
    return fail(Code::MachineBroken, place, "the file holds a character that is not printable ASCII");
  }
  try {
    const toml::table root = toml::parse(text, file);
    return Reader(file, root, based_on == BasedOn::Refused).read();
  } catch (const toml::parse_error& error) {
    place.line = error.source().begin.line;
    place.column = error.source().begin.column;
    return fail(Code::MachineBroken, place, std::string(error.description()));
  } catch (const std::logic_error& error) {
    return fail(Code::MachineBroken, place, error.what());
  }
}

double Machine::figure(const std::string& key) const {
  const auto at = figures.find(key);
  return at == figures.end() ? 0 : at->second;
}

Result<std::shared_ptr<const Machine>> load_machine(const std::string& name_or_path) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Machine>> known;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (const auto at = known.find(name_or_path); at != known.end()) return at->second;
  }
  const bool path = name_or_path.find('/') != std::string::npos ||
                    (name_or_path.size() > 5 && name_or_path.substr(name_or_path.size() - 5) == ".toml");
  Result<Machine> machine = Machine();
  if (is_name(name_or_path)) {
    const BasedOn based_on = name_or_path.substr(0, 3) == "trn" ? BasedOn::Refused : BasedOn::Allowed;
    std::string file = machine_directory() + "/" + name_or_path + ".toml";
    auto bytes = read_file(file);
    if (bytes) {
      machine = parse_machine(bytes->text(), file, based_on);
    } else {
      machine = parse_machine(builtin_machine(name_or_path), name_or_path + ".toml (built in)", based_on);
    }
  } else if (path) {
    auto bytes = read_file(name_or_path);
    if (!bytes) return bytes.failure();
    machine = parse_machine(bytes->text(), name_or_path, BasedOn::Allowed);
  } else {
    return fail(Code::MachineUnknown, "the machine " + name_or_path.substr(0, 200) +
                                          " is unknown; known: trn1, trn2, trn3, odd, tiny and paths of .toml files");
  }
  if (!machine) return machine.failure();
  const std::lock_guard<std::mutex> lock(mutex);
  return known.emplace(name_or_path, std::make_shared<const Machine>(std::move(*machine))).first->second;
}

}  // namespace openneuron
