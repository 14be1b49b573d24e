// Modules and functions.
#include "import/text_parser.h"

namespace openneuron::import {

using graph::Function;
using graph::OpKind;

TextParser::TextParser(std::string_view text, std::string file, graph::Module& module, Positions positions)
    : c_(text, file), m_(module), positions_(positions), file_(std::move(file)) {}

bool TextParser::parse() {
  (void)c_.accept("\xEF\xBB\xBF");  // a byte order mark
  // Files may hold several modules, parted by lines `// -----`: the first one with content is read.
  const std::string_view whole(c_.raw(), static_cast<std::size_t>(c_.end() - c_.raw()));
  const std::size_t part =
      whole.find("\n// -----", c_.at_end() ? whole.size() : static_cast<std::size_t>(c_.raw() - whole.data()));
  if (part != std::string_view::npos) {
    c_.seek(whole.data() + part);
    if (!c_.at_end())
      m_.notes.push_back("The file holds several modules parted by '// -----'; only the first one was read.");
    c_.seek(whole.data());
    c_.limit(whole.data() + part + 1);
  }
  scan_aliases();
  bool done = false;
  while (!done && !c_.at_end()) {
    if (!parse_top_level(done)) return false;
  }
  while (!c_.at_end()) {  // aliases and resources may follow
    if (c_.peek() != '#' && c_.peek() != '!' && !c_.starts_with("{-#")) return c_.expected("the end of the module");
    if (!parse_top_level(done)) return false;
  }
  bool any = false;
  for (FunctionId f : m_.functions()) any |= !m_.function(f).is_region;
  if (!any)
    return c_.fail(c_.begin() == c_.end() ? Code::TextTruncated : Code::TextSyntax, "no function is in the text.");
  return true;
}

// An alias definition, the resource section, a module, or ops of a module that is not written.
bool TextParser::parse_top_level(bool& done) {
  const char c = c_.peek();
  if (c == '#' || c == '!') {
    // Definitions are known from the scan; pass over this one (it ends with its line).
    c_.seek(c_.raw() + 1);
    const std::string_view id = c_.suffix_id();
    const char* start = id.data() - 1;
    if (id.empty() || !c_.expect('=')) return c_.failed() ? false : c_.expected("an alias");
    Alias alias;
    alias.definition = c_.position();
    aliases_.emplace(std::string_view(start, id.size() + 1), alias);
    while (c_.raw() < c_.end() && *c_.raw() != '\n') {
      const char d = *c_.raw();
      if (d == '(' || d == '[' || d == '{' || d == '<' || d == '"') {
        if (!c_.skip_balanced()) return false;
      } else {
        c_.seek(c_.raw() + 1);
      }
    }
    return true;
  }
  if (c_.accept("{-#")) {
    const std::string_view rest(c_.raw(), static_cast<std::size_t>(c_.end() - c_.raw()));
    const std::size_t close = rest.find("#-}");
    if (close == std::string_view::npos) return c_.fail(Code::TextTruncated, "the resource section has no '#-}'.");
    c_.seek(rest.data() + close + 3);
    return true;
  }
  const std::string_view word = c_.peek_word();
  if (word == "module" || word == "builtin.module") {
    c_.accept_word(word);
    done = true;
    return parse_module();
  }
  if (c_.starts_with("\"builtin.module\"")) {
    done = true;
    return parse_generic_module();
  }
  done = true;
  return parse_module_body(false);
}

// module @name attributes {...} { ... } loc(...)
bool TextParser::parse_module() {
  if (c_.peek() == '@' && !c_.symbol(m_.name)) return false;
  graph::NamedAttributes attributes;
  if (c_.accept_word("attributes") && !parse_attributes(attributes)) return false;
  if (!attributes.empty()) m_.attributes = m_.dictionary(std::move(attributes));
  LocationId ignored;
  return c_.expect('{') && parse_module_body(true) && parse_trailing_location(ignored);
}

// "builtin.module"() <{sym_name = "m"}> ({ ... }) {...} : () -> ()
bool TextParser::parse_generic_module() {
  std::string name;
  graph::NamedAttributes all;
  if (!c_.string(name) || !c_.expect('(') || !c_.expect(')')) return false;
  if (c_.accept("<{") && !(parse_dictionary(all, '}') && c_.expect('>'))) return false;
  if (!c_.expect('(') || !c_.expect('{')) return false;
  if (c_.accept('^')) {
    c_.suffix_id();
    if (c_.accept('(') && !c_.expect(')')) return false;
    if (!c_.expect(':')) return false;
  }
  std::vector<TypeId> none;
  LocationId ignored;
  if (!parse_module_body(true) || !c_.expect(')') || !parse_attributes(all) || !c_.expect(':') ||
      !parse_function_type(none, none) || !parse_trailing_location(ignored)) {
    return false;
  }
  graph::NamedAttributes kept;
  for (auto& [key, value] : all) {
    if (key == "sym_name")
      m_.name = m_.attribute(value).text;
    else if (key != "sym_visibility")
      kept.emplace_back(std::move(key), value);
  }
  if (!kept.empty()) m_.attributes = m_.dictionary(std::move(kept));
  return true;
}

bool TextParser::parse_module_body(bool braced) {
  for (;;) {
    if (braced && c_.accept('}')) return true;
    if (c_.at_end()) return braced ? c_.expected("'}' or a function") : true;
    if (!braced && (c_.peek() == '#' || c_.peek() == '!' || c_.starts_with("{-#"))) return true;
    if (c_.starts_with("\"func.func\"") || c_.starts_with("\"func\"")) {
      if (!parse_generic_func()) return false;
      continue;
    }
    if (c_.starts_with("\"sdy.mesh\"")) {
      if (!keep_generic_mesh()) return false;
      continue;
    }
    const std::string_view word = c_.peek_word();
    if (word == "func.func" || word == "func") {
      c_.accept_word(word);
      if (!parse_func()) return false;
    } else if (word == "sdy.mesh") {
      if (!keep_module_op()) return false;
    } else if (word == "module" || word == "builtin.module") {
      return c_.fail(Code::TextSyntax, "modules inside modules are not supported.");
    } else if (word.find('.') == std::string_view::npos) {
      return c_.expected(braced ? "a function" : "a module or a function");
    } else {
      OpKind kind;
      if (!known_op(word, c_.raw(), kind)) return false;
      return c_.fail(Code::TextSyntax, "'" + std::string(word.substr(0, 80)) + "' stands outside a function.");
    }
  }
}

// sdy.mesh @mesh = <["x"=2]> {...}: the mesh is kept as text.
bool TextParser::keep_module_op() {
  c_.accept_word("sdy.mesh");
  std::string name;
  if (!c_.symbol(name) || !c_.expect('=')) return false;
  const char* start = c_.position();
  if (c_.peek() != '<') return c_.expected("a mesh such as <[\"x\"=2]>");
  if (!c_.skip_balanced()) return false;
  m_.extra_ops.push_back("sdy.mesh @" + name + " = " + std::string(start, c_.raw()));
  graph::NamedAttributes ignored_attributes;
  LocationId ignored;
  return parse_attributes(ignored_attributes) && parse_trailing_location(ignored);
}

// "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
bool TextParser::keep_generic_mesh() {
  const char* start = c_.position();
  std::string op, name, mesh;
  graph::NamedAttributes all;
  if (!c_.string(op) || !c_.expect('(') || !c_.expect(')')) return false;
  if (c_.accept("<{") && !(parse_dictionary(all, '}') && c_.expect('>'))) return false;
  std::vector<TypeId> none;
  LocationId ignored;
  if (!parse_attributes(all) || !c_.expect(':') || !parse_function_type(none, none) ||
      !parse_trailing_location(ignored))
    return false;
  constexpr std::string_view kHead = "#sdy.mesh";
  for (const auto& [key, value] : all) {
    if (key == "sym_name") name = m_.attribute(value).text;
    if (key == "mesh") mesh = m_.attribute(value).text;
  }
  if (name.empty() || mesh.substr(0, kHead.size()) != kHead)
    return c_.fail_at(start, Code::TextSyntax, "a mesh needs 'sym_name' and 'mesh'.");
  m_.extra_ops.push_back("sdy.mesh @" + name + " = " + mesh.substr(kHead.size()));
  return true;
}

// (%a: T {...} loc(...), ...) into a function under construction
bool TextParser::parse_argument_list(Function& f, bool named) {
  if (!c_.expect('(')) return false;
  if (c_.accept(')')) return true;
  do {
    std::string_view name;
    const char* start = c_.position();
    if (named) {
      if (!c_.accept('%')) return c_.expected("an argument such as %arg0");
      name = c_.suffix_id();
      if (!c_.expect(':')) return false;
    }
    TypeId type;
    graph::NamedAttributes attributes;
    LocationId ignored;
    if (!parse_type(type) || !parse_attributes(attributes) || !parse_trailing_location(ignored)) return false;
    const AttrId dictionary = attributes.empty() ? AttrId() : m_.dictionary(std::move(attributes));
    if (named) {
      if (!add_argument(name, type, dictionary, start)) return false;
    } else {
      f.add_parameter(type, dictionary);
    }
  } while (c_.accept(','));
  return c_.expect(')');
}

// func.func public @main(%arg0: T) -> (T {...}) attributes {...} { ... } loc(...)
bool TextParser::parse_func() {
  names_.clear();
  levels_.clear();
  levels_.push_back(std::make_unique<Level>());
  const char* start = c_.position();
  const LocationId text_location = positions_ == Positions::OfText ? location_in_text(start) : LocationId();
  bool is_private = false;
  const std::string_view visibility = c_.peek_word();
  if (visibility == "private" || visibility == "public" || visibility == "nested") {
    c_.accept_word(visibility);
    is_private = visibility != "public";
  }
  std::string name;
  if (!c_.symbol(name)) return false;
  // A declaration may leave its arguments unnamed.
  const char* list = c_.position();
  const bool named = c_.accept('(') && (c_.peek() == '%' || c_.peek() == ')');
  c_.seek(list);
  if (!parse_argument_list(level().function, named)) return false;
  std::vector<TypeId> results;
  std::vector<AttrId> result_attributes;
  if (c_.accept("->")) {
    const bool many = c_.accept('(');
    if (!(many && c_.accept(')'))) {
      do {
        TypeId type;
        graph::NamedAttributes attributes;
        if (!parse_type(type) || (many && !parse_attributes(attributes))) return false;
        results.push_back(type);
        result_attributes.push_back(attributes.empty() ? AttrId() : m_.dictionary(std::move(attributes)));
      } while (many && c_.accept(','));
      if (many && !c_.expect(')')) return false;
    }
  }
  graph::NamedAttributes attributes;
  if (c_.accept_word("attributes") && !parse_attributes(attributes)) return false;
  if (c_.peek() != '{') {
    m_.notes.push_back("Function @" + name + " has no body; it was left out.");
    levels_.clear();
    LocationId ignored;
    return parse_trailing_location(ignored);
  }
  c_.accept('{');
  if (c_.accept('^') && !parse_block_arguments()) return false;
  if (!parse_ops_until_brace()) return false;
  Function f = std::move(level().function);
  levels_.clear();
  f.name = std::move(name);
  f.is_public = !is_private;
  f.result_attributes = std::move(result_attributes);
  if (!attributes.empty()) f.attributes = m_.dictionary(std::move(attributes));
  if (!parse_trailing_location(f.location)) return false;
  if (!f.location.valid()) f.location = text_location;
  return finish_function(std::move(f), std::move(results), start);
}

// "func.func"() <{sym_name = "main", function_type = (T) -> T, ...}> ({ ^bb0(%a: T): ... }) {...} : () -> ()
bool TextParser::parse_generic_func() {
  names_.clear();
  levels_.clear();
  levels_.push_back(std::make_unique<Level>());
  const char* start = c_.position();
  std::string op;
  graph::NamedAttributes all;
  if (!c_.string(op) || !c_.expect('(') || !c_.expect(')')) return false;
  if (c_.accept("<{") && !(parse_dictionary(all, '}') && c_.expect('>'))) return false;
  if (!c_.expect('(') || !c_.expect('{')) return false;
  if (c_.accept('^') && !parse_block_arguments()) return false;
  std::vector<TypeId> none;
  if (!parse_ops_until_brace() || !c_.expect(')') || !parse_attributes(all) || !c_.expect(':') ||
      !parse_function_type(none, none)) {
    return false;
  }
  Function f = std::move(level().function);
  levels_.clear();
  f.is_public = true;
  std::vector<TypeId> results;
  graph::NamedAttributes kept;
  bool typed = false;
  for (auto& [key, value] : all) {
    const graph::Attribute& a = m_.attribute(value);
    const auto dictionaries = [&](std::vector<AttrId>& out, std::size_t count) {
      out.assign(count, AttrId());
      for (std::size_t i = 0; i < count && i < a.items.size(); ++i) {
        const graph::Attribute& item = m_.attribute(a.items[i]);
        if (item.kind == graph::AttrKind::Dictionary && !item.names.empty()) out[i] = a.items[i];
      }
    };
    if (key == "sym_name") {
      f.name = a.text;
    } else if (key == "sym_visibility") {
      f.is_public = a.text != "private" && a.text != "nested";
    } else if (key == "function_type" && a.kind == graph::AttrKind::Type && a.type.valid() &&
               m_.type(a.type).kind == graph::TypeKind::Function) {
      const graph::Type& type = m_.type(a.type);
      results.assign(type.members.begin() + type.input_count, type.members.end());
      typed = type.input_count == f.parameter_count();
      for (std::size_t i = 0; typed && i < type.input_count; ++i) typed = f.type(ValueId(i)) == type.members[i];
    } else if (key == "arg_attrs") {
      dictionaries(f.parameter_attributes, f.parameter_count());
    } else if (key == "res_attrs") {
      dictionaries(f.result_attributes, a.items.size());
    } else {
      kept.emplace_back(std::move(key), value);
    }
  }
  if (!typed) return c_.fail_at(start, Code::TextType, "function_type disagrees with the block's arguments.");
  f.result_attributes.resize(results.size());
  if (!kept.empty()) f.attributes = m_.dictionary(std::move(kept));
  return parse_trailing_location(f.location) && finish_function(std::move(f), std::move(results), start);
}

bool TextParser::finish_function(Function f, std::vector<TypeId> results, const char* start) {
  if (m_.find(f.name).valid()) return c_.fail_at(start, Code::TextSyntax, "function @" + f.name + " is defined twice.");
  if (f.op_count() == 0 || f.kind(f.terminator()) != OpKind::Return) {
    return c_.fail_at(start, Code::GraphOrder, "function @" + f.name + " does not end with a return.");
  }
  const auto returned = f.operands(f.terminator());
  bool same = returned.size() == results.size();
  for (std::size_t i = 0; same && i < results.size(); ++i) same = f.type(returned[i]) == results[i];
  if (!same) return c_.fail_at(start, Code::TextType, "function @" + f.name + " returns other types than it declares.");
  m_.add_function(std::move(f));
  return true;
}

}  // namespace openneuron::import
