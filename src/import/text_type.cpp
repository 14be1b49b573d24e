// Types: tensor<...>, tokens, tuples, functions, buffers, futures, quantized elements.
#include "import/text_parser.h"

namespace openneuron::import {

using graph::Type;
using graph::TypeKind;

namespace {
// Sizes beyond this are refused: no later size computation can overflow.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 56;

// The end of a type that starts at `p` with `tensor<`, when it holds nothing but digits, letters and nested <>.
const char* simple_end(const char* p, const char* end) {
  int open = 0;
  for (; p < end; ++p) {
    if (*p == '<') ++open;
    if (*p == '>' && --open == 0) return p + 1;
    if (*p == '"' || *p == '(' || *p == '#' || *p == '\n' || *p == '-' || *p == '{') return nullptr;
  }
  return nullptr;
}
}  // namespace

bool TextParser::parse_type(TypeId& out) {
  if (!c_.starts_with("tensor<")) return parse_type_uncached(out);
  const char* start = c_.position();
  const char* stop = simple_end(start, c_.end());
  if (stop == nullptr) return parse_type_uncached(out);
  const std::string_view text(start, static_cast<std::size_t>(stop - start));
  const std::uint64_t hash = hash_text(text);
  if (type_cache_.empty()) type_cache_.resize(256);
  std::size_t mask = type_cache_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  for (; type_cache_[at].type.valid(); at = (at + 1) & mask) {
    if (type_cache_[at].hash == hash && type_cache_[at].text == text) {
      out = type_cache_[at].type;
      c_.seek(stop);
      return true;
    }
  }
  if (!parse_type_uncached(out)) return false;
  type_cache_[at] = {text, hash, out};
  if (2 * ++type_cache_used_ > type_cache_.size()) {
    std::vector<CachedType> old = std::move(type_cache_);
    type_cache_.assign(old.size() * 2, CachedType());
    mask = type_cache_.size() - 1;
    for (const CachedType& entry : old) {
      if (!entry.type.valid()) continue;
      std::size_t slot = static_cast<std::size_t>(entry.hash) & mask;
      while (type_cache_[slot].type.valid()) slot = (slot + 1) & mask;
      type_cache_[slot] = entry;
    }
  }
  return true;
}

bool TextParser::parse_element(ElementType& out) {
  std::string_view word;
  const char* start = c_.position();
  if (!c_.word(word, "an element type")) return false;
  if (word == "complex") {
    ElementType part = ElementType::None;
    if (!c_.expect('<') || !parse_element(part) || !c_.expect('>')) return false;
    out = part == ElementType::F32   ? ElementType::C64
          : part == ElementType::F64 ? ElementType::C128
                                     : ElementType::None;
  } else {
    if (word.size() > 2 && word.substr(0, 2) == "si") word.remove_prefix(1);  // si32 is i32
    out = type_from_name(word);
  }
  if (out == ElementType::None) {
    return c_.fail_at(start, Code::TextType,
                      "'" + std::string(start, c_.raw()) + "' is no element type that is known.");
  }
  return true;
}

bool TextParser::parse_tensor_type(TypeId& out, TypeKind kind) {
  Type type;
  type.kind = kind;
  const char* start = c_.position();
  if (!c_.expect('<')) return false;
  if (c_.accept('*')) return c_.fail_at(start, Code::TextType, "unranked tensors are not supported.");
  std::int64_t elements = 1;
  for (;;) {
    c_.skip_space();
    const char* p = c_.raw();
    std::int64_t size = 0;
    if (p < c_.end() && *p == '?') {
      size = graph::kDynamic;
      ++p;
    } else if (p < c_.end() && *p >= '0' && *p <= '9') {
      const char* digits = p;
      while (p < c_.end() && *p >= '0' && *p <= '9') ++p;
      if (!parse_int64({digits, static_cast<std::size_t>(p - digits)}, size) || size < 0) {
        return c_.fail(Code::TextType, "a dimension is too large.");
      }
      if (size > 0 && size > kMaxElements / elements)
        return c_.fail(Code::TextType, "the tensor has more than 2^56 elements.");
      if (size > 0) elements *= size;
    } else {
      break;
    }
    c_.seek(p);
    c_.skip_space();
    if (c_.raw() >= c_.end() || *c_.raw() != 'x') return c_.expected("'x' after a dimension");
    c_.seek(c_.raw() + 1);
    if (type.shape.size() >= static_cast<std::size_t>(graph::kMaxRank)) {
      return c_.fail(Code::TextType, "the tensor has more than 32 dimensions.");
    }
    type.shape.push_back(size);
  }
  if (c_.peek() == '!') {
    const char* quant = c_.position();
    if (!c_.accept("!quant.")) return c_.fail(Code::TextType, "this element type is not known.");
    type.kind = TypeKind::Quantized;
    std::string_view word;
    if (!c_.word(word, "uniform") || !c_.starts_with("<")) return c_.expected("'<'");
    const char* inside = c_.raw() + 1;
    if (!c_.skip_balanced()) return false;
    type.text.assign(quant, c_.raw());
    // The storage type sizes the elements of literals.
    const char* after = c_.raw();
    c_.seek(inside);
    if (!parse_element(type.element)) return false;
    c_.seek(after);
  } else if (!parse_element(type.element)) {
    return false;
  }
  if (c_.accept(',')) {
    const char* encoding = c_.position();
    if (c_.accept("#stablehlo.bounds<")) {
      do {
        std::int64_t bound = graph::kDynamic;
        if (!c_.accept('?') && !c_.integer(bound)) return false;
        type.bounds.push_back(bound);
      } while (c_.accept(','));
      if (!c_.expect('>')) return false;
    } else if (c_.accept("#stablehlo.type_extensions<") || c_.accept("#mhlo.type_extensions<")) {
      if (!c_.expect_word("bounds") || !c_.expect('=') || !c_.expect('[')) return false;
      do {
        std::int64_t bound = graph::kDynamic;
        if (!c_.accept('?') && !c_.integer(bound)) return false;
        type.bounds.push_back(bound);
      } while (c_.accept(','));
      if (!c_.expect(']') || !c_.expect('>')) return false;
    } else {
      return c_.fail_at(encoding, Code::TextType, "this tensor encoding is not known.");
    }
    if (type.bounds.size() != type.shape.size()) {
      return c_.fail_at(encoding, Code::TextType, "one bound per dimension is expected.");
    }
  }
  if (!c_.expect('>')) return false;
  out = m_.intern(std::move(type));
  return true;
}

bool TextParser::parse_type_uncached(TypeId& out) {
  Depth depth(*this);
  if (!depth.ok()) return false;
  const char* start = c_.position();
  if (c_.peek() == '(') {
    Type type;
    type.kind = TypeKind::Function;
    std::vector<TypeId> results;
    if (!parse_function_type(type.members, results)) return false;
    type.input_count = static_cast<std::uint32_t>(type.members.size());
    type.members.insert(type.members.end(), results.begin(), results.end());
    out = m_.intern(std::move(type));
    return true;
  }
  if (c_.accept('!')) {
    const std::string_view word = c_.suffix_id();
    if (word == "stablehlo.token" || word == "mhlo.token") {
      Type type;
      type.kind = TypeKind::Token;
      out = m_.intern(std::move(type));
      return true;
    }
    if (word == "stablehlo.future") {
      Type type;
      type.kind = TypeKind::Future;
      if (!c_.expect('<')) return false;
      if (c_.peek() != '>') {
        do {
          TypeId member;
          if (!parse_type(member)) return false;
          type.members.push_back(member);
        } while (c_.accept(','));
      }
      if (!c_.expect('>')) return false;
      out = m_.intern(std::move(type));
      return true;
    }
    if (word.find('.') == std::string_view::npos) {  // an alias
      Alias* alias = find_alias(std::string_view(word.data() - 1, word.size() + 1), start);
      if (alias == nullptr) return false;
      if (!alias->has_type) {
        const char* back = c_.raw();
        alias->open = true;
        c_.seek(alias->definition);
        if (!parse_type(alias->type)) return false;
        alias->open = false;
        alias->has_type = true;
        c_.seek(back);
      }
      out = alias->type;
      return true;
    }
    Type type;
    type.kind = TypeKind::Opaque;
    if (c_.raw() < c_.end() && *c_.raw() == '<' && !c_.skip_balanced()) return false;
    type.text.assign(start, c_.raw());
    out = m_.intern(std::move(type));
    return true;
  }
  if (c_.accept("tensor<")) {
    c_.seek(c_.raw() - 1);
    return parse_tensor_type(out, TypeKind::Tensor);
  }
  if (c_.accept("memref<")) {
    c_.seek(c_.raw() - 1);
    return parse_tensor_type(out, TypeKind::Buffer);
  }
  if (c_.accept("tuple<")) {
    Type type;
    type.kind = TypeKind::Tuple;
    if (c_.peek() != '>') {
      do {
        TypeId member;
        if (!parse_type(member)) return false;
        type.members.push_back(member);
      } while (c_.accept(','));
    }
    if (!c_.expect('>')) return false;
    out = m_.intern(std::move(type));
    return true;
  }
  const std::string_view word = c_.peek_word();
  if (word == "index" || word == "none" || type_from_name(word) != ElementType::None) {
    c_.seek(start + word.size());
    Type type;
    type.kind = TypeKind::Opaque;  // a bare scalar: only attributes have these
    type.text = std::string(word);
    out = m_.intern(std::move(type));
    return true;
  }
  if (c_.at_end()) return c_.expected("a type");
  return c_.fail_at(start, Code::TextType,
                    "expected a type, found '" +
                        std::string(start, std::min<std::size_t>(20, static_cast<std::size_t>(c_.end() - start))) +
                        "'.");
}

bool TextParser::parse_type_list(std::vector<TypeId>& out) {
  if (c_.peek() != '(') {
    TypeId type;
    if (!parse_type(type)) return false;
    out.push_back(type);
    return true;
  }
  c_.accept('(');
  if (c_.accept(')')) return true;
  do {
    TypeId type;
    if (!parse_type(type)) return false;
    out.push_back(type);
  } while (c_.accept(','));
  return c_.expect(')');
}

bool TextParser::parse_function_type(std::vector<TypeId>& inputs, std::vector<TypeId>& results) {
  if (c_.peek() != '(') return c_.expected("'('");
  if (!parse_type_list(inputs) || !c_.expect("->")) return false;
  if (c_.peek() == '(') {
    // `-> ((T) -> T)` never occurs in StableHLO; a parenthesis opens the list of results.
    return parse_type_list(results);
  }
  TypeId type;
  if (!parse_type(type)) return false;
  results.push_back(type);
  return true;
}

bool TextParser::looks_like_type() {
  const char c = c_.peek();
  if (c == '!') return true;
  if (c == '(') return true;
  if (c_.starts_with("tensor<") || c_.starts_with("tuple<") || c_.starts_with("memref<") || c_.starts_with("complex<"))
    return true;
  const std::string_view word = c_.peek_word();
  return word == "none" || type_from_name(word) != ElementType::None;
}

}  // namespace openneuron::import
