// The payload of a serialised program: a header with a checksum, then the fields in order, the program as a NEFF.
#include <cstring>

#include "base/hash.h"
#include "image/neff.h"
#include "pjrt/executable.h"

namespace openneuron::pjrt {
namespace {

constexpr std::string_view kMagic = "OpenNeuron PJRT\n";
constexpr std::uint32_t kVersion = 4;

class Writer {
 public:
  void number(std::int64_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    out_ += value;
  }
  void ports(const std::vector<Port>& ports) {
    number(static_cast<std::int64_t>(ports.size()));
    for (const Port& port : ports) {
      number(static_cast<std::int64_t>(port.type));
      number(static_cast<std::int64_t>(port.kind));
      number(port.donated);
      number(static_cast<std::int64_t>(port.dims.size()));
      for (std::int64_t n : port.dims) number(n);
      numbers(port.whole);
      number(static_cast<std::int64_t>(port.sharding.kind));
      numbers(port.sharding.tiles);
      numbers(port.sharding.holders);
      number(port.sharding.replicate_on_last);
      number(static_cast<std::int64_t>(port.passing));
    }
  }
  template <class Numbers>
  void numbers(const Numbers& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (std::int64_t n : values) number(n);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// The first thing that does not fit sticks.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  std::int64_t number() {
    std::int64_t value = 0;
    if (left_.size() < sizeof value) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view text() {
    const std::int64_t size = number();
    if (failed_ || size < 0 || static_cast<std::size_t>(size) > left_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view value = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(value.size());
    return value;
  }
  std::vector<Port> ports() {
    std::vector<Port> out(count());
    for (Port& port : out) {
      port.type = static_cast<ElementType>(number());
      port.kind = static_cast<MemoryKind>(number());
      port.donated = number() != 0;
      port.dims.resize(count());
      for (std::int64_t& n : port.dims) n = number();
      numbers(port.whole);
      port.sharding.kind = static_cast<partition::ShardingKind>(number());
      numbers(port.sharding.tiles);
      numbers(port.sharding.holders);
      port.sharding.replicate_on_last = number() != 0;
      port.passing = static_cast<partition::Passing>(number());
    }
    return out;
  }
  template <class Numbers>
  void numbers(Numbers& values) {
    values.resize(count());
    for (std::int64_t& n : values) n = number();
  }
  bool failed() const { return failed_; }

 private:
  // Of items of 8 bytes at least.
  std::size_t count() {
    const std::int64_t n = number();
    if (n >= 0 && static_cast<std::size_t>(n) <= left_.size() / 8) return static_cast<std::size_t>(n);
    failed_ = true;
    return 0;
  }
  std::string_view left_;
  bool failed_ = false;
};

Failure foreign(std::string why) { return fail(Code::PayloadForeign, std::move(why)); }

}  // namespace

Result<std::string> serialise(const Compiled& compiled) {
  image::WriteOptions options;
  options.name = compiled.name;
  options.compress = false;
  auto neff = image::write_neff(*compiled.code, options);
  if (!neff) return neff.failure();
  Writer body;
  body.text(platform_version());
  body.text(compiled.machine->name);
  body.text(compiled.name);
  body.text(compiled.fingerprint);
  body.number(compiled.options.replicas);
  body.number(compiled.options.partitions);
  body.number(compiled.options.portable);
  body.text(compiled.options.bytes);
  body.number(compiled.chip_numerics);
  body.number(compiled.everywhere);
  body.number(static_cast<std::int64_t>(compiled.options.devices.size()));
  for (int device : compiled.options.devices) body.number(device);
  body.ports(compiled.parameters);
  body.ports(compiled.results);
  body.text(*compiled.source);
  body.text({reinterpret_cast<const char*>(neff->data()), neff->size()});
  const std::string text = body.take();
  const std::uint64_t sum = hash64(std::as_bytes(std::span(text)));
  std::string out(kMagic);
  out.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
  out.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return out + text;
}

Result<std::shared_ptr<const Compiled>> deserialise(std::span<const std::byte> bytes,
                                                    const PJRT_TopologyDescription& topology) {
  constexpr std::size_t kHeader = kMagic.size() + sizeof kVersion + sizeof(std::uint64_t);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < kHeader || !text.starts_with(kMagic)) return foreign("the payload is not one of this plugin's");
  std::uint32_t version = 0;
  std::uint64_t sum = 0;
  std::memcpy(&version, text.data() + kMagic.size(), sizeof version);
  std::memcpy(&sum, text.data() + kMagic.size() + sizeof version, sizeof sum);
  if (version != kVersion)
    return foreign("the payload's form is " + std::to_string(version) + ", not " + std::to_string(kVersion));
  if (hash64(bytes.subspan(kHeader)) != sum) return foreign("the payload's checksum is wrong");

  Reader body(text.substr(kHeader));
  auto out = std::make_shared<Compiled>();
  if (const std::string_view writer = body.text(); writer != platform_version())
    return foreign("the payload was written by " + std::string(writer) + ", this is " + platform_version());
  if (const std::string_view machine = body.text(); machine != topology.machine->name)
    return foreign("the payload is for " + std::string(machine) + ", not for " + topology.machine->name);
  out->machine = topology.machine;
  out->name = std::string(body.text());
  out->fingerprint = std::string(body.text());
  out->options.replicas = static_cast<int>(body.number());
  out->options.partitions = static_cast<int>(body.number());
  out->options.portable = body.number() != 0;
  out->options.bytes = std::string(body.text());
  out->chip_numerics = body.number() != 0;
  out->everywhere = body.number() != 0;
  const std::int64_t devices = body.number();
  for (std::int64_t i = 0; i < devices && !body.failed(); ++i) out->options.devices.push_back(static_cast<int>(body.number()));
  out->parameters = body.ports();
  out->results = body.ports();
  out->source = std::make_shared<const std::string>(body.text());
  auto neff = std::make_shared<const std::string>(body.text());
  if (body.failed()) return foreign("the payload ends early");
  auto code = image::read_neff(std::as_bytes(std::span(*neff)), {}, neff);
  if (!code) return code.failure();
  out->code = std::make_shared<const isa::Code>(std::move(*code));
  return std::shared_ptr<const Compiled>(std::move(out));
}

}  // namespace openneuron::pjrt
