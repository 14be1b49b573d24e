// The attributes of graph ops from the fields of HLO instructions.
#pragma once
#include <span>

#include "graph/normalise.h"
#include "import/hlo_instruction.h"

namespace openneuron::import::hlo {

class AttributeMaker {
 public:
  AttributeMaker(graph::Module& module, Source& source) : module_(module), source_(source) {}

  /// What the op of `kind` says beyond its operands and regions; the problem, if any, is in `source`.
  graph::NamedAttributes make(graph::OpKind kind, const Instruction& in);
  /// `mhlo.frontend_attributes` and `mhlo.sharding`, where the instruction has them.
  void add_extra(const Instruction& in, graph::NamedAttributes& out);
  AttrId frontend(Bytes attributes);

 private:
  void fail(const Instruction& in, Code code, std::string message) {
    source_.fail(code, in.record, std::move(message));
  }
  void ints(const char* name, std::span<const std::int64_t> values) {
    out_.emplace_back(name, module_.ints_attr(values));
  }
  void integer(const char* name, std::int64_t value) { out_.emplace_back(name, module_.int_attr(value)); }
  void flag(const char* name, bool value) { out_.emplace_back(name, module_.bool_attr(value)); }
  void keyword(const Instruction& in, const char* name, const char* enumeration, std::int64_t number);
  void the_dimension(const Instruction& in, const char* name);
  void window(const Instruction& in, graph::OpKind kind);
  void convolution(const Instruction& in);
  void pad(const Instruction& in);
  void slice(const Instruction& in);
  void batch_norm(const Instruction& in);
  void precision(const Instruction& in);
  void algorithm(const Instruction& in, std::int64_t number);
  void dot(const Instruction& in);
  void ragged_dot(const Instruction& in);
  void gather(const Instruction& in);
  void scatter(const Instruction& in);
  void triangular(const Instruction& in);
  void groups(const Instruction& in);
  std::vector<std::vector<std::int64_t>> iota_groups(const Instruction& in);
  void custom_call(const Instruction& in);
  AttrId layouts(const Instruction& in, std::span<const Bytes> shapes);

  graph::Module& module_;
  Source& source_;
  graph::NamedAttributes out_;
};

/// An OpSharding as XLA prints it, `{devices=[2,1]<=[2]}`.
std::string sharding_text(Bytes sharding, Source& source);

}  // namespace openneuron::import::hlo
