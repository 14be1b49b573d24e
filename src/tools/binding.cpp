#include "tools/binding.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "num/convert.h"

namespace openneuron::tools {
namespace {

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string out;
  for (std::int64_t d : shape) out += (out.empty() ? "" : "x") + std::to_string(d);
  return out.empty() ? "scalar" : out;
}

Place at_array(const std::string& file, const std::string& name) {
  Place place;
  place.file = file;
  place.op = name;
  return place;
}

// numpy booleans may hold any byte; a program's hold 0 or 1.
Feed with_clean_booleans(const Array& array) {
  const auto dirty = [](std::byte b) { return std::to_integer<int>(b) > 1; };
  if (std::none_of(array.bytes.begin(), array.bytes.end(), dirty)) return {array.bytes, array.owner, false};
  auto clean = std::make_shared<std::vector<std::byte>>(array.bytes.begin(), array.bytes.end());
  for (std::byte& b : *clean) b = std::byte(b != std::byte(0));
  const std::span<const std::byte> bytes(*clean);
  return {bytes, std::move(clean), false};
}

Result<Feed> bind(const Port& port, bool donated, const Array& array, std::int64_t steps, const std::string& file) {
  const NumpyType wanted = numpy_type(port.type);
  if (array.kind != wanted.kind || array.width != wanted.width)
    return fail(Code::ArrayType, at_array(file, array.name),
                "the array is " + numpy_name(array.kind, array.width) + ", the input is " +
                    std::string(type_name(port.type)) + " (" + numpy_name(wanted.kind, wanted.width) + ")");
  Feed feed = array.kind == 'b' ? with_clean_booleans(array) : Feed{array.bytes, array.owner, false};
  if (array.shape == port.shape) return feed;
  const bool extra = steps > 0 && array.shape.size() == port.shape.size() + 1 && array.shape[0] == steps &&
                     std::equal(port.shape.begin(), port.shape.end(), array.shape.begin() + 1);
  if (extra && donated)
    return fail(
        Code::ArrayShape, at_array(file, array.name),
        "the input is donated: it is the previous step's output and is given once, as " + shape_text(port.shape));
  if (!extra)
    return fail(Code::ArrayShape, at_array(file, array.name),
                "the array's shape is " + shape_text(array.shape) + ", the input's is " + shape_text(port.shape) +
                    (steps > 0 ? " (or " + std::to_string(steps) + " of these)" : ""));
  feed.stepped = true;
  return feed;
}

std::vector<bool> donated_inputs(const Signature& signature) {
  std::vector<bool> donated(signature.inputs.size(), false);
  for (const Port& output : signature.outputs)
    if (output.aliases >= 0) donated[static_cast<std::size_t>(output.aliases)] = true;
  return donated;
}

}  // namespace

Result<std::vector<Feed>> bind_arrays(const Signature& signature, std::span<const Array> arrays, std::int64_t steps,
                                      const std::string& file) {
  const std::vector<bool> donated = donated_inputs(signature);
  std::vector<Feed> feeds;
  std::vector<bool> used(arrays.size(), false);
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    const Port& port = signature.inputs[i];
    std::size_t found = arrays.size();
    for (const std::string& name : {port.name, "input" + std::to_string(i)})
      for (std::size_t k = 0; k < arrays.size() && found == arrays.size(); ++k)
        if (arrays[k].name == name && !used[k]) found = k;
    if (found == arrays.size())
      return fail(
          Code::ArrayMissing, at_array(file, {}),
          "no array for input " + port.name + ", " + std::string(type_name(port.type)) + " " + shape_text(port.shape));
    used[found] = true;
    auto feed = bind(port, donated[i], arrays[found], steps, file);
    if (!feed) return feed.failure();
    feeds.push_back(std::move(*feed));
  }
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (!used[k])
      return fail(Code::ArrayUnknown, at_array(file, {}),
                  "array '" + arrays[k].name + "' names no input of the program");
  return feeds;
}

Result<std::vector<Feed>> random_feeds(const Signature& signature, std::uint64_t seed) {
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    const Port& port = signature.inputs[i];
    std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + i);
    std::shared_ptr<std::vector<std::byte>> bytes;
    try {
      bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(port.bytes));
    } catch (const std::bad_alloc&) {
      return fail(Code::MemoryExhausted, "input " + port.name + " needs " + std::to_string(port.bytes) + " bytes");
    }
    std::int64_t count = 1;
    for (std::int64_t d : port.shape) count *= d;
    // A complex number is two of its parts.
    ElementType part = port.type;
    if (part == ElementType::C64) part = ElementType::F32, count *= 2;
    if (part == ElementType::C128) part = ElementType::F64, count *= 2;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (is_float(part)) {
        // Box and Muller; 53 random bits each, the first never zero.
        const double u = (static_cast<double>(random() >> 11) + 1) * 0x1p-53,
                     v = static_cast<double>(random() >> 11) * 0x1p-53;
        store_double(part, bytes->data(), at, std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v));
      } else {
        store_int(part, bytes->data(), at, static_cast<std::int64_t>(random() >> 63));
      }
    }
    const std::span<const std::byte> view(*bytes);
    feeds.push_back({view, std::move(bytes), false});
  }
  return feeds;
}

Result<Memory> Memory::allocate(Signature signature, std::vector<Feed> feeds, std::int64_t steps,
                                std::int64_t limit_bytes) {
  Memory m;
  m.donated_ = donated_inputs(signature);
  m.steps_ = steps;
  std::int64_t total = 0;
  for (const auto* ports : {&signature.inputs, &signature.outputs})
    for (const Port& port : *ports) {
      if (port.aliases >= 0) continue;
      if (port.bytes < 0 || port.bytes > std::numeric_limits<std::int64_t>::max() / 2 - total)
        return fail(Code::MemoryExhausted, port.name + " has an impossible size");
      total += port.bytes;
    }
  if (limit_bytes > 0 && total > limit_bytes)
    return fail(Code::MemoryExhausted, "inputs and outputs need " + std::to_string(total) + " bytes, the core has " +
                                           std::to_string(limit_bytes) + " bytes of HBM");
  // Offsets first. A tensor starts at a multiple of 64 bytes, and 64 bytes lie behind the last.
  constexpr std::int64_t kNone = -1, kLine = 64;
  std::int64_t end = 0;
  std::vector<std::int64_t> inputs, outputs, stacks;
  const auto place = [&end](std::vector<std::int64_t>& into, std::int64_t bytes) {
    into.push_back(end);
    end += (bytes / kLine + 1) * kLine;
  };
  for (const Port& port : signature.inputs) place(inputs, port.bytes);
  for (const Port& port : signature.outputs) {
    if (port.aliases >= 0) {
      outputs.push_back(kNone);
      stacks.push_back(kNone);
      continue;
    }
    place(outputs, port.bytes);
    if (steps == 0) {
      stacks.push_back(kNone);
      continue;
    }
    if (port.bytes > (std::numeric_limits<std::int64_t>::max() / 2 - end) / steps)
      return fail(Code::MemoryExhausted, port.name + " has an impossible size over all steps");
    place(stacks, port.bytes * steps);
  }
  m.bytes_ = device::Mapping(static_cast<std::size_t>(end));
  if (m.bytes_.data() == nullptr)
    return fail(Code::MemoryExhausted, "the host has no memory for the program's inputs and outputs");
  const auto pointers = [&m](const std::vector<std::int64_t>& offsets) {
    std::vector<std::byte*> out;
    for (std::int64_t offset : offsets) out.push_back(offset == kNone ? nullptr : m.bytes_.data() + offset);
    return out;
  };
  m.inputs_ = pointers(inputs);
  m.outputs_ = pointers(outputs);
  m.stacks_ = pointers(stacks);
  m.signature_ = std::move(signature);
  m.feeds_ = std::move(feeds);
  return m;
}

std::byte* Memory::output(std::size_t i) {
  const int aliases = signature_.outputs[i].aliases;
  return aliases >= 0 ? inputs_[static_cast<std::size_t>(aliases)] : outputs_[i];
}

void Memory::begin_step(std::int64_t step, Restore restore) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto size = static_cast<std::size_t>(signature_.inputs[i].bytes);
    if (size == 0) continue;
    const bool first = step == 0 || (restore == Restore::Yes && donated_[i]);
    if (!first && !feeds_[i].stepped) continue;
    const std::size_t offset = feeds_[i].stepped ? static_cast<std::size_t>(step) * size : 0;
    constexpr std::size_t kPart = std::size_t{4} << 20;  // of a mapped file that is in memory twice at a time
    for (std::size_t at = 0; at < size; at += kPart) {
      const auto part = feeds_[i].bytes.subspan(offset + at, std::min(kPart, size - at));
      std::memcpy(inputs_[i] + at, part.data(), part.size());
      let_go(part);
    }
  }
}

void Memory::end_step(std::int64_t step) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto size = static_cast<std::size_t>(signature_.outputs[i].bytes);
    if (stacks_[i]) std::memcpy(stacks_[i] + static_cast<std::size_t>(step) * size, outputs_[i], size);
  }
}

std::vector<Array> Memory::results() const {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < signature_.outputs.size(); ++i) {
    const Port& port = signature_.outputs[i];
    const NumpyType numpy = numpy_type(port.type);
    Array a;
    a.name = port.name;
    a.kind = numpy.kind;
    a.width = numpy.width;
    a.shape = port.shape;
    const std::byte* data =
        port.aliases >= 0 ? inputs_[static_cast<std::size_t>(port.aliases)] : outputs_[i];
    std::int64_t bytes = port.bytes;
    if (stacks_[i]) {
      data = stacks_[i];
      bytes *= steps_;
      a.shape.insert(a.shape.begin(), steps_);
    }
    a.bytes = {data, static_cast<std::size_t>(bytes)};
    arrays.push_back(std::move(a));
  }
  return arrays;
}

std::string summary(std::span<const Array> arrays, const Signature& signature) {
  std::string out;
  char number[32];
  const auto print = [&](double v) {
    std::snprintf(number, sizeof number, "%.6g", v);
    return std::string(number);
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i];
    const ElementType type = a.kind == 'f' && a.width == 8 ? ElementType::F64 : signature.outputs[i].type;
    out += a.name + "  " + std::string(type_name(type)) + "[";
    for (std::size_t d = 0; d < a.shape.size(); ++d) out += (d ? "," : "") + std::to_string(a.shape[d]);
    out += "]";
    const std::int64_t count = is_complex(type) ? 0 : a.count();
    if (count > 0) {
      double sum = 0, low = INFINITY, high = -INFINITY;
      std::string first;
      for (std::int64_t k = 0; k < count; ++k) {
        const double v = load_double(type, a.bytes.data(), static_cast<std::size_t>(k));
        sum += v;
        low = std::fmin(low, v);
        high = std::fmax(high, v);
        if (k < 4) first += (k ? ", " : "") + print(v);
      }
      out += "  mean " + print(sum / static_cast<double>(count)) + ", min " + print(low) + ", max " + print(high) +
             ": [" + first + (count > 4 ? ", ...]" : "]");
    }
    out += "\n";
  }
  return out;
}

}  // namespace openneuron::tools
