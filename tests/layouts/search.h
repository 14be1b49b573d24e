// Random graphs of contractions, and the planner's layouts of them against all others by the clock.
#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "device/device.h"
#include "import/import.h"
#include "machine/machine.h"

namespace openneuron::layouts {

// A function of `contractions` products of matrices. Operands are parameters or earlier values, either dim is contracted;
// now and then a bias, a function or a sum over a dim lies between.
class RandomGraph {
 public:
  RandomGraph(std::uint32_t seed, int contractions) : random_(seed) {
    values_.push_back(parameter(size(), size()));
    for (int i = 0; i < contractions; ++i) {
      const Value lhs = some_value();
      const bool lhs_rows = chance(2);  // contracts rows of lhs, else columns
      const bool rhs_rows = chance(2);
      const std::int64_t k = lhs_rows ? lhs.rows : lhs.columns;
      const Value rhs = matching(k, rhs_rows);
      Value made = dot(lhs, lhs_rows, rhs, rhs_rows);
      if (chance(3)) made = unary(made);
      if (chance(3)) made = bias(made);
      if (chance(6)) made = scaled_by_sums(made);
      values_.push_back(made);
    }
  }

  std::string text() const {
    std::string head, results, types;
    for (std::size_t i = 0; i < parameters_.size(); ++i) head += (i ? ", %p" : "%p") + std::to_string(i) + ": " + type(parameters_[i]);
    for (const Value& v : values_)
      if (!v.read && v.name[1] == 'v') {
        results += (results.empty() ? "" : ", ") + v.name;
        types += (types.empty() ? "" : ", ") + type(v);
      }
    return "func.func @main(" + head + ") -> (" + types + ") {\n" + body_ + "  return " + results + " : " + types + "\n}\n";
  }

 private:
  struct Value {
    std::string name;
    std::int64_t rows, columns;  // columns 0: a vector
    bool read = false;
  };

  bool chance(std::uint32_t n) { return random_() % n == 0; }
  std::int64_t size() {
    constexpr std::int64_t kSizes[] = {64, 96, 128, 192, 256, 320, 384, 512, 640};
    return kSizes[random_() % std::size(kSizes)];
  }
  static std::string type(const Value& v) {
    return "tensor<" + std::to_string(v.rows) + "x" + (v.columns ? std::to_string(v.columns) + "x" : "") + "f32>";
  }
  Value parameter(std::int64_t rows, std::int64_t columns) {
    parameters_.push_back({"%p" + std::to_string(parameters_.size()), rows, columns});
    return parameters_.back();
  }
  Value fresh(std::int64_t rows, std::int64_t columns) { return {"%v" + std::to_string(count_++), rows, columns}; }
  // One of the last three values: chains, and values with several readers.
  Value some_value() {
    const std::size_t back = random_() % std::min<std::size_t>(3, values_.size());
    Value& v = values_[values_.size() - 1 - back];
    v.read = true;
    return v;
  }
  // An earlier value or a parameter with `k` rows (columns).
  Value matching(std::int64_t k, bool rows) {
    if (chance(2))
      for (Value& v : values_)
        if ((rows ? v.rows : v.columns) == k && (rows ? v.columns : v.rows) <= 640) {
          v.read = true;
          return v;
        }
    return rows ? parameter(k, size()) : parameter(size(), k);
  }
  Value dot(const Value& lhs, bool lhs_rows, const Value& rhs, bool rhs_rows) {
    const Value made = fresh(lhs_rows ? lhs.columns : lhs.rows, rhs_rows ? rhs.columns : rhs.rows);
    body_ += "  " + made.name + " = stablehlo.dot_general " + lhs.name + ", " + rhs.name + ", contracting_dims = [" + (lhs_rows ? "0" : "1") +
             "] x [" + (rhs_rows ? "0" : "1") + "] : (" + type(lhs) + ", " + type(rhs) + ") -> " + type(made) + "\n";
    return made;
  }
  Value unary(const Value& in) {
    const Value made = fresh(in.rows, in.columns);
    body_ += "  " + made.name + " = stablehlo.tanh " + in.name + " : " + type(in) + "\n";
    return made;
  }
  Value broadcast(const Value& vector, const Value& like, int dim) {
    const Value made = fresh(like.rows, like.columns);
    body_ += "  " + made.name + " = stablehlo.broadcast_in_dim " + vector.name + ", dims = [" + std::to_string(dim) + "] : (" + type(vector) +
             ") -> " + type(made) + "\n";
    return made;
  }
  Value binary(const char* op, const Value& a, const Value& b) {
    const Value made = fresh(a.rows, a.columns);
    body_ += "  " + made.name + " = stablehlo." + op + " " + a.name + ", " + b.name + " : " + type(a) + "\n";
    return made;
  }
  Value bias(const Value& in) {
    const int dim = chance(2) ? 0 : 1;
    const Value vector = parameter(dim == 0 ? in.rows : in.columns, 0);
    const Value wide = broadcast(vector, in, dim);
    return binary("add", in, wide);
  }
  Value scaled_by_sums(const Value& in) {
    const int dim = chance(2) ? 0 : 1;
    const Value zero = fresh(0, 0);
    body_ += "  " + zero.name + " = stablehlo.constant dense<0.0> : tensor<f32>\n";
    const Value sums = fresh(dim == 0 ? in.columns : in.rows, 0);
    body_ += "  " + sums.name + " = stablehlo.reduce(" + in.name + " init: " + zero.name + ") applies stablehlo.add across dimensions = [" +
             std::to_string(dim) + "] : (" + type(in) + ", tensor<f32>) -> " + type(sums) + "\n";
    const Value wide = broadcast(sums, in, 1 - dim);
    return binary("multiply", in, wide);
  }

  std::mt19937 random_;
  std::vector<Value> values_, parameters_;
  std::string body_;
  int count_ = 0;
};

struct Found {
  double chosen_ns = 0, best_ns = 0;   // without launch
  std::vector<int> best;               // by group; -1 where there is no choice
  std::vector<lower::Layouts::Choice> made;
  std::size_t tried = 0;
};

class Search {
 public:
  Search(std::string program, const Machine& machine) : program_(std::move(program)), machine_(machine) {}

  // Estimated time with these layouts; below 0 if the program does not compile with them.
  double time(const std::vector<int>& forced, lower::Layouts& layouts) const {
    auto module = import::read(std::as_bytes(std::span<const char>(program_)), "random", {}, import::Positions::OfText);
    if (!module) return -1;
    layouts.forced = forced;
    compile::Options options;
    options.layouts = &layouts;
    auto made = compile::compile(std::move(*module), machine_, options);
    if (!made) return -1;
    return device::estimate(made->code, machine_).total_ns - machine_.figure("launch_before_ns") - machine_.figure("launch_after_ns");
  }

  // The planner's choice against every combination of choices, at most `most` of them: 0 tried if there are more.
  Found all(std::size_t most) const {
    Found found;
    lower::Layouts layouts;
    found.chosen_ns = found.best_ns = time({}, layouts);
    found.made = layouts.made;
    std::vector<int> forced;
    std::size_t combinations = 1;
    for (const auto& choice : found.made) {
      forced.push_back(choice.candidates > 1 ? 0 : -1);
      combinations *= static_cast<std::size_t>(std::max(choice.candidates, 1));
      if (combinations > most) return found;
    }
    found.best.assign(forced.size(), -1);
    for (std::size_t n = 0; n < combinations; ++n) {
      std::size_t rest = n;
      for (std::size_t g = 0; g < forced.size(); ++g) {
        if (forced[g] < 0) continue;
        const auto candidates = static_cast<std::size_t>(found.made[g].candidates);
        forced[g] = static_cast<int>(rest % candidates);
        rest /= candidates;
      }
      const double ns = time(forced, layouts);
      ++found.tried;
      if (ns >= 0 && ns < found.best_ns) {
        found.best_ns = ns;
        found.best = forced;
      }
    }
    return found;
  }

 private:
  std::string program_;
  const Machine& machine_;
};

}  // namespace openneuron::layouts
