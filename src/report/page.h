// For page.cpp: the report's data as the page's script reads it.
#pragma once
#include <string>

#include "report/report.h"

namespace openneuron::report {

std::string page_data(const Report& report);

}  // namespace openneuron::report
