// Values whose elements have two parts, each of a type that engines know: 64-bit integers are words, complex numbers a
// real and an imaginary part. A splitter makes two planes of each such value: in ops, through regions and in the entry,
// whose inputs and outputs become arrays with a last dim of the two parts (the bytes are the same; the type that the
// program gave stands in the attribute `neff.type`). A splitter for a kind of value adds its arithmetic.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "opt/rewrite.h"

namespace openneuron::opt {

/// The entry's attribute of a parameter or result: the tensor type that the program gave it.
inline constexpr const char* kProgramType = "neff.type";

struct Planes {
  ValueId low, high;               ///< lower and upper word; real and imaginary part
  std::uint64_t most = UINT64_MAX; ///< of a number: the largest that it can be, read unsigned
  ValueId biased;                  ///< the upper word with its sign bit turned, where that lies ready
  bool small() const { return most <= 0xFFFFFFFFull; }
};

class PlaneSplitter : public Signatures {
 public:
  /// Rewrites the module when it has such values.
  Result<void> run(graph::Module& module);

  void parameters(Builder& out, const graph::Function& old, ValueMap& map) override;
  std::vector<ValueId> results(Builder& out, const graph::Function& old, std::vector<ValueId> returned) override;

 protected:
  /// The type of the two parts; None for a type that stays.
  virtual ElementType part_of(ElementType element) const = 0;
  /// Arithmetic on the visited op, whose inputs stand in `inputs`; false when there is no rule for it.
  virtual Result<bool> compute(Visit& visit) = 0;
  virtual const char* name() const = 0;  ///< for diagnostics, plural

  /// The element type of a value that is split, else None.
  ElementType wide(const Visit& visit, ValueId old) const;
  bool replace(Visit& visit, const Planes& planes);
  ValueId number(Visit& visit, std::uint64_t bits) const;  ///< a splat of a part, of the result's shape
  TypeId type(Visit& visit, ElementType element) const { return visit.out.module().tensor(element, shape_); }
  /// A start index as i32: what does not fit saturates, as it is clamped (or is out of bounds) anyhow.
  ValueId index(Visit& visit, std::size_t operand);
  /// An array with a last dim of two as planes of `shape`, and back.
  static Planes unpack(Visit& visit, ValueId packed, const std::vector<std::int64_t>& shape);
  static ValueId pack(Visit& visit, const Planes& planes);

  ElementType part_ = ElementType::None;     ///< of the visited op's wide values
  std::vector<const Planes*> inputs_;        ///< per operand: its planes, or null when it is not split
  std::vector<std::int64_t> shape_;          ///< of the visited op's first result

 private:
  using Table = std::unordered_map<std::uint32_t, Planes>;  // by value of the old function
  // How a region is called: in order, or (sort) both sides of an operand in turn; which parameters and results are
  // small, so that their upper word does not travel.
  struct Region {
    bool sides = false;
    std::vector<std::uint64_t> most;   // per parameter
    std::vector<bool> small_results;   // per result
    std::vector<bool> biased;          // per parameter: the upper word comes with its sign bit turned
  };

  Result<bool> visit(Rewriter& rewriter, Visit& v);
  bool move(Visit& v);
  Planes constant(Visit& v);
  Result<bool> expand(Rewriter& rewriter, Visit& v);
  Result<bool> replace_rows(Rewriter& rewriter, Visit& v);
  void narrow_carried(Rewriter& rewriter, const Visit& v, std::vector<std::uint64_t>& most);

  std::unordered_map<const graph::Function*, Table> tables_;
  std::unordered_map<const graph::Function*, Region> regions_;
  std::unordered_map<std::uint32_t, ValueId> packed_;  // the entry's parameters as they come
};

}  // namespace openneuron::opt
