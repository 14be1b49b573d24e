// Primitives of the bytecode format. The expected bytes are worked out from the format's rules: the trailing zero bits
// of a varint's first byte count the bytes that follow.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "import/bytecode_cursor.h"
#include "import/bytecode_vhlo.h"

using namespace openneuron;
using namespace openneuron::import::bytecode;

namespace {

struct Input {
  std::vector<std::byte> bytes;
  Problem problem;
  Input(std::initializer_list<int> values) {
    for (const int v : values) bytes.push_back(static_cast<std::byte>(v));
  }
  Cursor cursor(std::size_t begin = 0) { return Cursor(bytes, begin, bytes.size(), problem); }
};

}  // namespace

TEST_CASE("varints of every length") {
  CHECK(Input{0x01}.cursor().varint() == 0);
  CHECK(Input{0xFF}.cursor().varint() == 127);
  CHECK(Input({0x02, 0x02}).cursor().varint() == 128);          // 0x0202 >> 2
  CHECK(Input({0xFE, 0xFF}).cursor().varint() == 16383);        // 0xFFFE >> 2
  CHECK(Input({0x04, 0x00, 0x02}).cursor().varint() == 16384);  // 0x020004 >> 3
  CHECK(Input({0x80, 1, 0, 0, 0, 0, 0, 0}).cursor().varint() == 1);
  CHECK(Input({0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}).cursor().varint() == (std::uint64_t{1} << 56) - 1);
  CHECK(Input({0, 1, 2, 0, 0, 0, 0, 0, 0x80}).cursor().varint() == 0x8000000000000201u);
}

TEST_CASE("a varint that is cut off is refused at its place") {
  for (const auto& bytes : {std::vector<int>{}, {0x02}, {0x04, 1}, {0x00, 1, 2, 3, 4, 5, 6, 7}}) {
    Input input{};
    for (const int b : bytes) input.bytes.push_back(static_cast<std::byte>(b));
    Cursor cursor = input.cursor();
    CHECK(cursor.varint() == 0);
    CHECK(input.problem.set);
    CHECK(input.problem.code == Code::BytecodeTruncated);
    CHECK(input.problem.offset == 0);
  }
}

TEST_CASE("signed varints are zigzag") {
  CHECK(Input{0x01}.cursor().svarint() == 0);
  CHECK(Input{0x03}.cursor().svarint() == -1);
  CHECK(Input{0x05}.cursor().svarint() == 1);
  CHECK(Input({0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}).cursor().svarint() == INT64_MIN);
  CHECK(Input({0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}).cursor().svarint() == INT64_MAX);
}

TEST_CASE("integers of a known width") {
  CHECK(Input{0xFF}.cursor().word(8) == 0xFF);
  CHECK(Input{0xFF}.cursor().word(4) == 0x0F);
  CHECK(sign_extend(0x0F, 4) == -1);
  CHECK(sign_extend(0x07, 4) == 7);
  CHECK(sign_extend(0xFFFFFFFFu, 32) == -1);
  CHECK(sign_extend(0x80000000u, 32) == INT32_MIN);
  CHECK(sign_extend(~std::uint64_t{0}, 64) == -1);
  // i32 -1 is the zigzag form of 0xFFFFFFFF: 0x1FFFFFFFE, five bytes: (0x1FFFFFFFE << 5) | 16.
  CHECK(Input({0xD0, 0xFF, 0xFF, 0xFF, 0x3F}).cursor().word(32) == 0xFFFFFFFFu);
}

TEST_CASE("counts are bounded by the bytes that are left") {
  Input few({0x07, 1, 1});  // three items of one byte in two bytes
  few.cursor().count(1, "items");
  CHECK(few.problem.code == Code::BytecodeTruncated);
  Input enough({0x05, 1, 1});
  CHECK(enough.cursor().count(1, "items") == 2);
  Input huge({0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF});
  CHECK(huge.cursor().count(1, "items") == 0);
  CHECK(huge.problem.set);
}

TEST_CASE("indices, blobs, strings and alignment stay inside") {
  Input index{0x05};
  index.cursor().index(2, "thing");
  CHECK(index.problem.code == Code::BytecodeMalformed);
  Input blob({0x07, 1, 2});
  CHECK(blob.cursor().blob("blob").empty());
  CHECK(blob.problem.code == Code::BytecodeTruncated);
  Input text({'a', 'b', 0, 'c'});
  Cursor at = text.cursor();
  CHECK(at.c_string("name") == "ab");
  CHECK(at.c_string("name").empty());
  CHECK(text.problem.set);
  Input filler({1, 0xCB, 0xCB, 0xCB, 9});
  Cursor aligned = filler.cursor(1);
  aligned.align(4);
  CHECK(aligned.byte() == 9);
  Input dirty({1, 0xCB, 0, 0xCB, 9});
  dirty.cursor(1).align(4);
  CHECK(dirty.problem.set);
  Input odd({1, 2, 3, 4});
  odd.cursor(1).align(3);
  CHECK(odd.problem.set);
}

TEST_CASE("after a problem a cursor stands still and the first problem stays") {
  Input input({0x05, 0x01});
  Cursor cursor = input.cursor();
  cursor.fail(Code::BytecodeLimit, "first");
  CHECK(cursor.varint() == 0);
  cursor.malformed("second");
  CHECK(cursor.offset() == 0);
  CHECK(input.problem.message == "first");
}

TEST_CASE("the VHLO table is found by name, in every row") {
  CHECK(find_vhlo_op("add_v1") != nullptr);
  CHECK(find_vhlo_op("cross-replica-sum_v1") != nullptr);
  CHECK(find_vhlo_op("xor_v1") != nullptr);
  CHECK(find_vhlo_op("add_v2") == nullptr);
  CHECK(find_vhlo_op("") == nullptr);
  const VhloOp* dot = find_vhlo_op("dot_general_v2");
  REQUIRE(dot != nullptr);
  CHECK(dot->since == VhloVersion{1, 6, 0});
  CHECK(dot->until == newest_vhlo_version());
  CHECK(dot->attribute_count == 12);
  CHECK(vhlo_attributes(*dot)[0].name == "accumulation_type");
#define VHLO_OP(name, ...) CHECK_MESSAGE(find_vhlo_op(name) != nullptr, name);
#include "import/vhlo_ops.def"
}

TEST_CASE("a producer's name may give the version") {
  VhloVersion v;
  CHECK(version_of_producer("StableHLO_v1.17.0", v));
  CHECK(v == VhloVersion{1, 17, 0});
  CHECK(!version_of_producer("MLIR17.0.0", v));
  CHECK(!version_of_producer("StableHLO_v1.17", v));
  CHECK(!version_of_producer("StableHLO_v1..0", v));
  CHECK(!version_of_producer("StableHLO_v1.2.3.4", v));
  CHECK(!version_of_producer("StableHLO_v99999999999999999999.0.0", v));
}

TEST_CASE("arity of operand lists") {
  CHECK(arity_fits("lhs rhs", 2));
  CHECK(!arity_fits("lhs rhs", 1));
  CHECK(arity_fits("inputs* token", 1));
  CHECK(arity_fits("inputs* token", 4));
  CHECK(!arity_fits("inputs* token", 0));
  CHECK(arity_fits("inputs* scatter_indices updates*", 3));
  CHECK(!arity_fits("inputs* scatter_indices updates*", 4));  // groups of equal length
  CHECK(arity_fits("", 0));
  CHECK(!arity_fits("", 1));
}
