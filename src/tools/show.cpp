#include <cstdio>

#include "image/neff.h"
#include "stream/text.h"
#include "tools/commands.h"
#include "tools/json_files.h"
#include "tools/program.h"

namespace openneuron::tools {
namespace {

std::string header_text(const image::Header& h, const isa::Code& code) {
  std::string out = "NEFF " + std::to_string(h.neff_major) + "." + std::to_string(h.neff_minor) + ", package version " +
                    std::to_string(h.package_version) + "\n";
  const auto row = [&out](const std::string& key, const std::string& value) {
    out += "  " + key + std::string(key.size() < 16 ? 16 - key.size() : 1, ' ') + value + "\n";
  };
  row("name", h.name);
  row("build version", h.build_version);
  row("target", code.target);
  row("cores", std::to_string(h.core_count));
  row("logical core", std::to_string(h.lnc_size));
  row("data bytes", std::to_string(h.data_bytes));
  row("hash", h.hash);
  row("uuid", h.uuid);
  row("feature bits", std::to_string(h.feature_bits));
  return out;
}

std::string variables_text(const isa::Code& code) {
  std::string out = "\nvariables\n";
  for (const isa::Variable& v : code.variables) {
    std::string type(type_name(v.type));
    type += "[";
    for (std::size_t d = 0; d < v.shape.size(); ++d) type += (d ? "," : "") + std::to_string(v.shape[d]);
    type += "]";
    char line[160];
    std::snprintf(line, sizeof line, "  %-20s %-9s %-24s %12lld bytes", v.name.c_str(), isa::variable_kind_name(v.kind), type.c_str(),
                  static_cast<long long>(v.bytes));
    out += line;
    if (v.aliases >= 0 && static_cast<std::size_t>(v.aliases) < code.variables.size())
      out += "  in place of " + code.variables[static_cast<std::size_t>(v.aliases)].name;
    out += "\n";
  }
  return out;
}

}  // namespace

Result<void> show(const Arguments& a) {
  auto source = open_source(a.file);
  if (!source) return source.failure();
  const auto header = image::read_header(source->bytes.bytes, source->file);
  if (!header) return Failure(header.diagnostic());
  auto code = image::read_neff(source->bytes.bytes, source->file, source->bytes.owner);
  if (!code) return code.failure();
  if (a.json) return print(show_json(*header, *code));
  std::string text = header_text(*header, *code) + variables_text(*code);
  const auto routines = routines_of(*code);
  text += "\nroutines";
  for (const std::string& name : routines) text += " " + name;
  text += routines.empty() ? " none\n" : "\n";
  if (!a.header_only) text += "\ninstructions\n" + stream::print(*code);
  return print(text);
}

}  // namespace openneuron::tools
