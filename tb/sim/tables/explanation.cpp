// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "tb/sim/tables/figures.h"
#include "warpfold/core/issue/slot_causes.h"

namespace warpfold::sim {
namespace {

// Below it, nothing is explained: of the cycles of the first run.
constexpr double kNoDifference = 0.001;
// A figure that has changed by so much is said to be the reason of what it leads to.
constexpr double kMuchMore = 1.1, kHitRateLost = 0.05, kConflictsOfDifference = 0.25;

double value(const Point* point, const char* name) { return figure(point->stats["total"], name).value_or(0); }

// All cycles of all schedulers.
double slots(const Point* point) { return value(point, "cycles") * value(point, "schedulers"); }

struct Cause {
  const char *counter, *name, *words;  // in the table, and in the first line
};

// In the order of the table; the first has no counter of its own.
constexpr Cause kCauses[] = {
    {"", "issue", "issued instructions"},
    {"slot_load_store", "load/store unit full", "the load/store unit"},
    {"slot_collector", "operand collectors", "operand collectors"},
    {"slot_simd", "SIMD lanes busy", "busy SIMD lanes"},
    {"slot_sfu", "special functions busy", "the special function unit"},
    {"slot_fp64", "FP64 unit busy", "the FP64 unit"},
    {"slot_integer", "integer unit busy", "the integer unit"},
    {"slot_fetch", "fetch", "instruction fetch"},
    {"slot_draining", "draining", "draining"},
    {"slot_spill", "spills", "spills of the mechanism's structures"},
    {"slot_compactor", "compactor", "the compactor"},
    {"slot_mechanism", "mechanism", "what the mechanism holds back"},
    {"slot_memory", "memory", "memory"},
    {"slot_barrier", "barrier", "barriers"},
    {"slot_reconvergence", "reconvergence", "waiting at reconvergence points"},
    {"slot_dependency", "dependency", "dependencies of instructions"},
    {"slot_inactive", "inactive paths", "paths that wait for their turn"},
    {"slot_imbalance", "schedulers without warps", "imbalance between schedulers"},
    {"slot_no_block", "cores without blocks", "cores without blocks"},
};
static_assert(std::size(kCauses) == kSlotCauses + 1);

double of_cause(const Point* point, const Cause& cause) {
  if (*cause.counter != '\0') return value(point, cause.counter);
  double issued = slots(point);
  for (const Cause& other : kCauses) {
    if (*other.counter != '\0') issued -= value(point, other.counter);
  }
  return issued;
}

double per_access(const Point* point) {
  const double accesses = value(point, "load_instructions") + value(point, "store_instructions");
  return accesses == 0 ? 0 : value(point, "line_accesses") / accesses;
}

std::pair<const Point*, const Point*> worse_and_better(const Pair& pair) {
  return pair.difference() > 0 ? std::pair(pair.b, pair.a) : std::pair(pair.a, pair.b);
}

// An instruction that waits for shared memory is in flight as any other is.
std::string reason_of_dependency(const Pair& pair, const std::string& words) {
  const auto [worse, better] = worse_and_better(pair);
  const double conflicts = value(worse, "stall_shared_bank") - value(better, "stall_shared_bank");
  if (conflicts > kConflictsOfDifference * std::abs(pair.difference())) {
    return fmt::format("bank conflicts in shared memory ({:.0f} cycles of load/store units more)", conflicts);
  }
  return words;
}

// What is behind more time of memory and its ways, as far as one figure tells; else `words`.
std::string reason_of_memory(const Pair& pair, const std::string& words) {
  const auto [worse, better] = worse_and_better(pair);
  const std::string conflicts = reason_of_dependency(pair, "");
  if (!conflicts.empty()) return conflicts;
  const double lines = per_access(worse), before = per_access(better);
  if (before > 0 && lines / before >= kMuchMore) {
    return fmt::format("coalescing: {:.2f} lines an access in the place of {:.2f}", lines, before);
  }
  const double hits = value(worse, "l1d_hit_rate"), more_hits = value(better, "l1d_hit_rate");
  if (more_hits - hits >= kHitRateLost) {
    return fmt::format("L1 misses: {:.0f}% of the loads hit in the place of {:.0f}%", 100 * hits, 100 * more_hits);
  }
  return words;
}

bool of_memory(const std::string& name) {
  return name == "slot_memory" || name == "slot_load_store" || name == "slot_spill";
}

std::string in_words(const Pair& pair, const Cause& cause) {
  if (of_memory(cause.counter)) return reason_of_memory(pair, cause.words);
  if (cause.counter == std::string("slot_dependency")) return reason_of_dependency(pair, cause.words);
  if (*cause.counter != '\0') return cause.words;
  const double more = value(pair.b, "warp_instructions") / value(pair.a, "warp_instructions");
  const double longer = of_cause(pair.b, cause) / of_cause(pair.a, cause);
  if ((more > 1) == (longer > 1) && std::abs(more - 1) >= kNoDifference)
    return fmt::format("issued instructions: {:.2f} times as many warp instructions", more);
  return fmt::format("issuing: {:.2f} times as many slots for {:.2f} times as many warp instructions", longer, more);
}

Cell signed_percent(double share) {
  Cell cell = percent(share);
  if (share > 0) cell.shown.insert(0, "+");
  return cell;
}

ReportTable slots_table(const Explanation& of) {
  ReportTable table{"slots",
                    fmt::format("Slots (cycles of schedulers), of those of {}", of.a),
                    {{"cause", "cause"},
                     {"a", of.a},
                     {"b", of.b},
                     {"difference", "difference"},
                     {"a_slots", "a_slots", kPrograms},
                     {"b_slots", "b_slots", kPrograms}},
                    {}};
  const double all = slots(of.runs.a);
  const auto row = [&](const char* name, double a, double b, bool summary) {
    Row made{{name, percent(a / all), percent(b / all), signed_percent((b - a) / all), count(a), count(b)}};
    made.summary = summary;
    table.rows.push_back(std::move(made));
  };
  for (const Cause& cause : kCauses) {
    const double a = of_cause(of.runs.a, cause), b = of_cause(of.runs.b, cause);
    if (a != 0 || b != 0) row(cause.name, a, b, false);
  }
  row("all", all, slots(of.runs.b), true);
  return table;
}

ReportTable causes_table(const Explanation& of) {
  ReportTable table{
      "causes",
      fmt::format("Causes: cycles that {} takes more, and what of them goes as something is taken away on "
                  "both sides, one after the other",
                  of.b),
      {{"step", "step"},
       {"a_cycles", of.a},
       {"b_cycles", of.b},
       {"speed_up", "speed-up"},
       {"of_difference", "of the difference"},
       {"share", fmt::format("of {}", of.a)},
       {"alone", "as the only step"}},
      {}};
  const double all = value(of.runs.a, "cycles");
  const auto row = [&](const std::string& name, const Pair& pair, double part, std::optional<double> alone) {
    const double a = value(pair.a, "cycles"), b = value(pair.b, "cycles");
    table.rows.push_back({{name, count(a), count(b), decimal(a / b), count(part), signed_percent(part / all),
                           alone ? count(*alone) : Cell()}});
  };
  Pair before = of.runs;
  row("as they are", before, before.difference(), std::nullopt);
  for (const Step& step : of.steps) {
    if (!step.why_not.empty()) {
      Row left_out{{step.name}};
      left_out.note = step.why_not;
      table.rows.push_back(std::move(left_out));
      continue;
    }
    row(step.name, step.chained, before.difference() - step.chained.difference(),
        of.runs.difference() - step.alone.difference());
    before = step.chained;
  }
  row("left: instructions and their order", before, before.difference(), std::nullopt);
  return table;
}

struct LineTime {
  double a = 0, b = 0;
  std::string opcodes;
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void add_lines(std::map<std::pair<std::string, unsigned>, LineTime>& to, const std::vector<KernelProfile>& kernels,
               double LineTime::*side) {
  for (const KernelProfile& kernel : kernels) {
    for (const LineProfile& line : lines_of(kernel)) {
      LineTime& time = to[{file_name(line.file), line.line}];
      time.*side += static_cast<double>(heat(line.counts));
      if (time.opcodes.empty()) time.opcodes = line.branches ? "branch" : line.accesses ? "access" : "";
    }
  }
}

// Cycles of warps: of those that issue there, or wait there.
ReportTable lines_table(const Explanation& of, unsigned most) {
  ReportTable table{
      "lines",
      "Lines whose warps take more, or fewer, cycles",
      {{"line", "line"}, {"kind", "", kAll, true}, {"a", of.a}, {"b", of.b}, {"difference", "difference"}},
      {}};
  std::map<std::pair<std::string, unsigned>, LineTime> lines;
  add_lines(lines, of.profile_a, &LineTime::a);
  add_lines(lines, of.profile_b, &LineTime::b);
  std::vector<std::pair<std::string, LineTime>> sorted;
  for (const auto& [place, time] : lines) {
    sorted.emplace_back(place.second == 0 ? "(no line)" : fmt::format("{}:{}", place.first, place.second), time);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) {
    return std::abs(x.second.b - x.second.a) > std::abs(y.second.b - y.second.a);
  });
  for (const auto& [place, time] : sorted) {
    table.rows.push_back({{place, time.opcodes, count(time.a), count(time.b), count(time.b - time.a)}});
  }
  table.most_rows = most;
  return table;
}

}  // namespace

double Pair::difference() const { return value(b, "cycles") - value(a, "cycles"); }

std::string Explanation::largest() const {
  const double all = runs.difference(), sign = all < 0 ? -1 : 1;
  if (std::abs(all) < kNoDifference * value(runs.a, "cycles")) return "";
  double most = 0;
  std::string words;
  Pair before = runs;
  for (const Step& step : steps) {
    if (!step.why_not.empty()) continue;
    const double part = sign * (before.difference() - step.chained.difference());
    if (part > most) {
      most = part;
      words = step.of_memory ? reason_of_memory(before, step.what) : step.what;
    }
    before = step.chained;
  }
  if (sign * before.difference() <= most) return words;
  // What is left has no step: where its slots are tells it.
  most = 0;
  for (const Cause& cause : kCauses) {
    double usual = of_cause(before.a, cause);
    // Cores that have no block at any rate have none for longer when the others take longer: that is no cause.
    if (cause.counter == std::string("slot_no_block")) usual *= value(before.b, "cycles") / value(before.a, "cycles");
    const double part = sign * (of_cause(before.b, cause) - usual);
    if (part <= most) continue;
    most = part;
    words = in_words(before, cause);
  }
  return words;
}

Report report_of(const Explanation& of, unsigned lines) {
  Report report;
  const double a = value(of.runs.a, "cycles"), b = value(of.runs.b, "cycles");
  const std::string largest = of.largest();
  report.notes.push_back(largest.empty()
                             ? fmt::format("{} on {}: {} and {} take the same time", of.program, of.machine, of.a, of.b)
                             : fmt::format("{} on {}: {} takes {:.1f}% {} cycles than {}, most of all by {}",
                                           of.program, of.machine, of.b, 100 * std::abs(b - a) / a,
                                           b > a ? "more" : "fewer", of.a, largest));
  report.tables = {slots_table(of)};
  if (!of.steps.empty()) report.tables.push_back(causes_table(of));
  report.tables.push_back(lines_table(of, lines));
  return report;
}

}  // namespace warpfold::sim
