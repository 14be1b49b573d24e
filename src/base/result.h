// Result<T>: a value or a Diagnostic. Libraries return errors as values; they never print, throw or exit.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace openneuron {

/// One enumerator per row of errors.def.
enum class Code : std::uint16_t {
#define ERROR(name, code, summary, hint) name,
#include "base/errors.def"
#undef ERROR
};

/// "ON-E1001" or an AWS "NCC_..." code; its one-sentence meaning; its default hint.
const char* code_text(Code code);
const char* code_summary(Code code);
const char* code_hint(Code code);

/// Where an error is: a file and line:column (1-based) or byte offset, and the op or instruction.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::int64_t byte_offset = -1;
  std::string op;
};

/// What the user reads: code, place, what happened with actual value and limit, one remedy.
struct Diagnostic {
  Code code = Code::Internal;
  std::string message;
  Place place;
  std::string hint;  // empty: the code's default hint
};

/// "file:line:column: error [ON-E1301] op: message\n  hint: ..."; see docs/errors.
std::string format_diagnostic(const Diagnostic& diagnostic);

/// A diagnostic on its way up; converts to any Result<T>.
class [[nodiscard]] Failure {
 public:
  explicit Failure(Diagnostic d) : diagnostic_(std::make_unique<Diagnostic>(std::move(d))) {}
  Diagnostic& diagnostic() { return *diagnostic_; }
  std::unique_ptr<Diagnostic> take() { return std::move(diagnostic_); }

 private:
  std::unique_ptr<Diagnostic> diagnostic_;
};

/// Shorthand: `return fail(Code::FileUnreadable, place, "...")`.
Failure fail(Code code, Place place, std::string message, std::string hint = {});
Failure fail(Code code, std::string message, std::string hint = {});

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                            // NOLINT: implicit on purpose
  Result(Failure failure) : diagnostic_(std::move(failure).take()) {}      // NOLINT
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Diagnostic& diagnostic() const { return *diagnostic_; }
  /// Hands the diagnostic on; call once.
  Failure failure() { return Failure(std::move(*diagnostic_)); }

 private:
  std::optional<T> value_;
  std::unique_ptr<Diagnostic> diagnostic_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : diagnostic_(std::move(failure).take()) {}      // NOLINT
  explicit operator bool() const { return diagnostic_ == nullptr; }
  const Diagnostic& diagnostic() const { return *diagnostic_; }
  Failure failure() { return Failure(std::move(*diagnostic_)); }

 private:
  std::unique_ptr<Diagnostic> diagnostic_;
};

/// Propagates a failure: `ON_TRY(check(x));`
#define ON_TRY(expression)                                        \
  do {                                                            \
    if (auto on_try_result = (expression); !on_try_result) return on_try_result.failure(); \
  } while (false)

}  // namespace openneuron
