// SPDX-License-Identifier: Apache-2.0
#include "tb/study/views.h"

#include <fmt/format.h>

#include <cctype>

#include "tb/sim/tables/table.h"
#include "tb/study/plan.h"
#include "warpfold/core/issue/slot_causes.h"

namespace warpfold::study {
namespace {

// Which figures of a row say more of something else than of the mechanism; NULL: none.
std::string caution() {
  std::string all;
  const auto add = [&](const std::string& when, const char* what, const char* percent) {
    all += fmt::format(" || CASE WHEN {} THEN printf('; {}', 100 * {}) ELSE '' END", when, what, percent);
  };
  add(fmt::format("s.few_cores_share >= {}", sim::kMuchTail),
      "tail: fewer than half of the cores in use in %.0f%% of the cycles", "s.few_cores_share");
  add(fmt::format("s.few_cores_share < {} AND 1 - s.core_utilisation >= {}", sim::kMuchTail, sim::kMuchImbalance),
      "imbalance: %.0f%% of the cores without a block", "(1 - s.core_utilisation)");
  add(fmt::format("s.few_waves_share >= {}", sim::kMuchInFewWaves),
      "small: %.0f%% of the cycles in launches of less than two waves", "s.few_waves_share");
  add(fmt::format("s.draining_share >= {}", sim::kMuchDraining), "drain: %.0f%% of the slots lost since warps drain",
      "s.draining_share");
  return fmt::format("CASE WHEN s.oracle_lane_activity IS NULL THEN nullif(substr(''{}, 3), '') END", all);
}

constexpr const char* kGroup =
    "study, part, machine, workload, input, size, timing, code, machine_settings, settings, mechanism, packing, "
    "variant";

// A geometric mean and its interval, by Student's t on the logarithms; one value has no interval.
constexpr const char* kInterval = R"(
    count(*) AS n, avg(ln(speedup)) AS mean,
    CASE WHEN count(*) > 1
      THEN sqrt(max(0, (sum(ln(speedup) * ln(speedup)) - count(*) * avg(ln(speedup)) * avg(ln(speedup)))) / (count(*) - 1) / count(*))
    END AS error)";

std::string with_interval(const std::string& columns, const std::string& from, const std::string& group) {
  return fmt::format(
      R"(SELECT {0}, n, exp(mean) AS speedup, exp(mean - t * error) AS low, exp(mean + t * error) AS high,
  CASE WHEN is_baseline THEN 'baseline' WHEN n < 2 THEN 'one input' WHEN mean - t * error > 0 THEN 'faster'
    WHEN mean + t * error < 0 THEN 'slower' ELSE 'undecided' END AS verdict, caution
FROM (SELECT {0}, max(is_baseline) AS is_baseline, max(cautions) AS caution, {1} FROM {2} GROUP BY {3})
LEFT JOIN student_t ON df = n - 1)",
      columns, kInterval, from, group);
}

// A verdict of one size that another size of the same inputs turns round is none.
std::string with_sizes(const std::string& verdicts) {
  return fmt::format(R"(WITH own AS ({0}), turned AS (SELECT own.*, EXISTS (SELECT 1 FROM own o
    WHERE o.size <> own.size AND o.study = own.study AND o.workload = own.workload AND o.machine = own.machine
      AND o.machine_settings = own.machine_settings AND o.settings = own.settings AND o.variant = own.variant
      AND o.timing = own.timing AND o.code = own.code
      AND (o.verdict, own.verdict) IN (VALUES ('faster', 'slower'), ('slower', 'faster'))) AS turns FROM own)
SELECT {1}, n, speedup, low, high, iif(turns, 'undecided', verdict) AS verdict,
  iif(turns, coalesce(caution || '; ', '') || 'sizes disagree', caution) AS caution FROM turned)",
                     verdicts, kGroup);
}

// Speed-ups with their cautions and one more: what the order of warps has to do with it, in the mean over seeds.
std::string with_orders() {
  return fmt::format(R"((SELECT a.*, nullif(substr(iif(caution IS NULL, '', '; ' || caution) ||
    CASE WHEN abs(by_order - 1) > {0} OR interacts
      THEN printf('; order: %.2f by the order of warps, %.2f by the mechanism in its own order', by_order, in_own_order)
      ELSE '' END, 3), '') AS cautions
  FROM (SELECT s.*, exp(avg(ln(o.by_order)) OVER of_seeds) AS by_order,
    exp(avg(ln(o.in_own_order)) OVER of_seeds) AS in_own_order, max(o.interacts) OVER of_seeds AS interacts
    FROM speedup s LEFT JOIN orders o ON o.study = s.study AND o.number = s.number
    WINDOW of_seeds AS (PARTITION BY s.study, s.part, s.machine, s.workload, s.input, s.size, s.timing, s.code,
      s.machine_settings, s.settings, s.mechanism, s.packing)) a))",
                     sim::kMuchInteraction);
}

// What the slots of a point and of its baseline went to (docs/explain.md).
std::string slots() {
  std::string names = "('issue')", own, of_base, own_sum, base_sum;
  for (const auto& [counter, meaning] : kSlotCauseNames) {
    names += fmt::format(", ('{}')", counter + 5);
    own += fmt::format(" WHEN '{}' THEN x.{}", counter + 5, counter);
    of_base += fmt::format(" WHEN '{}' THEN b.{}", counter + 5, counter);
    own_sum += fmt::format(" - x.{}", counter);
    base_sum += fmt::format(" - b.{}", counter);
  }
  return fmt::format(R"(WITH c(cause) AS (VALUES {0}), q AS (
  SELECT x.study, x.number, x.part, x.workload, x.machine, x.machine_settings, x.settings, x.variant, x.seed, c.cause,
    CASE c.cause WHEN 'issue' THEN b.cycles * b.schedulers{4}{2} END AS base_slots,
    CASE c.cause WHEN 'issue' THEN x.cycles * x.schedulers{3}{1} END AS slots, b.cycles * b.schedulers AS all_slots
  FROM speedup x JOIN statistics b ON b.run = x.base_key CROSS JOIN c)
SELECT study, number, part, workload, machine, machine_settings, settings, variant, seed, cause, base_slots, slots,
  1.0 * (slots - base_slots) / all_slots AS difference FROM q WHERE slots > 0 OR base_slots > 0)",
                     names, own, of_base, own_sum, base_sum);
}

// What of a speed-up is the order's and what the mechanism's, where the baseline issues warps in another order.
std::string orders() {
  const auto same = [](const char* other, const char* kept) {
    return fmt::format(
        "{0}.study = x.study AND {0}.machine = x.machine AND {0}.workload = x.workload AND {0}.input = x.input AND "
        "{0}.size = x.size AND {0}.seed IS x.seed AND {0}.timing = x.timing AND {0}.code = x.code AND {0}.{1} = x.{1}",
        other, kept);
  };
  return fmt::format(R"(WITH q AS (
  SELECT r.*, c.parameters ->> '$."core.warp_policy"' AS policy, json_remove(r.settings, '$."core.warp_policy"') AS rest,
    json_remove(r.machine_settings, '$."core.warp_policy"') AS machine_rest
  FROM result r JOIN configuration c ON c.digest = r.configuration
  WHERE r.state = 'ok' AND r.cycles > 0 AND r.oracle_lane_activity IS NULL)
SELECT s.*, b.policy AS base_policy, x.policy AS policy, 1.0 * b.cycles / bo.cycles AS by_order,
  1.0 * b.cycles / xo.cycles AS by_mechanism, 1.0 * bo.cycles / x.cycles AS in_own_order,
  abs(1.0 * bo.cycles * xo.cycles / x.cycles / b.cycles - 1) > {} AS interacts
FROM speedup s JOIN q x ON x.study = s.study AND x.number = s.number JOIN q b ON b.study = s.study AND b.key = s.base_key
JOIN q bo ON {} AND bo.mechanism = b.mechanism AND bo.packing = b.packing AND bo.policy = x.policy
JOIN q xo ON {} AND xo.mechanism = x.mechanism AND xo.packing = x.packing AND xo.policy = b.policy
WHERE x.policy <> b.policy AND s.part <> '{}' GROUP BY s.study, s.number)",
                     sim::kMuchInteraction, same("bo", "machine_rest"), same("xo", "rest"), kOtherOrders);
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  out.push_back('\'');
  return out;
}

std::vector<View> standard_views() {
  const std::string of_point =
      "p.study, p.number, p.part, p.workload, p.input, p.size, p.seed, p.machine, p.mechanism, p.packing, p.variant, "
      "p.timing, p.code, p.settings, p.machine_settings, p.key, p.bound AS bound_key";
  const std::string of_inputs =
      "study, part, machine, workload, size, timing, code, machine_settings, settings, mechanism, packing, variant";
  const std::string of_mean =
      "study, part, machine, size, timing, code, machine_settings, settings, mechanism, packing, variant";
  return {
      {"result",
       fmt::format(R"(SELECT {}, CASE WHEN p.key IS NULL THEN 'n/a' ELSE coalesce(r.state, 'missing') END AS state,
  coalesce(r.reason, p.reason) AS reason, {} AS caution, b.oracle_bound AS bound, r.directory,
  r.configuration, s.*
FROM point p LEFT JOIN run r ON r.key = p.key LEFT JOIN statistics s ON s.run = p.key
LEFT JOIN statistics b ON b.run = p.bound)",
                   of_point, caution())},
      {"baseline",
       R"(SELECT p.study, p.machine, p.machine_settings, p.workload, p.input, p.size, p.seed, p.timing, p.code,
  min(p.key) AS key, s.cycles
FROM point p JOIN study t ON t.name = p.study AND t.baseline_mechanism = p.mechanism AND t.baseline_packing = p.packing
JOIN statistics s ON s.run = p.key WHERE s.oracle_lane_activity IS NULL
GROUP BY p.study, p.machine, p.machine_settings, p.workload, p.input, p.size, p.seed, p.timing, p.code)"},
      {"speedup", R"(SELECT x.*, b.key AS base_key, b.cycles AS base_cycles, 1.0 * b.cycles / x.cycles AS speedup,
  x.mechanism = t.baseline_mechanism AND x.packing = t.baseline_packing AS is_baseline
FROM result x JOIN study t ON t.name = x.study
JOIN baseline b ON b.study = x.study AND b.machine = x.machine AND b.machine_settings = x.machine_settings
  AND b.workload = x.workload AND b.input = x.input AND b.size = x.size AND b.seed IS x.seed AND b.timing = x.timing
  AND b.code = x.code
WHERE x.state = 'ok' AND x.cycles > 0 AND x.oracle_lane_activity IS NULL)"},
      {"orders", orders()},
      {"slots", slots()},
      {"verdict", with_sizes(with_interval(kGroup, with_orders(), kGroup))},
      {"verdict_over_inputs", with_interval(of_inputs, with_orders(), of_inputs)},
      {"mean", with_interval(of_mean + ", workloads",
                             fmt::format("(SELECT {0}, seed, count(DISTINCT workload || ' ' || input) AS workloads, "
                                         "max(is_baseline) AS is_baseline, max(cautions) AS cautions, "
                                         "exp(avg(ln(speedup))) AS speedup FROM {1} GROUP BY {0}, seed)",
                                         of_mean, with_orders()),
                             of_mean)},
  };
}

std::string figure_query(const std::string& sql, const std::string& study) {
  std::string begin;
  for (const auto& [name, view] : {std::pair{"r", "result"},
                                   {"s", "speedup"},
                                   {"o", "orders"},
                                   {"causes", "slots"},
                                   {"v", "verdict"},
                                   {"i", "verdict_over_inputs"},
                                   {"m", "mean"}}) {
    begin += fmt::format("{} {} AS (SELECT * FROM \"{}\" WHERE study = {}{})", begin.empty() ? "WITH" : ",", name, view,
                         quoted(study), name == std::string("r") ? " AND state = 'ok'" : "");
  }
  std::size_t at = 0;
  while (at < sql.size() && std::isspace(static_cast<unsigned char>(sql[at])) != 0) ++at;
  std::string word = sql.substr(at, 4);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word == "WITH" ? begin + "," + sql.substr(at + 4) : begin + " " + sql.substr(at);
}

}  // namespace warpfold::study
