#include "base/text.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace openneuron;

namespace {
TextReader reader(std::string_view text) { return TextReader(text, "t.txt", Code::Internal); }
}  // namespace

TEST_CASE("words, punctuation and comments") {
  auto r = reader("  buffer a.b$1 // a comment with 'quotes'\n -> [3, -0x10]\nend");
  CHECK(r.accept_word("buffer"));
  CHECK(!r.accept_word("a"));  // a prefix is not the word
  CHECK(*r.identifier("a name") == "a.b$1");
  CHECK(r.at_line_end());
  CHECK(r.accept("->"));
  CHECK(r.expect("["));
  CHECK(*r.integer("n") == 3);
  CHECK(r.accept(","));
  CHECK(*r.integer("n") == -16);
  CHECK(r.expect("]"));
  CHECK(r.peek_identifier() == "end");
  CHECK(r.rest_of_line() == "end");
  CHECK(r.at_end());
}

TEST_CASE("places are 1-based lines and columns, in any order") {
  auto r = reader("ab\n  cd\n\n?");
  CHECK(r.place_at(9).line == 4);
  CHECK(r.place_at(9).column == 1);
  CHECK(r.place_at(5).line == 2);
  CHECK(r.place_at(5).column == 3);
  CHECK(r.place_at(0).line == 1);
  CHECK(r.place_at(2).line == 1);  // the newline belongs to its line
  CHECK(r.identifier("x"));
  CHECK(r.identifier("x"));
  auto bad = r.identifier("a name");
  REQUIRE(!bad);
  CHECK(bad.diagnostic().place.line == 4);
  CHECK(bad.diagnostic().place.column == 1);
  CHECK(bad.diagnostic().place.file == "t.txt");
  CHECK(bad.diagnostic().message == "expected a name, found '?'");
}

TEST_CASE("integers keep to 64 bits") {
  CHECK(*reader("9223372036854775807").integer("n") == std::numeric_limits<std::int64_t>::max());
  CHECK(*reader("-9223372036854775808").integer("n") == std::numeric_limits<std::int64_t>::min());
  CHECK(!reader("9223372036854775808").integer("n"));
  CHECK(!reader("-9223372036854775809").integer("n"));
  CHECK(*reader("18446744073709551615").unsigned_integer("n") == std::numeric_limits<std::uint64_t>::max());
  CHECK(!reader("18446744073709551616").unsigned_integer("n"));
  CHECK(!reader("").integer("n"));
  CHECK(!reader("-").integer("n"));
  CHECK(!reader("0x").integer("n"));
  auto out_of_range = reader("\n 129").integer_between("partitions", 1, 128);
  REQUIRE(!out_of_range);
  CHECK(out_of_range.diagnostic().message == "partitions is 129, allowed are 1 to 128");
  CHECK(out_of_range.diagnostic().place.line == 2);
  CHECK(out_of_range.diagnostic().place.column == 2);
}

TEST_CASE("numbers read back to the same bits") {
  const double special[] = {0.0,
                            -0.0,
                            1e300,
                            5e-324,
                            -1.5,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::nan(""),
                            -std::nan("")};
  for (double d : special) {
    TextWriter w;
    w.number(d);
    auto back = reader(w.text()).number("x");
    REQUIRE(back);
    CHECK(std::bit_cast<std::uint64_t>(*back) == std::bit_cast<std::uint64_t>(d));
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double d = std::bit_cast<double>(random());
    TextWriter w;
    w.number(d);
    auto back = reader(w.text()).number("x");
    REQUIRE(back);
    CHECK(std::bit_cast<std::uint64_t>(*back) == std::bit_cast<std::uint64_t>(d));
    const float f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(f)) continue;
    TextWriter wf;
    wf.number_f32(f);
    CHECK(std::bit_cast<std::uint32_t>(static_cast<float>(*reader(wf.text()).number("x"))) ==
          std::bit_cast<std::uint32_t>(f));
  }
  CHECK(*reader("0x1.8p3").number("x") == 12.0);
  CHECK(!reader("nan:0x1").number("x"));
  CHECK(!reader("abc").number("x"));
  CHECK(!reader("-").number("x"));
  CHECK(!reader("1e999").number("x"));
}

TEST_CASE("quoted strings carry any byte") {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  TextWriter w;
  w.quoted(all);
  CHECK(*reader(w.text()).quoted("s") == all);
  CHECK(!reader("\"open").quoted("s"));
  CHECK(!reader("\"a\nb\"").quoted("s"));
  CHECK(!reader("\"\\q0\"").quoted("s"));
  CHECK(!reader("\"\\").quoted("s"));
  CHECK(!reader("word").quoted("s"));
}

TEST_CASE("the writer indents") {
  TextWriter w;
  w.line() << "a {";
  w.indent();
  w.line() << 7 << ' ' << std::uint64_t{1} << " " << std::int64_t{-2};
  w.outdent();
  w.line() << "}";
  CHECK(w.text() == "a {\n  7 1 -2\n}");
}
