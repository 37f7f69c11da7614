// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpfold/common/error.h"

namespace warpfold::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, const char* key) { return json.at(key).get<std::string>(); }

bool same(const Json& a, const Json& b, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return a.at(key) == b.at(key); });
}

struct Measure {
  const char* key;
  const char* name;
  double allowed;  // times the baseline's
};

// Misses hang on where the allocator puts what is asked for, too.
constexpr Measure kMeasures[] = {{kInstructions, "instructions", 1.03}, {kMisses, "L1 data cache misses", 1.10}};

// Appends what there is to say of a point; returns by how many times its count grew.
double compare_point(const Json& now, const Json& before, const Measure& measure, Comparison& result) {
  const double is = now.at(measure.key), was = before.at(measure.key), ratio = is / was;
  const bool same_work = same(now, before, {"cycles", "warp_instructions"});
  const bool over = ratio > measure.allowed;
  if (over) ++result.over;
  if (over || !same_work) {
    result.text += fmt::format("{} under {}: {:.1f} -> {:.1f} {} ({:+.1f} %){}{}\n", text_of(now, "workload"),
                               text_of(now, "mechanism"), was, is, measure.name, (ratio - 1) * 100,
                               over ? ": TOO MANY" : "", same_work ? "" : "; what is simulated is not what it was");
  }
  return ratio;
}

void compare_points(const Json& counts, const Json& baseline, const std::string& name, const Measure& measure,
                    Comparison& result) {
  const unsigned over_before = result.over;
  double logarithms = 0;
  unsigned compared = 0;
  for (const Json& now : counts.at("points")) {
    for (const Json& before : baseline.at("points")) {
      if (!same(now, before, {"workload", "mechanism"})) continue;
      logarithms += std::log(compare_point(now, before, measure, result));
      ++compared;
    }
  }
  if (compared == 0) user_error("{}: none of the counted points is in it", name);
  result.text += fmt::format("{} against {}: {:+.2f} %, geometric mean of {} points; {} of them over {:+.0f} %\n",
                             measure.name, name, (std::exp(logarithms / compared) - 1) * 100, compared,
                             result.over - over_before, (measure.allowed - 1) * 100);
}

}  // namespace

Comparison compare_counts(const Json& counts, const Json& baseline, const std::string& name) {
  for (const char* key : {"machine", "size"}) {
    if (!same(counts, baseline, {key})) {
      user_error("{}: its {} is {}, not {}: count that, or make a new baseline", name, key, text_of(baseline, key),
                 text_of(counts, key));
    }
  }
  Comparison result;
  if (!same(counts, baseline, {"compiler"})) {
    result.text = fmt::format("note: {} was compiled by {}, this by {}\n", name, text_of(baseline, "compiler"),
                              text_of(counts, "compiler"));
  }
  for (const Measure& measure : kMeasures) compare_points(counts, baseline, name, measure, result);
  return result;
}

}  // namespace warpfold::bench
