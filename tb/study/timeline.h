// SPDX-License-Identifier: Apache-2.0
// What a time trace (docs/tracing.md) says of cores over time, in few enough numbers for a report.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace warpfold::study {

// The counters of a trace file as means over `bins` stretches of equal length: {from, cycles (of a stretch), cores,
// blocks: by core and stretch, slots: {names, cores: by core, name and stretch}}. Nothing where the file cannot be
// read, or has no counters.
std::optional<nlohmann::ordered_json> read_timeline(const std::string& file, unsigned bins);

}  // namespace warpfold::study
