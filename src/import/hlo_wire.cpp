#include "import/hlo_wire.h"

#include <bit>
#include <protozero/pbf_reader.hpp>

namespace openneuron::import::hlo {
namespace {

protozero::pbf_reader reader_of(Bytes bytes) {
  return protozero::pbf_reader(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void Source::fail(Code what, Bytes where, std::string text) {
  if (failed) return;
  failed = true;
  code = what;
  message = std::move(text);
  const std::byte* begin = file.data();
  const bool inside = where.data() != nullptr && where.data() >= begin && where.data() <= begin + file.size();
  offset = inside ? static_cast<std::size_t>(where.data() - begin) : 0;
}

bool Message::next() {
  if (source_->failed || left_.empty()) return false;
  const Bytes start = left_;
  try {
    protozero::pbf_reader reader = reader_of(left_);
    if (!reader.next()) return false;
    number_ = reader.tag();
    switch (reader.wire_type()) {
      case protozero::pbf_wire_type::varint:
        kind_ = Kind::Varint;
        value_ = reader.get_uint64();
        break;
      case protozero::pbf_wire_type::fixed64:
        kind_ = Kind::Fixed64;
        value_ = reader.get_fixed64();
        break;
      case protozero::pbf_wire_type::fixed32:
        kind_ = Kind::Fixed32;
        value_ = reader.get_fixed32();
        break;
      default: {
        kind_ = Kind::Length;
        const protozero::data_view view = reader.get_view();
        bytes_ = {reinterpret_cast<const std::byte*>(view.data()), view.size()};
        break;
      }
    }
    left_ = left_.last(reader.length());
    if (kind_ != Kind::Length) bytes_ = start.first(start.size() - left_.size());
  } catch (const protozero::end_of_buffer_exception&) {
    source_->fail(Code::HloTruncated, start, "a field runs beyond the end of its message");
  } catch (const protozero::exception&) {
    source_->fail(Code::HloMalformed, start, "these bytes are no field of a message");
  }
  return !source_->failed;
}

void Message::wrong(const char* expected) {
  source_->fail(Code::HloMalformed, bytes_, "field " + std::to_string(number_) + " is not " + expected);
}

std::int64_t Message::integer() {
  if (kind_ != Kind::Varint) return wrong("an integer"), 0;
  return static_cast<std::int64_t>(value_);
}

float Message::real32() {
  if (kind_ != Kind::Fixed32) return wrong("a number of 32 bits"), 0.0f;
  return std::bit_cast<float>(static_cast<std::uint32_t>(value_));
}

Bytes Message::bytes() {
  if (kind_ != Kind::Length) return wrong("text, bytes or a message"), Bytes();
  return bytes_;
}

Bytes Message::raw() {
  if (kind_ == Kind::Length) return bytes_;
  const std::size_t width = kind_ == Kind::Fixed32 ? 4 : kind_ == Kind::Fixed64 ? 8 : 0;
  if (width == 0) return wrong("a number of fixed width"), Bytes();
  return bytes_.last(width);  // behind the tag
}

std::string_view Message::text() { return as_text(bytes()); }

void Message::integers(std::vector<std::int64_t>& out) {
  if (kind_ == Kind::Varint) return out.push_back(static_cast<std::int64_t>(value_));
  if (kind_ != Kind::Length) return wrong("a list of integers");
  if (!read_varints(bytes_, out)) source_->fail(Code::HloTruncated, bytes_, "a list of integers is cut off");
}

bool read_varints(Bytes packed, std::vector<std::int64_t>& out) {
  const char* p = reinterpret_cast<const char*>(packed.data());
  const char* end = p + packed.size();
  try {
    while (p != end) out.push_back(static_cast<std::int64_t>(protozero::decode_varint(&p, end)));
  } catch (const protozero::exception&) {
    return false;
  }
  return true;
}

Numbers::Numbers(Bytes bytes, Source& source) {
  Message message(bytes, source);
  while (message.next()) {
    if (message.number() < 16) message.integers(fields_[message.number()]);
  }
}

}  // namespace openneuron::import::hlo
