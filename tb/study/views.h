// SPDX-License-Identifier: Apache-2.0
// The views of a store: what its rows mean (docs/study-store.md).
#pragma once

#include <string>
#include <vector>

namespace warpfold::study {

struct View {
  std::string name, sql;
};

// result, baseline, speedup, verdict, verdict_over_inputs, mean: in this order, each of those before it.
std::vector<View> standard_views();

// As a literal of SQL.
std::string quoted(const std::string& text);

// A figure's query, with what it may name (r, s, v, i, m) reduced to the study's rows.
std::string figure_query(const std::string& sql, const std::string& study);

}  // namespace warpfold::study
