#include "import/hlo_module.h"

#include <algorithm>

namespace openneuron::import::hlo {
namespace {

// Ids that an instruction refers to, before they are resolved.
struct Pending {
  std::vector<std::int64_t> operands, controls, called;
};

class Reader {
 public:
  Reader(Source& source, Structure& out) : source_(source), out_(out) {}

  void run(Bytes module) {
    std::string_view entry_name;
    std::int64_t entry_id = 0;
    Message m(module, source_);
    while (m.next()) {
      switch (m.number()) {
        case 1: out_.name = m.text(); break;
        case 2: entry_name = m.text(); break;
        case 3: read_computation(m.bytes()); break;
        case 4: out_.interface = m.bytes(); break;
        case 6: entry_id = m.integer(); break;
        case 8: read_aliases(m.bytes(), false, out_.aliases); break;
        case 17: out_.stack_frames = m.bytes(); break;
        case 18: read_aliases(m.bytes(), true, out_.donors); break;
        case 19: out_.frontend_attributes = m.bytes(); break;
        default: break;
      }
    }
    if (source_.failed) return;
    resolve_calls();
    if (!source_.failed) check_calls(module);
    if (!source_.failed) find_entry(module, entry_id, entry_name);
  }

 private:
  void fail(const InstructionHead& head, Code code, std::string message) {
    if (!source_.failed) source_.op = std::string(head.opcode) + " %" + std::string(head.name);
    source_.fail(code, head.record, std::move(message));
  }

  void read_computation(Bytes record) {
    if (source_.failed) return;
    Computation c;
    c.record = record;
    c.first = static_cast<std::uint32_t>(out_.instructions.size());
    std::int64_t root_id = 0;
    std::vector<Pending> pending;
    Message m(record, source_);
    while (m.next()) {
      switch (m.number()) {
        case 1: c.name = m.text(); break;
        case 2: read_instruction(m.bytes(), c, pending); break;
        case 5: c.id = m.integer(); break;
        case 6: root_id = m.integer(); break;
        default: break;
      }
    }
    if (source_.failed) return;
    c.count = static_cast<std::uint32_t>(out_.instructions.size()) - c.first;
    if (c.count == 0)
      return source_.fail(Code::HloMalformed, record, "computation " + std::string(c.name) + " has no instructions");
    std::unordered_map<std::int64_t, std::uint32_t> by_id;
    for (std::uint32_t i = 0; i < c.count; ++i) {
      const InstructionHead& head = out_.instructions[c.first + i];
      if (!by_id.emplace(head.id, i).second)
        return fail(head, Code::HloMalformed,
                    "two instructions of a computation have the id " + std::to_string(head.id));
    }
    const auto root = by_id.find(root_id);
    if (root == by_id.end())
      return source_.fail(
          Code::HloMalformed, record,
          "computation " + std::string(c.name) + " has no instruction with its root's id " + std::to_string(root_id));
    c.root = root->second;
    std::vector<std::vector<std::uint32_t>> controls(c.count);
    for (std::uint32_t i = 0; i < c.count; ++i) {
      InstructionHead& head = out_.instructions[c.first + i];
      head.first_operand = static_cast<std::uint32_t>(out_.operands.size());
      head.operand_count = static_cast<std::uint32_t>(pending[i].operands.size());
      for (const auto* ids : {&pending[i].operands, &pending[i].controls}) {
        for (const std::int64_t id : *ids) {
          const auto found = by_id.find(id);
          if (found == by_id.end())
            return fail(head, Code::HloMalformed,
                        "its computation has no instruction with the id " + std::to_string(id) + ", which it uses");
          (ids == &pending[i].operands ? out_.operands : controls[i]).push_back(found->second);
        }
      }
    }
    set_order(c, controls);
    out_.computations.push_back(std::move(c));
  }

  void read_instruction(Bytes record, Computation& c, std::vector<Pending>& pending) {
    InstructionHead head;
    head.record = record;
    Pending ids;
    std::int64_t parameter = 0;
    Message m(record, source_);
    while (m.next()) {
      switch (m.number()) {
        case 1: head.name = m.text(); break;
        case 2: head.opcode = m.text(); break;
        case 9: parameter = m.integer(); break;
        case 35: head.id = m.integer(); break;
        case 36: m.integers(ids.operands); break;
        case 37: m.integers(ids.controls); break;
        case 38: m.integers(ids.called); break;
        default: break;
      }
    }
    if (source_.failed) return;
    const auto index = static_cast<std::uint32_t>(out_.instructions.size()) - c.first;
    if (head.opcode == "parameter") {
      // Numbers of a well-formed computation stay below the number of its instructions, which its bytes bound.
      if (parameter < 0 || static_cast<std::uint64_t>(parameter) > source_.file.size())
        return fail(head, Code::HloMalformed, "parameter number " + std::to_string(parameter) + " is out of range");
      numbered_.push_back({static_cast<std::uint32_t>(parameter), index});
    }
    head.first_called = static_cast<std::uint32_t>(called_ids_.size());
    head.called_count = static_cast<std::uint32_t>(ids.called.size());
    called_ids_.insert(called_ids_.end(), ids.called.begin(), ids.called.end());
    out_.instructions.push_back(head);
    pending.push_back(std::move(ids));
  }

  // By id, which is the order in which the program was written down, as far as operands allow: XLA lists instructions
  // in an order of its own.
  void set_order(Computation& c, const std::vector<std::vector<std::uint32_t>>& controls) {
    const InstructionHead* heads = out_.instructions.data() + c.first;
    std::vector<std::uint32_t> by_id(c.count);
    for (std::uint32_t i = 0; i < c.count; ++i) by_id[i] = i;
    std::stable_sort(by_id.begin(), by_id.end(), [&](auto a, auto b) { return heads[a].id < heads[b].id; });
    struct Open {
      std::uint32_t instruction, next;
    };
    enum : std::uint8_t { kUntouched, kOpen, kDone };
    std::vector<std::uint8_t> state(c.count, kUntouched);
    std::vector<Open> stack;
    c.order.reserve(c.count);
    for (const std::uint32_t start : by_id) {
      if (state[start] != kUntouched) continue;
      stack.push_back({start, 0});
      state[start] = kOpen;
      while (!stack.empty()) {
        const std::uint32_t i = stack.back().instruction, edge = stack.back().next++;
        const InstructionHead& head = heads[i];
        if (edge == head.operand_count + controls[i].size()) {
          state[i] = kDone;
          c.order.push_back(i);
          stack.pop_back();
          continue;
        }
        const std::uint32_t before = edge < head.operand_count ? out_.operands[head.first_operand + edge]
                                                               : controls[i][edge - head.operand_count];
        if (state[before] == kOpen) return fail(head, Code::HloCycle, "it depends on its own result");
        if (state[before] == kDone) continue;
        state[before] = kOpen;
        stack.push_back({before, 0});
      }
    }
    set_parameters(c);
  }

  void set_parameters(Computation& c) {
    c.parameters.assign(numbered_.size(), kNone);
    for (const auto& [number, index] : numbered_) {
      const InstructionHead& head = out_.instructions[c.first + index];
      if (number >= c.parameters.size())
        return fail(
            head, Code::HloMalformed,
            "parameter " + std::to_string(number) + " of a computation with " + std::to_string(numbered_.size()));
      if (c.parameters[number] != kNone)
        return fail(head, Code::HloMalformed,
                    "parameter " + std::to_string(number) + " stands twice in its computation");
      c.parameters[number] = index;
    }
    numbered_.clear();
  }

  void resolve_calls() {
    std::unordered_map<std::int64_t, std::uint32_t> by_id;
    for (std::uint32_t i = 0; i < out_.computations.size(); ++i) {
      const Computation& c = out_.computations[i];
      if (!by_id.emplace(c.id, i).second)
        return source_.fail(Code::HloMalformed, c.record, "two computations have the id " + std::to_string(c.id));
    }
    out_.called.resize(called_ids_.size());
    for (const InstructionHead& head : out_.instructions) {
      for (std::uint32_t k = 0; k < head.called_count; ++k) {
        const std::int64_t id = called_ids_[head.first_called + k];
        const auto found = by_id.find(id);
        if (found == by_id.end())
          return fail(head, Code::HloMalformed, "no computation has the id " + std::to_string(id) + ", which it calls");
        out_.called[head.first_called + k] = found->second;
      }
    }
    by_id_ = std::move(by_id);
  }

  // Programs cannot recur: whoever walks called computations ends.
  void check_calls(Bytes module) {
    struct Open {
      std::uint32_t computation, next;
    };
    const std::size_t count = out_.computations.size();
    std::vector<std::vector<std::uint32_t>> callees(count);
    for (std::size_t c = 0; c < count; ++c) {
      const Computation& computation = out_.computations[c];
      for (std::uint32_t i = 0; i < computation.count; ++i) {
        const InstructionHead& head = out_.instructions[computation.first + i];
        for (std::uint32_t k = 0; k < head.called_count; ++k) callees[c].push_back(out_.called[head.first_called + k]);
      }
    }
    enum : std::uint8_t { kUntouched, kOpen, kDone };
    std::vector<std::uint8_t> state(count, kUntouched);
    std::vector<Open> stack;
    for (std::uint32_t start = 0; start < count; ++start) {
      if (state[start] != kUntouched) continue;
      stack.push_back({start, 0});
      state[start] = kOpen;
      while (!stack.empty()) {
        const std::uint32_t c = stack.back().computation, edge = stack.back().next++;
        if (edge == callees[c].size()) {
          state[c] = kDone;
          stack.pop_back();
          continue;
        }
        const std::uint32_t callee = callees[c][edge];
        if (state[callee] == kOpen)
          return source_.fail(Code::HloCycle, module,
                              "computation " + std::string(out_.computations[callee].name) +
                                  " calls itself, directly or through others");
        if (state[callee] == kDone) continue;
        state[callee] = kOpen;
        stack.push_back({callee, 0});
      }
    }
  }

  void find_entry(Bytes module, std::int64_t id, std::string_view name) {
    if (const auto found = by_id_.find(id); id != 0 && found != by_id_.end()) {
      out_.entry = found->second;
      return;
    }
    for (std::uint32_t i = 0; i < out_.computations.size(); ++i) {
      if (!name.empty() && out_.computations[i].name == name) out_.entry = i;
    }
    if (out_.entry == kNone && out_.computations.size() == 1 && id == 0 && name.empty()) out_.entry = 0;
    if (out_.entry == kNone)
      source_.fail(Code::HloMalformed, module,
                   "the entry computation (id " + std::to_string(id) + ", name '" + std::string(name) +
                       "') is not in the module");
  }

  void read_aliases(Bytes table, bool donors, std::vector<Alias>& out) {
    Message m(table, source_);
    while (m.next()) {
      if (m.number() != 1) continue;
      const Numbers entry(m.bytes(), source_);
      const int shift = donors ? 0 : 1;  // a donor has no output
      Alias alias;
      if (!donors) alias.output_path = entry.list(1);
      alias.parameter = entry.value(static_cast<std::uint32_t>(1 + shift));
      alias.parameter_path = entry.list(static_cast<std::uint32_t>(2 + shift));
      out.push_back(std::move(alias));
    }
  }

  struct Numbered {
    std::uint32_t number, index;
  };

  Source& source_;
  Structure& out_;
  std::vector<std::int64_t> called_ids_;
  std::vector<Numbered> numbered_;
  std::unordered_map<std::int64_t, std::uint32_t> by_id_;
};

bool is_name(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32; });
}

// A name first, then a computation among the first fields: what HloModuleProto's writers give.
bool starts_like_module(Bytes bytes) {
  Source source(bytes);
  Message m(bytes, source);
  bool named = false;
  for (int fields = 0; fields < 32; ++fields) {
    // A computation that is cut off still tells the format: its tag and length stand where they must.
    if (!m.next())
      return named && source.failed && source.code == Code::HloTruncated && source.offset < bytes.size() &&
             bytes[source.offset] == std::byte{0x1A};
    if (m.number() > 32) return false;
    if (m.number() <= 3 && !m.has_length()) return false;
    if (m.number() == 3) return true;
    if (m.number() <= 2) {
      if (!is_name(m.text())) return false;
      named = true;
    }
  }
  return false;
}

}  // namespace

Bytes module_in(Bytes file) {
  if (starts_like_module(file)) return file;
  Source source(file);
  Message m(file, source);
  if (m.next() && m.number() == 1 && m.has_length() && starts_like_module(m.bytes())) return m.bytes();
  return file;
}

bool looks_like_hlo(Bytes file) {
  if (starts_like_module(file)) return true;
  Source source(file);
  Message m(file, source);
  return m.next() && m.number() == 1 && m.has_length() && starts_like_module(m.bytes());
}

void read_structure(Bytes module, Source& source, Structure& structure) { Reader(source, structure).run(module); }

}  // namespace openneuron::import::hlo
