#include "tools/neuronx_cc.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "image/neff.h"
#include "tools/console.h"
#include "tools/neuronx_options.h"
#include "tools/program.h"

namespace openneuron::tools {
namespace {

constexpr int kDiagnosed = 70;
constexpr char kDriver[] = "neuronxcc.driver.CommandDriver";

// A dot on stdout at the start and every 20 seconds.
class Dots {
 public:
  Dots() : thread_([this] { loop(); }) {}
  ~Dots() { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
    (void)print("\n").operator bool();
  }

 private:
  void loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    do (void)print(".").operator bool();
    while (!wake_.wait_for(lock, std::chrono::seconds(20), [this] { return done_; }));
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// Lines of `YYYY-MM-DDTHH:MM:SSZ LEVEL PID [component]: text`, appended: a folder's log tells its history.
class Log {
 public:
  ~Log() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Result<void> open(const std::string& path) {
    path_ = path;
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    return descriptor_ >= 0 ? Result<void>() : failure();
  }
  Result<void> line(const char* level, const char* component, const std::string& text) {
    if (descriptor_ < 0) return {};
    char stamp[32];
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const std::string head =
        std::string(stamp) + " " + level + " " + std::to_string(::getpid()) + " [" + component + "]: ";
    // A message of several lines becomes several entries, so that every line has the form.
    for (std::size_t at = 0; at <= text.size();) {
      std::size_t end = text.find('\n', at);
      if (end == std::string::npos) end = text.size();
      const std::string entry = head + text.substr(at, end - at) + "\n";
      if (::write(descriptor_, entry.data(), entry.size()) != static_cast<ssize_t>(entry.size())) return failure();
      at = end + 1;
    }
    return {};
  }

 private:
  Failure failure() const {
    Place place;
    place.file = path_;
    return fail(
        Code::FileUnwritable, place,
        std::string("cannot write the log file: ") + (errno == EFBIG    ? "the file size limit was reached"
                                                      : errno == ENOSPC ? "no space is left on the device"
                                                                        : "error number " + std::to_string(errno)));
  }
  std::string path_;
  int descriptor_ = -1;
};

std::string place_text(const Place& place) {
  std::string out = place.file;
  if (place.line) out += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  if (place.byte_offset >= 0) out += ": byte " + std::to_string(place.byte_offset);
  if (!out.empty()) out += ": ";
  if (!place.op.empty()) out += place.op + ": ";
  return out;
}

// "[ERROR] [NCC_EARG002] text", the remedy on the next line.
std::string error_text(const Diagnostic& d) {
  const bool internal = d.code == Code::Internal;
  const std::string hint = d.hint.empty() ? code_hint(d.code) : d.hint;
  return std::string(internal ? "[INTERNAL_ERROR] [" : "[ERROR] [") + code_text(d.code) + "] " + place_text(d.place) +
         (d.message.empty() ? code_summary(d.code) : d.message) + "\nHint: " + hint;
}

std::string command_text(int argc, const char* const* argv) {
  std::string out = "neuronx-cc";
  for (int i = 1; i < argc; ++i) out += std::string(" ") + argv[i];
  return out;
}

// The machines of a family share their core; inf2 and trn1n are trn1's.
std::string machine_name(const std::string& target) { return target == "inf2" || target == "trn1n" ? "trn1" : target; }

Result<void> compile_to_neff(const NeuronxOptions& options, Log& log) {
  Arguments arguments;
  arguments.target = machine_name(options.target);
  if (arguments.target != "trn1" && arguments.target != "trn2" && arguments.target != "trn3")
    return fail(Code::ArgumentUnknown, "illegal argument(s): --target " + options.target);
  arguments.optlevel = options.optlevel;
  auto source = open_source(options.model_file);
  if (!source) return source.failure();
  if (source->format == FileFormat::Neff) {
    Place place;
    place.file = source->file;
    return fail(Code::FormatUnfit, place, "this is a NEFF already");
  }
  Progress silent(Progress::Show::Never);
  auto program = make_program(*source, arguments, silent);
  if (!program) return program.failure();
  for (const auto& time : program->times)
    ON_TRY(
        log.line("INFO", "sg0000/Pipeline",
                 std::string(time.name) + " finished after " + std::to_string(time.milliseconds / 1000) + " seconds"));
  image::WriteOptions write;
  const std::size_t slash = options.output.rfind('/');
  write.name = slash == std::string::npos ? options.output : options.output.substr(slash + 1);
  write.compress = options.compress;
  auto bytes = image::write_neff(*program->code, write);
  if (!bytes) return bytes.failure();
  return write_file_atomically(options.output, *bytes);
}

int diagnosed(const Diagnostic& diagnostic, Log& log) {
  const std::string text = error_text(diagnostic);
  print_error(text + "\n");
  (void)log.line("ERROR", kDriver, text).operator bool();  // the log may be what failed
  return kDiagnosed;
}

}  // namespace

int neuronx_cc(int argc, const char* const* argv) {
  Log log;
  auto options = parse_neuronx_options(argc, argv);
  if (!options) {
    const Diagnostic& d = options.diagnostic();
    if (d.code != Code::Usage) return diagnosed(d, log);
    print_error("usage: neuronx-cc compile model_files --framework XLA --target TARGET [options]\nneuronx-cc: error: " +
                d.message + "\n");
    return 2;
  }
  switch (options->action) {
    case NeuronxOptions::Action::Version: return print(neuronx_version()) ? 0 : kDiagnosed;
    case NeuronxOptions::Action::Help: return print(neuronx_help(false)) ? 0 : kDiagnosed;
    case NeuronxOptions::Action::CompileHelp: return print(neuronx_help(true)) ? 0 : kDiagnosed;
    case NeuronxOptions::Action::Compile: break;
  }
  const auto start = std::chrono::steady_clock::now();
  if (auto opened = log.open(options->logfile); !opened) return diagnosed(opened.diagnostic(), log);
  if (auto logged = log.line("INFO", kDriver, command_text(argc, argv)); !logged)
    return diagnosed(logged.diagnostic(), log);
  for (const std::string& ignored : options->ignored) {
    const std::string text = "[WARNING] " + ignored + " has no effect";
    (void)log.line("WARNING", kDriver, text).operator bool();
    if (options->verbose <= 30) print_error(text + "\n");
  }
  Result<void> result;
  {
    Dots dots;
    result = compile_to_neff(*options, log);
    dots.stop();
  }
  if (!result) return diagnosed(result.diagnostic(), log);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // The NEFF stands: a log that fails now does not undo it.
  (void)log.line("INFO", kDriver, "Compilation finished after " + std::to_string(seconds) + " seconds").operator bool();
  if (auto printed = print("Compiler status PASS\n"); !printed) return diagnosed(printed.diagnostic(), log);
  return 0;
}

}  // namespace openneuron::tools
