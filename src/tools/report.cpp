#include "report/report.h"

#include "image/neff.h"
#include "tools/commands.h"
#include "tools/program.h"

namespace openneuron::tools {

Result<void> report(const Arguments& a) {
  auto source = open_source(a.file);
  if (!source) return source.failure();
  std::string out;
  {
    Progress progress;
    auto program = make_program(*source, a, progress);
    if (!program) return program.failure();
    isa::Facts facts = std::move(program->code->facts);
    if (source->format == FileFormat::Neff) {
      auto read = image::read_facts(source->bytes.bytes, source->file);
      if (!read) return read.failure();
      facts = std::move(*read);
    }
    const report::Report made = report::make_report(a.file.substr(a.file.rfind('/') + 1), *program->code, std::move(facts), *program->machine);
    if (!a.output.empty()) ON_TRY(write_file_atomically(a.output, std::string_view(report::to_html(made))));
    if (a.json)
      out = report::to_json(made, {program->compile_ms, peak_rss_bytes()});
    else if (a.output.empty())
      out = report::to_text(made);
  }
  return print(out);
}

}  // namespace openneuron::tools
