#include "tools/console.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/files.h"

namespace openneuron::tools {
namespace {

std::atomic<bool> progress_line_shown{false};
constexpr char kClear[] = "\r\x1b[K";

// All output goes straight to the descriptor: nothing is lost when a signal ends the process.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void clear_progress_line() {
  if (progress_line_shown.exchange(false)) (void)write_all(2, kClear);
}

// Filled before the handler is installed: a handler may not allocate.
char interrupted_text[512];
std::size_t interrupted_size = 0;

extern "C" void on_signal(int number) {
  remove_unfinished_files();
  if (progress_line_shown.load()) (void)!::write(2, kClear, sizeof kClear - 1);
  if (number == SIGINT || number == SIGTERM) (void)!::write(2, interrupted_text, interrupted_size);
  ::_exit(128 + number);
}

// A mapped input that another program cuts short while it is read.
constexpr char kFileChanged[] =
    "error [ON-E1001] an input file became shorter while it was read\n"
    "  hint: Start again when nothing writes the file.\n";

extern "C" void on_bus_error(int) {
  remove_unfinished_files();
  (void)!::write(2, kFileChanged, sizeof kFileChanged - 1);
  ::_exit(1);
}

}  // namespace

Result<void> print(std::string_view text) {
  clear_progress_line();
  if (write_all(1, text)) return {};
  Place place;
  place.file = "stdout";
  return fail(Code::FileUnwritable, place,
              errno == ENOSPC ? "cannot write the output: no space is left on the device" : "cannot write the output");
}

void print_error(std::string_view text) {
  clear_progress_line();
  (void)write_all(2, text);
}

void print_diagnostic(const Diagnostic& diagnostic) { print_error(format_diagnostic(diagnostic) + "\n"); }

void install_signal_handlers() {
  Diagnostic d;
  d.code = Code::Interrupted;
  const std::string text = format_diagnostic(d) + "\n";
  interrupted_size = text.size() < sizeof interrupted_text ? text.size() : sizeof interrupted_text;
  std::memcpy(interrupted_text, text.data(), interrupted_size);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction old {};
    // `nohup` and background jobs of old shells start us with a signal ignored: leave it so.
    if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  std::signal(SIGBUS, on_bus_error);
  std::signal(SIGXFSZ, SIG_IGN);
}

struct Progress::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::string stage;
  double fraction = -1;
  bool done = false;
  std::thread thread;

  void loop() {
    std::unique_lock<std::mutex> lock(mutex);
    if (wake.wait_for(lock, std::chrono::seconds(1), [this] { return done; })) return;
    do {
      std::string line = kClear + stage;
      if (fraction >= 0) line += " " + std::to_string(static_cast<int>(fraction * 100)) + "%";
      progress_line_shown = true;
      (void)write_all(2, line);
    } while (!wake.wait_for(lock, std::chrono::milliseconds(200), [this] { return done; }));
  }
};

Progress::Progress(Show show) {
  if (show == Show::Never || !::isatty(2)) return;
  state_ = std::make_unique<State>();
  state_->thread = std::thread([state = state_.get()] { state->loop(); });
}

Progress::~Progress() {
  if (!state_) return;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->done = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
  clear_progress_line();
}

void Progress::update(std::string_view stage, double fraction) {
  if (!state_) return;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->stage.assign(stage);
  state_->fraction = fraction > 1 ? 1 : fraction;
}

}  // namespace openneuron::tools
