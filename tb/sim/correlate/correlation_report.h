// SPDX-License-Identifier: Apache-2.0
// What a correlation says: tables, and a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tb/sim/correlate/agreement.h"
#include "tb/sim/correlate/join.h"
#include "tb/sim/tables/report.h"

namespace warpfold::sim {

// By counter, in the order in which they come.
std::vector<std::pair<std::string, Agreement>> agreements_of(const Correlation& correlation);

// kernels, agreement, not_compared. `title`: what ran, and beside what.
Report correlation_report(const Correlation& correlation, const MeasuredTable& measured, const std::string& title);

// The same for a page (tb/study/report_data.h), with each counter's figures as points.
nlohmann::ordered_json correlation_page(const Report& report);

}  // namespace warpfold::sim
