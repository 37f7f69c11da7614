// SPDX-License-Identifier: Apache-2.0
// What a time trace (docs/tracing.md) says of cores and warps over time, in few enough numbers for a page.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace warpfold::study {

inline constexpr unsigned kStretches = 160;  // of a page's charts

// The counters of a trace file as means over `bins` stretches of equal length: {from, cycles (of a stretch), blocks: by
// core and stretch, slots: by core, name and stretch}. Of its slices, of which a page has so many at most: {title,
// lanes: of a warp, whats: [kind, text], rows: {core, null of launches; name; slices: cycles after the one before,
// cycles, place in `whats`, lanes or requests, and so on}, slices_until: a cycle, where later ones are left out}.
// Nothing where the file cannot be read, or has no counters.
std::optional<nlohmann::ordered_json> read_timeline(const std::string& file, unsigned bins, std::size_t most_slices);

}  // namespace warpfold::study
