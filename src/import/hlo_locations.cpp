#include "import/hlo_locations.h"

#include <algorithm>

namespace openneuron::import::hlo {
namespace {

using graph::Location;
using graph::LocationKind;

// Outer calls beyond this are left out: whoever walks a location may recur.
constexpr std::uint32_t kMaxFrames = 100;

std::uint32_t clamped(std::int64_t v) { return static_cast<std::uint32_t>(std::clamp<std::int64_t>(v, 0, INT32_MAX)); }

// Ids of the index are 1-based; 0 is none.
template <class T>
const T* at(const std::vector<T>& table, std::int64_t id) {
  return id < 1 || static_cast<std::uint64_t>(id) > table.size() ? nullptr : &table[static_cast<std::size_t>(id - 1)];
}

}  // namespace

LocationReader::LocationReader(Bytes stack_frames, graph::Module& module, Source& source)
    : module_(module), source_(source) {
  Message m(stack_frames, source);
  while (m.next()) {
    switch (m.number()) {
      case 1: files_.push_back(m.text()); break;
      case 2: functions_.push_back(m.text()); break;
      case 3: {
        const Numbers n(m.bytes(), source);
        places_.push_back({n.value(1), n.value(2), n.value(3), n.value(4), n.value(5), n.value(6)});
        break;
      }
      case 4: {
        const Numbers n(m.bytes(), source);
        Frame frame;
        frame.place = n.value(1);
        frame.parent = n.value(2);
        frames_.push_back(frame);
        break;
      }
      default: break;
    }
  }
}

LocationId LocationReader::file_location(const FilePlace& place, std::string_view file, std::string_view function) {
  Location l;
  l.kind = LocationKind::File;
  l.text = file;
  l.line = clamped(place.line);
  l.column = clamped(place.column);
  l.end_line = clamped(place.end_line);
  l.end_column = clamped(place.end_column);
  if (l.end_line < l.line || (l.end_line == l.line && l.end_column < l.column)) l.end_line = l.end_column = 0;
  const LocationId id = module_.intern(std::move(l));
  if (function.empty()) return id;
  Location named;
  named.kind = LocationKind::Name;
  named.text = function;
  named.children = {id};
  return module_.intern(std::move(named));
}

LocationId LocationReader::frame_location(std::int64_t id) {
  // The frames from this one outwards, up to one whose location is known.
  std::vector<Frame*> chain;
  while (const Frame* found = at(frames_, id)) {
    Frame& frame = frames_[static_cast<std::size_t>(found - frames_.data())];
    if (frame.done || frame.busy) break;
    frame.busy = true;
    chain.push_back(&frame);
    id = frame.parent;
  }
  const Frame* outer = at(frames_, id);
  if (outer != nullptr && !outer->done) outer = nullptr;  // a circle: cut here
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    Frame& frame = **it;
    const FilePlace* place = at(places_, frame.place);
    if (place != nullptr) {
      const std::string_view* file = at(files_, place->file);
      const std::string_view* function = at(functions_, place->function);
      frame.location =
          file_location(*place, file ? *file : std::string_view(), function ? *function : std::string_view());
    }
    frame.depth = 1;
    if (outer != nullptr && outer->location.valid() && outer->depth < kMaxFrames) {
      Location call;
      call.kind = LocationKind::CallSite;
      call.children = {frame.location, outer->location};
      frame.location = module_.intern(std::move(call));
      frame.depth = outer->depth + 1;
    }
    frame.done = true;
    outer = &frame;
  }
  return outer == nullptr ? LocationId() : outer->location;
}

LocationId LocationReader::read(Bytes metadata) {
  std::string_view name, file;
  FilePlace place;
  std::int64_t frame = 0;
  Message m(metadata, source_);
  while (m.next()) {
    switch (m.number()) {
      case 2: name = m.text(); break;
      case 3: file = m.text(); break;
      case 4: place.line = m.integer(); break;
      case 15: frame = m.integer(); break;
      case 17: place.end_line = m.integer(); break;
      case 18: place.column = m.integer(); break;
      case 19: place.end_column = m.integer(); break;
      default: break;
    }
  }
  LocationId where = frame_location(frame);
  if (!where.valid() && !file.empty()) where = file_location(place, file, {});
  if (name.empty()) return where;
  Location l;
  l.kind = LocationKind::Name;
  l.text = name;
  if (where.valid()) l.children = {where};
  return module_.intern(std::move(l));
}

}  // namespace openneuron::import::hlo
