#include <doctest/doctest.h>

#include "machine/machine.h"
#include "runtime/instance.h"

using namespace openneuron;
using namespace openneuron::runtime;

namespace {

std::vector<int> cores(const char* visible, const char* count = "", const char* type = "trn2.3xlarge") {
  auto instance = find_instance(type);
  REQUIRE(instance);
  auto chosen = choose_cores(**instance, visible, count);
  return chosen ? *chosen : std::vector<int>{-1, static_cast<int>(chosen.diagnostic().code)};
}
std::vector<int> refused(Code code) { return {-1, static_cast<int>(code)}; }

}  // namespace

TEST_CASE("the default instance has eight cores of trn2 and 96 GiB") {
  auto instance = find_instance(kDefaultInstance);
  REQUIRE(instance);
  CHECK((*instance)->cores() == 8);
  CHECK((*instance)->machine == "trn2");
  CHECK((*instance)->hbm_bytes_per_core * 8 == std::int64_t{96} << 30);
}

TEST_CASE("every instance type names a machine whose HBM of a core is the same") {
  for (const InstanceType& type : instance_types()) {
    auto machine = load_machine(std::string(type.machine));
    REQUIRE(machine);
    CHECK_MESSAGE((*machine)->hbm_bytes == type.hbm_bytes_per_core, std::string(type.name));
  }
}

TEST_CASE("an unknown instance type is refused") {
  auto instance = find_instance("trn9.xlarge");
  REQUIRE(!instance);
  CHECK(instance.diagnostic().code == Code::InstanceUnknown);
}

TEST_CASE("without a choice a process takes all cores") {
  CHECK(cores("") == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(cores("", "0").size() == 8);
  CHECK(cores("", "3") == std::vector<int>{0, 1, 2});
}

TEST_CASE("visible cores are numbers and ranges, and win over a count") {
  CHECK(cores("1-3,5-7") == std::vector<int>{1, 2, 3, 5, 6, 7});
  CHECK(cores("6") == std::vector<int>{6});
  CHECK(cores("4,2", "1") == std::vector<int>{4, 2});
}

TEST_CASE("broken choices are refused") {
  for (const char* text : {"1-3,5-7,3-5", "1-3,5-7-5", "a", "1,", ",1", "3-1", "-1", "1-", "1,,2"})
    CHECK_MESSAGE(cores(text) == refused(Code::CoresBroken), text);
  for (const char* text : {"many", "-1", "1.5"}) CHECK_MESSAGE(cores("", text) == refused(Code::CoresBroken), text);
}

TEST_CASE("more cores than the instance has are refused") {
  CHECK(cores("", "9") == refused(Code::CoresMissing));
  CHECK(cores("0-8") == refused(Code::CoresMissing));
  CHECK(cores("0-8", "", "trn2.48xlarge").size() == 9);
}
