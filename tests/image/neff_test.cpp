#include "image/neff.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "base/files.h"
#include "base/hash.h"
#include "base/version.h"
#include "image/facts.h"
#include "image/gzip.h"
#include "image/header.h"
#include "image/tar.h"
#include "isa/build.h"

using namespace openneuron;
using namespace openneuron::image;
using T = ElementType;
using Bytes = std::vector<std::byte>;

namespace {

isa::Operand variable(isa::Operand o, std::size_t index) {
  o.buffer = BufferId(index);
  return o;
}

// Two inputs, an output in the memory of the first, a constant, a splat and scratch; a DMA and a Vector stream.
isa::Code program(std::size_t cores = 1) {
  static const float numbers[6] = {1, 2, 3, 4, 5, 6.5f};
  static const std::uint16_t bf16[1] = {0x3F80};
  isa::Code code;
  code.name = "step";
  code.target = "trn2";
  const auto add = [&](const char* name, isa::VariableKind kind, T type, std::vector<std::int64_t> shape,
                       std::int64_t bytes) -> isa::Variable& {
    isa::Variable v;
    v.name = name;
    v.kind = kind;
    v.type = type;
    v.shape = std::move(shape);
    v.bytes = bytes;
    code.variables.push_back(v);
    return code.variables.back();
  };
  add("weights \"w\"", isa::VariableKind::Input, T::F32, {2, 3}, 24);
  add("input1", isa::VariableKind::Input, T::BF16, {}, 2);
  add("output0", isa::VariableKind::Output, T::F32, {2, 3}, 24).aliases = 0;
  add("a.constant", isa::VariableKind::Constant, T::F32, {2, 3}, 24).data = std::as_bytes(std::span(numbers));
  isa::Variable& splat = add("zeros", isa::VariableKind::Constant, T::BF16, {1024, 1024}, 2 << 20);
  splat.splat = true;
  splat.data = std::as_bytes(std::span(bf16));
  add("bits", isa::VariableKind::Constant, T::BF16, {1}, 2).data = std::as_bytes(std::span(bf16));
  add("scratch", isa::VariableKind::Scratch, T::F32, {}, 4096).space = isa::Space::SharedHbm;
  code.locations = {"", "model.py:3:1 (dense)"};
  for (std::size_t core = 0; core < cores; ++core) {
    isa::CoreCode c;
    c.sbuf_bytes = 512;
    c.psum_banks = 2;
    isa::Stream dma;
    dma.engine = isa::Engine::Dma;
    dma.queue = 3;
    dma.semaphore = 9;
    isa::Instruction load =
        isa::make(isa::Opcode::Dma, {isa::sbuf(T::F32, 2, 3), variable(isa::hbm(T::F32, 2, 3), 0), isa::Operand()},
                  {0, 0}, isa::Engine::Dma);
    load.queue = 3;
    load.signal = true;
    load.location = 1;
    dma.instructions.push_back(load);
    isa::Stream vector;
    vector.engine = isa::Engine::Vector;
    vector.semaphore = 1;
    isa::Instruction add_one = isa::make(isa::Opcode::TensorTensor,
                                         {isa::sbuf(T::F32, 2, 3), isa::sbuf(T::F32, 2, 3), isa::sbuf(T::F32, 2, 3)},
                                         {1}, isa::Engine::Vector);
    add_one.order = 1;
    add_one.waits.push_back({9, 1});
    vector.instructions.push_back(add_one);
    c.streams = {dma, vector};
    code.cores.push_back(c);
  }
  return code;
}

void check_equal(const isa::Code& a, const isa::Code& b) {
  CHECK(a.name == b.name);
  CHECK(a.target == b.target);
  CHECK(a.locations == b.locations);
  REQUIRE(a.variables.size() == b.variables.size());
  for (std::size_t i = 0; i < a.variables.size(); ++i) {
    const isa::Variable &x = a.variables[i], &y = b.variables[i];
    CHECK(x.name == y.name);
    CHECK(x.kind == y.kind);
    CHECK(x.space == y.space);
    CHECK(x.type == y.type);
    CHECK(x.shape == y.shape);
    CHECK(x.bytes == y.bytes);
    CHECK(x.aliases == y.aliases);
    CHECK(x.splat == y.splat);
    CHECK(Bytes(x.data.begin(), x.data.end()) == Bytes(y.data.begin(), y.data.end()));
  }
  REQUIRE(a.cores.size() == b.cores.size());
  for (std::size_t c = 0; c < a.cores.size(); ++c) {
    CHECK(a.cores[c].sbuf_bytes == b.cores[c].sbuf_bytes);
    CHECK(a.cores[c].psum_banks == b.cores[c].psum_banks);
    REQUIRE(a.cores[c].streams.size() == b.cores[c].streams.size());
    for (std::size_t s = 0; s < a.cores[c].streams.size(); ++s)
      CHECK(isa::encode(a.cores[c].streams[s]) == isa::encode(b.cores[c].streams[s]));
  }
}

Bytes written(const isa::Code& code, bool compress = true) {
  WriteOptions options;
  options.name = "some/directory/step.neff";
  options.compress = compress;
  auto bytes = write_neff(code, options);
  REQUIRE_MESSAGE(bytes, (bytes ? "" : format_diagnostic(bytes.diagnostic())));
  return *bytes;
}

std::string refusal(const Bytes& bytes) {
  auto code = read_neff(bytes, "x.neff");
  if (code) return "accepted";
  CHECK(code.diagnostic().place.file == "x.neff");
  return code_text(code.diagnostic().code);
}

void put(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i & 255);
}
std::uint64_t get(const Bytes& bytes, std::size_t at, std::size_t size) {
  std::uint64_t n = 0;
  for (std::size_t i = size; i-- > 0;) n = n << 8 | static_cast<std::uint64_t>(bytes[at + i]);
  return n;
}

// The header of `bytes` around other data, with right sizes and sums.
Bytes with_data(Bytes bytes, const Bytes& data) {
  bytes.resize(kHeaderBytes);
  const Checksums sums = checksums(data);
  put(bytes, 16, data.size(), 8);
  std::memcpy(bytes.data() + 172, sums.hash.data(), 32);
  for (std::size_t i = 0; i < 16; ++i)
    bytes[204 + i] = static_cast<std::byte>(std::stoi(sums.uuid.substr(2 * i, 2), nullptr, 16));
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

// A NEFF whose members were changed.
Bytes edited(const isa::Code& code, const std::function<void(Members&)>& edit) {
  const Bytes bytes = written(code, false);
  auto members = read_tar(std::span(bytes).subspan(kHeaderBytes), "");
  REQUIRE(members);
  edit(*members);
  return with_data(bytes, write_tar(*members));
}

std::string replaced_in(const std::string& member, const std::string& from, const std::string& to) {
  std::string text;
  return refusal(edited(program(), [&](Members& m) {
    REQUIRE(m.count(member));
    text = std::string(reinterpret_cast<const char*>(m[member].data()), m[member].size());
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    m[member] = std::as_bytes(std::span(text.data(), text.size()));
  }));
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe);
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) out.append(buffer, n);
  CHECK(::pclose(pipe) == 0);
  return out;
}

}  // namespace

TEST_CASE("a_program_survives_the_container") {
  for (std::size_t cores : {1, 2})
    for (bool compressed : {true, false}) {
      const isa::Code code = program(cores);
      auto back = read_neff(written(code, compressed), "x.neff");
      REQUIRE_MESSAGE(back, (back ? "" : format_diagnostic(back.diagnostic())));
      check_equal(code, *back);
    }
}

TEST_CASE("equal_programs_give_equal_bytes") {
  const Bytes first = written(program(2));
  for (int i = 0; i < 20; ++i) CHECK(written(program(2)) == first);
}

TEST_CASE("the_header_lies_at_the_documented_offsets") {
  const Bytes bytes = written(program(2));
  const auto data = std::span(bytes).subspan(1024);
  CHECK(get(bytes, 0, 8) == 2);
  CHECK(get(bytes, 8, 8) == 1024);
  CHECK(get(bytes, 16, 8) == data.size());
  CHECK(get(bytes, 24, 8) == 2);
  CHECK(get(bytes, 32, 8) == 0);
  CHECK(std::string(reinterpret_cast<const char*>(&bytes[40])) == std::string("openneuron ") + version());
  CHECK(get(bytes, 168, 4) == 1);
  CHECK(std::string(reinterpret_cast<const char*>(&bytes[172]), 32) == hex(md5(data)));
  CHECK(std::string(reinterpret_cast<const char*>(&bytes[220])) == "step.neff");
  CHECK(get(bytes, 544, 8) == 0);
  CHECK(get(bytes, 552, 4) == 2);
  auto header = read_header(bytes, "x.neff");
  REQUIRE(header);
  CHECK(header->uuid == hex(sha256(data)).substr(0, 32));
  CHECK(header->lnc_size == 2);
  CHECK(header->name == "step.neff");
}

TEST_CASE("other_programs_read_the_container") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("on_neff_" + std::to_string(::getpid()))).string();
  REQUIRE(write_file_atomically(path, std::span<const std::byte>(written(program()))));
  const std::string data = "tail -c +1025 " + path;
  CHECK(output_of(data + " | gzip -dc | TZ=UTC tar tf -") ==
        "debug_info/facts.txt\ndebug_info/locations.json\nhlo_stats.json\ninfo.json\nkelf-0.json\nmetrics.json\nneff.json\nsg00/"
        "DVE.bin\nsg00/DVE.json\n"
        "sg00/constant000003.npy\nsg00/constant000004.bin\nsg00/constant000005.bin\nsg00/def.json\nsg00/q03.bin\nsg00/"
        "q03.json\n");
  CHECK(output_of(data + " | gzip -dc | tar xOf - sg00/constant000003.npy | head -c 90")
            .find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, ), }") == 10);
  CHECK(output_of(data + " | md5sum").substr(0, 32) == output_of("head -c 204 " + path + " | tail -c 32"));
  std::filesystem::remove(path);
}

TEST_CASE("constants_stay_where_they_lie") {
  const Bytes bytes = written(program(), false);
  auto code = read_neff(bytes, "x.neff", std::shared_ptr<const void>(std::shared_ptr<const void>(), bytes.data()));
  REQUIRE(code);
  CHECK(code->variables[3].data.data() > bytes.data());
  CHECK(code->variables[3].data.data() < bytes.data() + bytes.size());
  // A splat of 2 MiB takes two bytes.
  CHECK(bytes.size() < 64 * 1024);
}

TEST_CASE("strip_keeps_engine_code_and_variables") {
  for (bool compressed : {true, false}) {
    const isa::Code code = program(2);
    const Bytes whole = written(code, compressed);
    auto stripped = strip_neff(whole, "x.neff");
    REQUIRE(stripped);
    CHECK(stripped->size() < whole.size());
    auto back = read_neff(*stripped, "y.neff");
    REQUIRE_MESSAGE(back, (back ? "" : format_diagnostic(back.diagnostic())));
    isa::Code expected = code;
    expected.locations = {""};
    for (isa::CoreCode& c : expected.cores)
      for (isa::Stream& s : c.streams)
        for (isa::Instruction& i : s.instructions.open()) i.location = 0;
    check_equal(expected, *back);
    CHECK(*strip_neff(*stripped, "y.neff") == *stripped);
  }
}

TEST_CASE("facts_for_reports_survive_and_strip_drops_them") {
  isa::Code code = program();
  code.facts.layouts = "group 1: add | axes 4/4p\ngroup 2: dot\n";
  code.facts.notes.push_back({isa::NoteKind::Turned, 1, 4096, "input0", "its runs\tare short"});
  code.facts.notes.push_back({isa::NoteKind::Spilled, 0, 7, "add_spill3", ""});
  code.facts.buffers.push_back({"tile_4", isa::Space::Psum, 1, 96, 2048, 512, 3, 4000000000u});
  const Bytes bytes = written(code);
  auto facts = read_facts(bytes, "x.neff");
  REQUIRE(facts);
  CHECK(facts->layouts == code.facts.layouts);
  REQUIRE(facts->notes.size() == 2);
  CHECK(facts->notes[0].kind == isa::NoteKind::Turned);
  CHECK(facts->notes[0].location == 1);
  CHECK(facts->notes[0].bytes == 4096);
  CHECK(facts->notes[0].value == "input0");
  CHECK(facts->notes[0].why == "its runs are short");  // a field holds no tab
  CHECK(facts->notes[1].kind == isa::NoteKind::Spilled);
  CHECK(facts->notes[1].why.empty());
  REQUIRE(facts->buffers.size() == 1);
  const isa::BufferNote& b = facts->buffers[0];
  CHECK(b.name == "tile_4");
  CHECK(b.space == isa::Space::Psum);
  CHECK(b.core == 1);
  CHECK(b.partitions == 96);
  CHECK(b.address == 2048);
  CHECK(b.bytes == 512);
  CHECK(b.first == 3);
  CHECK(b.last == 4000000000u);

  auto none = read_facts(*strip_neff(bytes, "x.neff"), "y.neff");
  REQUIRE(none);
  CHECK(none->layouts.empty());
  CHECK(none->notes.empty());
  CHECK(none->buffers.empty());
}

TEST_CASE("lines_that_state_no_fact_are_refused") {
  for (const char* text : {"rumour\tx\n", "turned\t1\t2\tvalue\n", "turned\t1\t2\tvalue\twhy\tmore\n", "turned\t-1\t2\tv\tw\n",
                           "sbuf\t0\t-5\t1\t1\t0\t0\tname\n", "sbuf\t0\t5\t1\t70000\t0\t0\tname\n", "psum\t0\tx\t1\t1\t0\t0\tname\n", "layout\n",
                           "layout\ta\n\nlayout\tb\n"}) {
    auto facts = parse_facts(text, "x.neff");
    REQUIRE_MESSAGE(!facts, text);
    CHECK(facts.diagnostic().code == Code::NeffMember);
  }
  CHECK(parse_facts("layout\tgroup 1", "x.neff")->layouts == "group 1\n");
}

TEST_CASE("every_flipped_bit_is_refused") {
  const Bytes bytes = written(program());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes other = bytes;
    other[at] ^= std::byte{static_cast<unsigned char>(1u << at % 8)};
    CAPTURE(at);
    const std::string code = refusal(other);
    // Free text, and the minor version, of which every one is read.
    const bool free_text = (at >= 220 && at <= 220 + 9) || (at >= 51 && at < 40 + 127) || (at >= 32 && at < 40);
    CHECK((code.substr(0, 7) == "ON-E180" || (free_text && code == "accepted")));
  }
}

TEST_CASE("every_cut_is_refused") {
  const Bytes bytes = written(program());
  for (std::size_t size = 0; size < bytes.size(); size += size < 1100 ? 1 : 37) {
    CAPTURE(size);
    const std::string code = refusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    CHECK(code == (size < 16 ? "ON-E1801" : "ON-E1802"));
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  CHECK(refusal(longer) == "ON-E1802");
}

TEST_CASE("foreign_and_newer_files_are_told_apart") {
  const std::string text = "func.func @main() { return }, and some more text to fill the header";
  const auto foreign = std::as_bytes(std::span(text.data(), text.size()));
  CHECK(refusal(Bytes(foreign.begin(), foreign.end())) == "ON-E1801");
  CHECK(!is_neff(foreign));
  CHECK(refusal({}) == "ON-E1801");
  Bytes bytes = written(program());
  CHECK(is_neff(bytes));
  put(bytes, 0, 3, 8);
  CHECK(refusal(bytes) == "ON-E1804");
  bytes = written(program());
  put(bytes, 24, 3, 8);
  CHECK(refusal(bytes) == "ON-E1804");
  bytes = written(program());
  put(bytes, 544, 4, 8);
  CHECK(refusal(bytes) == "ON-E1805");
  // The code inside can be newer than the container.
  CHECK(replaced_in("sg00/def.json", "\"format\":1", "\"format\":2") == "ON-E1804");
}

TEST_CASE("a_neff_of_aws_is_told_apart") {
  // Documented members, no engine code of ours, another checksum.
  const std::string definition =
                        "{\"dma_queue\": {}, \"var\": {\"input0\": {\"type\": \"input\", \"var_id\": 1, \"size\": 4}}}",
                    other = "{}";
  Members members;
  members["./neff.json"] = members["info.json"] = std::as_bytes(std::span(other.data(), other.size()));
  members["sg00/def.json"] = std::as_bytes(std::span(definition.data(), definition.size()));
  for (bool compressed : {true, false}) {
    Bytes data = write_tar(members);
    if (compressed) data = *compress(data);
    Bytes bytes = with_data(written(program()), data);
    CHECK(refusal(bytes) == "ON-E1809");  // even when it says openneuron
    std::memset(bytes.data() + 40, 0, 128);
    std::memcpy(bytes.data() + 40, "2.27.5334.0", 11);
    std::memset(bytes.data() + 172, '7', 32);
    CHECK(refusal(bytes) == "ON-E1809");
    bytes.back() ^= std::byte{1};
    if (compressed) CHECK(refusal(bytes) == "ON-E1806");
  }
  // Our code under a header that denies it.
  Bytes bytes = written(program());
  bytes[40] = std::byte{'O'};
  CHECK(refusal(bytes) == "ON-E1803");
}

TEST_CASE("broken_archives_are_refused") {
  const Bytes bytes = written(program(), false);
  Bytes data(bytes.begin() + 1024, bytes.end());
  Bytes other = data;
  other[0] ^= std::byte{1};  // a name: the header's checksum
  CHECK(refusal(with_data(bytes, other)) == "ON-E1806");
  CHECK(refusal(with_data(bytes, Bytes(data.begin(), data.end() - 1024))) == "ON-E1806");  // no end mark
  CHECK(refusal(with_data(bytes, {})) == "ON-E1806");
  Bytes gzip = *compress(data);
  gzip[gzip.size() / 2] ^= std::byte{16};
  CHECK(refusal(with_data(bytes, gzip)) == "ON-E1806");
  gzip = *compress(data);
  gzip.resize(gzip.size() - 9);
  CHECK(refusal(with_data(bytes, gzip)) == "ON-E1806");
}

TEST_CASE("compressed_bombs_stay_small") {
  const Bytes bytes = written(program());
  // 64 MiB of zeros in 64 KiB that say they are 1000 bytes, and ones that say they are 4 GiB.
  Bytes gzip = *compress(Bytes(64 << 20));
  CHECK(gzip.size() < 512 * 1024);
  put(gzip, gzip.size() - 4, 1000, 4);
  CHECK(refusal(with_data(bytes, gzip)) == "ON-E1806");
  put(gzip, gzip.size() - 4, 0xFFFFFFFF, 4);
  auto code = read_neff(with_data(bytes, gzip), "x.neff");
  REQUIRE(!code);
  CHECK(code.diagnostic().message.find("the limit is") != std::string::npos);
}

TEST_CASE("members_that_say_something_impossible_are_refused") {
  const std::string definition = "sg00/def.json";
  CHECK(refusal(edited(program(), [&](Members& m) { m.erase("sg00/def.json"); })) == "ON-E1807");
  CHECK(refusal(edited(program(), [&](Members& m) { m.erase("sg00/DVE.bin"); })) == "ON-E1807");
  CHECK(refusal(edited(program(), [&](Members& m) { m.erase("sg00/DVE.json"); })) == "ON-E1807");
  CHECK(refusal(edited(program(), [&](Members& m) { m.erase("sg00/constant000003.npy"); })) == "ON-E1807");
  CHECK(replaced_in(definition, "{", "[") == "ON-E1807");
  CHECK(replaced_in(definition, "\"var\"", "\"vars\"") == "ON-E1807");
  CHECK(replaced_in(definition, "\"var_id\":0", "\"var_id\":1") == "ON-E1807");
  CHECK(replaced_in(definition, "\"var_id\":0", "\"var_id\":-1") == "ON-E1807");
  CHECK(replaced_in(definition, "\"var_id\":0", "\"var_id\":1e300") == "ON-E1807");
  CHECK(replaced_in(definition, "\"size\":24", "\"size\":25") == "ON-E1807");
  CHECK(replaced_in(definition, "\"size\":4096", "\"size\":18446744073709551615") == "ON-E1807");
  CHECK(replaced_in(definition, "\"dtype\":\"f32\"", "\"dtype\":\"f33\"") == "ON-E1807");
  CHECK(replaced_in(definition, "\"type\":\"tmp-buf\"", "\"type\":\"pointer\"") == "ON-E1807");
  CHECK(replaced_in(definition, "\"space\":\"private_hbm\"", "\"space\":\"moon\"") == "ON-E1807");
  CHECK(replaced_in(definition, "\"aliases\":\"weights", "\"aliases\":\"other") == "ON-E1807");
  CHECK(replaced_in(definition, "\"splat\":true", "\"splat\":false") == "ON-E1807");
  CHECK(replaced_in(definition, "constant000003.npy", "constant000004.bin") == "ON-E1807");
  CHECK(replaced_in(definition, "\"streams\":[", "\"streams\":[5,") == "ON-E1807");
  CHECK(replaced_in(definition, "\"q03\",", "\"q03\",\"q03\",") == "ON-E1808");
  CHECK(replaced_in("sg00/q03.json", "{", "{{") == "ON-E1807");
  CHECK(replaced_in("debug_info/locations.json", "[", "{") == "ON-E1807");
  CHECK(replaced_in("debug_info/locations.json", "\"model", "3, \"model") == "ON-E1807");
  CHECK(replaced_in("debug_info/locations.json", ",", "") == "ON-E1807");
}

TEST_CASE("broken_engine_code_is_refused_with_member_and_offset") {
  const Bytes bytes = edited(program(), [](Members& m) { m["sg00/DVE.bin"] = m["sg00/DVE.bin"].first(20); });
  auto code = read_neff(bytes, "x.neff");
  REQUIRE(!code);
  CHECK(code.diagnostic().code == Code::NeffCode);
  CHECK(code.diagnostic().place.file == "x.neff");
  CHECK(code.diagnostic().place.byte_offset >= 0);
  CHECK(code.diagnostic().place.op.find("sg00/DVE.bin") == 0);
  CHECK(refusal(edited(program(), [](Members& m) { m["sg00/DVE.bin"] = m["sg00/q03.bin"]; })) == "ON-E1808");
  // Indices into the lists of variables and locations.
  isa::Code wild = program();
  wild.cores[0].streams[0].instructions.open()[0].operands[1].buffer = BufferId(std::size_t{7});
  CHECK(refusal(written(wild)) == "ON-E1808");
  wild = program();
  wild.cores[0].streams[0].instructions.open()[0].location = 2;
  CHECK(refusal(written(wild)) == "ON-E1808");
}

TEST_CASE("programs_that_do_not_fit_are_refused") {
  const auto refused = [](const std::function<void(isa::Code&)>& change) {
    isa::Code code = program();
    change(code);
    auto bytes = write_neff(code, {});
    return !bytes && bytes.diagnostic().code == Code::NeffUnwritable;
  };
  CHECK(refused([](isa::Code& c) { c.cores.clear(); }));
  CHECK(refused([](isa::Code& c) { c.cores.resize(3); }));
  CHECK(refused([](isa::Code& c) { c.variables[1].name = c.variables[0].name; }));
  CHECK(refused([](isa::Code& c) { c.variables[1].name = ""; }));
  CHECK(refused([](isa::Code& c) { c.variables[1].name = "\xFF"; }));
  CHECK(refused([](isa::Code& c) { c.variables[1].bytes = -1; }));
  CHECK(refused([](isa::Code& c) { c.variables[1].shape = {-1}; }));
  CHECK(refused([](isa::Code& c) { c.variables[1].shape = {INT64_MAX, INT64_MAX}; }));
  CHECK(refused([](isa::Code& c) { c.variables[2].aliases = 1; }));
  CHECK(refused([](isa::Code& c) { c.variables[2].aliases = 99; }));
  CHECK(refused([](isa::Code& c) { c.variables[3].data = c.variables[3].data.first(20); }));
  CHECK(refused([](isa::Code& c) { c.cores[0].streams.push_back(c.cores[0].streams[0]); }));
  // Locations are free text.
  isa::Code code = program();
  code.locations.push_back("\xFF\xC0");
  CHECK(write_neff(code, {}));
}
