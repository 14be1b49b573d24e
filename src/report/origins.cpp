// Where turns, spills and routines come from: instructions, matched with what the compiler noted about their op.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "isa/table.h"
#include "report/run.h"

namespace openneuron::report {
namespace {

// The notes by the text of their location, as ops are.
class Notes {
 public:
  explicit Notes(const Run& run) : run_(run) {
    for (const isa::Note& note : run.facts.notes)
      if (note.kind == isa::NoteKind::Spilled)
        spills_.emplace(note.value, &note);
      else if (note.location < run.code.locations.size()) by_text_[run.code.locations[note.location]].push_back(&note);
  }
  const isa::Note* spill(const std::string& variable) const {
    const auto at = spills_.find(variable);
    return at == spills_.end() ? nullptr : at->second;
  }
  /// A buffer carries the name of its value, and more.
  const isa::Note* turn(std::uint32_t op, const std::string& buffer) const {
    const auto at = by_text_.find(run_.ops[op].source.text);
    const isa::Note* first = nullptr;
    if (at == by_text_.end()) return nullptr;
    for (const isa::Note* note : at->second) {
      if (note->kind != isa::NoteKind::Turned) continue;
      if (buffer.compare(0, note->value.size(), note->value) == 0) return note;
      if (!first) first = note;
    }
    return first;
  }

 private:
  const Run& run_;
  std::map<std::string, std::vector<const isa::Note*>> by_text_;
  std::map<std::string, const isa::Note*> spills_;
};

template <class Row>
void most_first(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.busy_ns > b.busy_ns; });
}

// A row while variables of its family are still met.
template <class Row>
struct Growing {
  Row row;
  Seen seen;
};

}  // namespace

void add_origins(const Run& run, Report& report) {
  const Notes notes(run);
  std::map<std::tuple<std::uint32_t, TurnRow::How, std::string, std::uint32_t>, Growing<TurnRow>> turns;
  std::map<std::pair<std::uint32_t, std::string>, Growing<SpillRow>> spills;  // by family and reason
  std::map<std::pair<std::uint32_t, std::string>, RoutineRow> routines;

  const auto buffer_name = [&](const Item& item) { return item.buffer == kNone ? std::string() : run.facts.buffers[item.buffer].name; };
  const auto variable_name = [&](const Item& item) {
    return item.variable < run.code.variables.size() ? run.code.variables[item.variable].name : std::string();
  };
  const auto turn_of = [&](const Item& item) -> TurnRow* {
    const bool pe = item.opcode == isa::Opcode::Transpose;
    const bool scattered = item.dma && item.descriptor_bytes <= item.element_bytes && item.descriptors > 1;
    if (!pe && !scattered) return nullptr;
    TurnRow row;
    row.how = pe ? TurnRow::How::Pe : TurnRow::How::ElementDma;
    row.op = item.op;
    if (pe) {
      const isa::Note* note = notes.turn(item.op, buffer_name(item));
      row.value = note ? note->value : buffer_name(item);
      if (note) row.why = note->why;
    } else {
      if (item.variable == kNone) row.value = buffer_name(item);
      row.why = std::string(item.writes_variable ? "stored" : "loaded") + " with " + std::to_string(item.descriptor_bytes) +
                " bytes a descriptor: neighbours on one side are apart on the other";
    }
    auto& made = turns.try_emplace({row.op, row.how, row.value, pe ? kNone : run.family_of(item)}, Growing<TurnRow>{row, {}}).first->second;
    if (!pe) made.seen.add(item.variable);
    return &made.row;
  };
  const auto is_spill = [&](const Item& item) { return item.dma && run.is_scratch(item); };
  const auto spill_of = [&](const Item& item) -> SpillRow& {
    const isa::Note* note = notes.spill(variable_name(item));
    const std::string why = note ? note->why : std::string();
    const std::string family = why.compare(0, 4, "SBUF") == 0 ? "no room" : why;  // how much was free differs
    const auto [at, added] = spills.try_emplace({run.family_of(item), family});
    if (added) {
      at->second.row.op = item.op;
      at->second.row.why = why;
    }
    at->second.seen.add(item.variable);
    return at->second.row;
  };
  const auto routine_of = [&](const Item& item) -> RoutineRow& {
    const std::string name(isa::row(item.opcode).name);
    RoutineRow& row = routines[{item.op, name}];
    row.name = name;
    row.op = item.op;
    return row;
  };

  for (const device::Span& span : run.spans) {
    const Item& item = run.item(span);
    const double busy = span.end_ns - span.start_ns;
    if (TurnRow* row = turn_of(item)) {
      ++row->instructions;
      row->bytes += static_cast<std::uint64_t>(item.dma ? item.descriptors * item.descriptor_bytes : 0);
      row->busy_ns += busy;
    }
    if (is_spill(item)) {
      SpillRow& row = spill_of(item);
      if (item.writes_variable && row.written == 0) row.op = item.op;
      row.written += item.writes_variable ? item.written : 0;
      row.read += item.writes_variable ? 0 : item.read;
      row.busy_ns += busy;
    }
    if (item.routine) {
      ++routine_of(item).calls;
      routine_of(item).busy_ns += busy;
    }
  }
  for (const PathPart& part : run.path) {
    const Item& item = run.item(run.spans[part.span]);
    const double time = part.busy_ns + part.latency_ns;
    if (TurnRow* row = turn_of(item)) row->path_ns += time;
    if (is_spill(item)) spill_of(item).path_ns += time;
    if (item.routine) routine_of(item).path_ns += time;
  }
  for (auto& [key, made] : turns) {
    if (const Values values = made.seen.values(run); values.count > 0) made.row.value = values.name;
    report.turns.push_back(std::move(made.row));
  }
  for (auto& [key, made] : spills) {
    made.row.values = made.seen.values(run);
    report.spills.push_back(std::move(made.row));
  }
  for (auto& [key, row] : routines) report.routines.push_back(std::move(row));
  most_first(report.turns);
  most_first(report.spills);
  most_first(report.routines);
}

}  // namespace openneuron::report
