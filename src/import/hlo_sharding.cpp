// OpSharding as XLA prints it.
#include "import/hlo_attributes.h"

namespace openneuron::import::hlo {
namespace {

std::string list(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

const char* type_text(std::int64_t type) {
  switch (type) {
    case 0: return "replicated";
    case 1: return "maximal";
    case 4: return "manual";
    case 6: return "unreduced";
    default: return "unknown";
  }
}

// One sharding that is no tuple.
std::string one(Bytes sharding, Source& source) {
  std::int64_t type = 0;
  bool replicate_last = false;
  std::vector<std::int64_t> tile, devices, last, reshape, transpose;
  Message m(sharding, source);
  while (m.next()) {
    switch (m.number()) {
      case 1: type = m.integer(); break;
      case 3: m.integers(tile); break;
      case 4: m.integers(devices); break;
      case 6: replicate_last = m.flag(); break;
      case 8: m.integers(last); break;
      case 9: m.integers(reshape); break;
      case 10: m.integers(transpose); break;
      default: break;
    }
  }
  if (type == 1) return "{maximal device=" + list(devices) + "}";
  if (type != 3) return std::string("{") + type_text(type) + "}";
  std::string text = "{devices=[" + list(tile) + "]";
  if (reshape.empty()) {
    text += list(devices);
  } else {
    text += "<=[" + list(reshape) + "]";
    bool ordered = true;
    for (std::size_t i = 0; i < transpose.size(); ++i) ordered &= transpose[i] == static_cast<std::int64_t>(i);
    if (!ordered) text += "T(" + list(transpose) + ")";
  }
  if (replicate_last) text += " last_tile_dim_replicate";
  if (!last.empty()) {
    text += " last_tile_dims={";
    for (std::size_t i = 0; i < last.size(); ++i) text += std::string(i == 0 ? "" : ", ") + type_text(last[i]);
    text += "}";
  }
  return text + "}";
}

}  // namespace

std::string sharding_text(Bytes sharding, Source& source) {
  std::int64_t type = 0;
  std::vector<Bytes> parts;
  Message m(sharding, source);
  while (m.next()) {
    if (m.number() == 1) type = m.integer();
    if (m.number() == 5) parts.push_back(m.bytes());
  }
  if (type != 2) return one(sharding, source);
  std::string text = "{";
  for (const Bytes part : parts) text += (text.size() == 1 ? "" : ", ") + one(part, source);
  return text + "}";
}

}  // namespace openneuron::import::hlo
