#include "lower/lower.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "graph/verify.h"
#include "lower/function.h"
#include "lower/op_tables.h"
#include "lower/overwrite.h"

namespace openneuron::lower {
namespace {

struct Donation {
  std::vector<std::int64_t> output_of_input;  // -1: kept
  std::vector<std::int64_t> input_of_output;
};

Donation read_donations(const graph::Module& m, const graph::Function& f, std::size_t outputs) {
  Donation d;
  d.output_of_input.assign(f.parameter_count(), -1);
  d.input_of_output.assign(outputs, -1);
  for (std::size_t i = 0; i < f.parameter_count(); ++i) {
    const AttrId dict = f.parameter_attributes[i];
    if (!dict.valid()) continue;
    const AttrId alias = m.lookup(dict, "tf.aliasing_output");
    if (!alias.valid()) continue;
    const std::int64_t k = m.attribute(alias).integer;
    if (k < 0 || k >= static_cast<std::int64_t>(outputs) || d.input_of_output[static_cast<std::size_t>(k)] >= 0) continue;
    d.output_of_input[i] = k;
    d.input_of_output[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(i);
  }
  return d;
}

// The names of inputs and outputs: what the program says (neff.name), with `_` for what no text of a level can hold,
// else input0, output0, ... . A name that another variable has, or could have, is left out.
class VariableNames {
 public:
  VariableNames(const graph::Module& module, std::size_t inputs, std::size_t outputs) : m_(module) {
    for (std::size_t i = 0; i < inputs; ++i) taken_.insert("input" + std::to_string(i));
    for (std::size_t i = 0; i < outputs; ++i) taken_.insert("output" + std::to_string(i));
  }
  std::string choose(AttrId dictionary, std::string otherwise) {
    const AttrId given = dictionary.valid() ? m_.lookup(dictionary, "neff.name") : AttrId();
    if (!given.valid() || m_.attribute(given).kind != graph::AttrKind::String) return otherwise;
    std::string name = m_.attribute(given).text;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    for (char& c : name)
      if (!letter(c) && !(c >= '0' && c <= '9') && c != '.') c = '_';
    const bool own = name.find("_spill") != std::string::npos || name.compare(0, 8, "constant") == 0;  // the emitter's
    if (name.empty() || !letter(name[0]) || own || !taken_.insert(name).second) return otherwise;
    return name;
  }

 private:
  const graph::Module& m_;
  std::unordered_set<std::string> taken_;
};

class EntryLowerer {
 public:
  EntryLowerer(const graph::Module& module, const Machine& machine, const Options& options, std::string& report)
      : m_(module), f_(module.function(module.entry())), emitter_(made_, machine, options.rotate), store_(emitter_, options.residency), report_(report), parts_(options.parts), layouts_(options.layouts) {
    made_.name = module.name;
    made_.target = machine.name;
    stamps_ = options.stamp;
  }

  Result<tile::Module> run() {
    const auto returned = f_.operands(f_.terminator());
    results_.assign(returned.begin(), returned.end());
    donation_ = read_donations(m_, f_, results_.size());
    VariableNames names(m_, f_.parameter_count(), results_.size());
    ON_TRY(make_inputs(names));
    ON_TRY(make_outputs(names));
    FunctionLowerer lowerer(m_, f_, store_, report_, parameters_, 1);
    if (layouts_) layouts_->made.clear();
    lowerer.layouts = layouts_;
    lowerer.stamps = stamps_;
    auto views = lowerer.run([&](const Plan& plan) {
                               aim_results(plan);
                               lap(parts_, "plan");
                             },
                             [&](const Plan& plan, std::int32_t g) { return store_ready(plan, g); });
    if (!views) return views.failure();
    ON_TRY(store_rest(*views));
    emitter_.finish();
    lap(parts_, "emit");
    return std::move(made_);
  }

 private:
  Result<void> check(ValueId v, const char* what, std::size_t i) {
    const graph::Type& t = m_.type(f_.type(v));
    const bool dynamic = std::any_of(t.shape.begin(), t.shape.end(), [](std::int64_t n) { return n < 0; });
    if (t.kind == graph::TypeKind::Tensor && lowerable_type(t.element) && !dynamic) return {};
    Place place;
    for (OpId op : f_.ops()) {  // the place of the first op that uses it
      const auto operands = f_.operands(op);
      if (std::find(operands.begin(), operands.end(), v) == operands.end()) continue;
      place = graph::place_of(m_, f_.location_of(op));
      break;
    }
    place.op = std::string(what) + std::to_string(i);
    if (t.kind != graph::TypeKind::Tensor || !lowerable_type(t.element))
      return fail(Code::NoTypeLowering, place, "type " + std::string(type_name(t.element)) + " has no lowering yet");
    return fail(Code::DynamicShape, place, "it has a dynamic dimension");
  }

  // A variable for an input or output: of the type that the program gave it, which a pass may have written another way
  // with the same bytes (opt/planes.h).
  BufferId variable(const std::string& name, isa::VariableKind kind, const graph::Type& t, AttrId attributes) {
    const AttrId given = attributes.valid() ? m_.lookup(attributes, "neff.type") : AttrId();
    if (!given.valid()) return emitter_.hbm(name, kind, t.element, t.shape);
    const graph::Type& program = m_.type(m_.attribute(given).type);
    return emitter_.hbm(name, kind, program.element, program.shape);
  }

  Result<void> make_inputs(VariableNames& names) {
    for (ValueId p : f_.parameters()) {
      ON_TRY(check(p, "input", p.index));
      const graph::Type& t = m_.type(f_.type(p));
      const std::string name = names.choose(f_.parameter_attributes[p.index], "input" + std::to_string(p.index));
      const HomeId home = store_.add(name, t.element, t.shape, 0);
      store_.home(home).writable = donation_.output_of_input[p.index] >= 0;
      Form form;
      form.buffer = variable(name, isa::VariableKind::Input, t, f_.parameter_attributes[p.index]);
      inputs_.push_back(form.buffer);
      store_.add_form(home, form);
      parameters_.push_back(whole(home, t.element, t.shape));
    }
    return {};
  }

  Result<void> make_outputs(VariableNames& names) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      ON_TRY(check(results_[i], "output", i));
      const graph::Type& t = m_.type(f_.type(results_[i]));
      const AttrId attributes = i < f_.result_attributes.size() ? f_.result_attributes[i] : AttrId();
      const std::string name = names.choose(attributes, "output" + std::to_string(i));
      outputs_.push_back(variable(name, isa::VariableKind::Output, t, attributes));
      if (donation_.input_of_output[i] >= 0) made_.buffers[outputs_[i]].alias = inputs_[static_cast<std::size_t>(donation_.input_of_output[i])];
      done_.push_back(t.element_count() == 0);
    }
    return {};
  }

  // A result that owns its home may be written where it is to lie: at once when it shares no memory with an input, else
  // when the input's elements are read before they are overwritten.
  void aim_results(const Plan& plan) {
    const auto& inputs = donation_.input_of_output;
    const bool donates = std::any_of(inputs.begin(), inputs.end(), [](std::int64_t i) { return i >= 0; });
    const Reads reads = donates ? reads_of_homes(f_, plan) : Reads();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const View& v = plan.values[results_[i].index].view;
      if (plan.values[results_[i].index].group < 0 || !is_whole(v, store_)) continue;
      const std::int64_t input = inputs[i];
      if (input >= 0 && !may_overwrite(m_, f_, store_, plan, reads, 1, results_[i], parameters_[static_cast<std::size_t>(input)].home)) continue;
      Home& home = store_.home(v.home);
      if (!home.hbm_target.valid()) home.hbm_target = outputs_[i];
    }
  }

  bool in_place(const View& v, std::size_t i) const {
    const Form* at = v.kind == ViewKind::Memory ? store_.hbm(v.home) : nullptr;
    if (!at || !is_whole(v, store_)) return false;
    return at->buffer == outputs_[i] || at->buffer == made_.buffers[outputs_[i]].alias;
  }

  Result<void> store_output(const View& v, std::size_t i) {
    done_[i] = true;
    if (in_place(v, i)) return {};
    const graph::Type& t = m_.type(f_.type(results_[i]));
    // The output's own memory as a home, so that the copy has a target.
    const HomeId home = store_.add("output" + std::to_string(i), t.element, t.shape, 0);
    Form form;
    form.buffer = outputs_[i];
    store_.add_form(home, form);
    return copy_view(store_, v, whole(home, t.element, t.shape), form);
  }

  // Stores the results of group g as soon as nothing will read the memory that they go to.
  Result<void> store_ready(const Plan& plan, std::int32_t g) {
    const std::uint32_t now = static_cast<std::uint32_t>(g) + 1;
    if (by_group_.empty()) {
      by_group_.resize(plan.groups.size());
      for (std::size_t i = 0; i < results_.size(); ++i)
        if (plan.values[results_[i].index].group >= 0) by_group_[static_cast<std::size_t>(plan.values[results_[i].index].group)].push_back(i);
      for (std::size_t i = 0; i < results_.size(); ++i)
        if (const View& v = plan.values[results_[i].index].view; !done_[i] && v.kind == ViewKind::Memory) ++to_store_[v.home];
    }
    for (std::size_t i : by_group_[static_cast<std::size_t>(g)]) {
      const View& v = plan.values[results_[i].index].view;
      const std::int64_t input = donation_.input_of_output[i];
      if (done_[i] || v.kind != ViewKind::Memory) continue;
      if (input >= 0) {
        const Home& source = store_.home(parameters_[static_cast<std::size_t>(input)].home);
        if (source.last_use > now || in_place(v, i)) continue;
      }
      ON_TRY(store_output(v, i));
      Home& home = store_.home(v.home);
      bool more = in_place(v, i);  // the home's memory is the output's: it stays alive to the end
      more = --to_store_[v.home] > 0 || more;
      if (!more) home.last_use = home.last_read;
    }
    return {};
  }

  Result<void> store_rest(std::vector<View>& views) {
    std::unordered_set<BufferId> donated;
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (donation_.output_of_input[k] >= 0) donated.insert(inputs_[k]);
    // A result that still reads the memory of a donated input goes to scratch before any donated memory is written.
    for (std::size_t i = 0; i < views.size(); ++i) {
      View& v = views[i];
      if (done_[i] || v.kind != ViewKind::Memory || in_place(v, i)) continue;
      const Form* at = store_.hbm(v.home);
      if (!at || !donated.contains(at->buffer)) continue;
      const graph::Type& t = m_.type(f_.type(results_[i]));
      const HomeId home = store_.add("kept" + std::to_string(i), t.element, t.shape, 0);
      const Form form = store_.new_hbm(home);
      const View copy = whole(home, t.element, t.shape);
      ON_TRY(copy_view(store_, v, copy, form));
      store_.add_form(home, form);
      v = copy;
    }
    for (std::size_t i = 0; i < views.size(); ++i)
      if (!done_[i]) ON_TRY(store_output(views[i], i));
    return {};
  }

  const graph::Module& m_;
  const graph::Function& f_;
  tile::Module made_;
  Emitter emitter_;
  Store store_;
  std::string& report_;
  PartTimes* parts_;
  Layouts* layouts_;
  bool stamps_ = true;
  Donation donation_;
  std::vector<View> parameters_;
  std::vector<ValueId> results_;
  std::vector<BufferId> inputs_, outputs_;
  std::vector<bool> done_;
  std::vector<std::vector<std::size_t>> by_group_;
  std::unordered_map<HomeId, std::size_t> to_store_;  // results that lie in a home and are not yet stored
};

}  // namespace

Result<tile::Module> lower(const graph::Module& module, const Machine& machine, const Options& options, std::string& report) {
  return EntryLowerer(module, machine, options, report).run();
}

}  // namespace openneuron::lower
