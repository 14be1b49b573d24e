#include "check/check.h"

#include "check/simulate.h"
#include "stream/text.h"

namespace openneuron::check {
namespace {

Result<void> simulate_all(const isa::Code& code, const Machine& machine, bool races) {
  ON_TRY(stream::verify(code, machine));
  for (int scenario = 0; scenario < kScenarios; ++scenario) {
    auto outcome = simulate(code, machine, scenario, races);
    if (!outcome) return outcome.failure();
    if (!outcome->data_dependent) break;
  }
  return {};
}

}  // namespace

Result<void> check_limits(const isa::Code& code, const Machine& machine) {
  auto verified = stream::verify(code, machine);
  if (verified) return {};
  Diagnostic d = verified.diagnostic();
  return fail(Code::LimitBroken, d.place, std::string(code_text(d.code)) + ": " + d.message);
}

Result<void> check_races(const isa::Code& code, const Machine& machine) { return simulate_all(code, machine, true); }

Result<void> check_deadlock(const isa::Code& code, const Machine& machine) { return simulate_all(code, machine, false); }

Result<void> check_all(const isa::Code& code, const Machine& machine) {
  ON_TRY(check_limits(code, machine));
  return check_races(code, machine);  // a race check runs into every deadlock
}

bool wait_is_implied(const isa::Code& code, const Machine& machine, int core, int stream, int instruction, int wait) {
  for (int scenario = 0; scenario < kScenarios; ++scenario) {
    auto outcome = simulate(code, machine, scenario, true, {core, stream, instruction, wait});
    if (!outcome) return false;
    if (!outcome->data_dependent) break;
  }
  return true;
}

}  // namespace openneuron::check
