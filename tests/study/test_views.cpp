// SPDX-License-Identifier: Apache-2.0
// What the views of a store make of its rows: ratios, means with their intervals, verdicts, cautions.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tb/study/store.h"
#include "tb/study/views.h"
#include "warpfold/common/error.h"
#include "warpfold/core/issue/slot_causes.h"

namespace warpfold::study {
namespace views_test {

namespace fs = std::filesystem;

class Views : public testing::Test {
 protected:
  Views()
      : folder_(fs::path(testing::TempDir()) / ("warpfold_views_" + std::to_string(getpid()))),
        store_(folder_, Store::Access::kWrite),
        database_(folder_ / "store.sqlite", SQLite::OPEN_READWRITE) {
    database_.exec("INSERT INTO study VALUES('s', 'f', 't', 'q', '{}', 'pdom', '')");
  }
  ~Views() override { fs::remove_all(folder_); }

  // A point and its run; `more` are statistics, "name = value".
  void add(const std::string& workload, const std::string& mechanism, int seed, int cycles,
           const std::string& more = "", const std::string& settings = "{}", const std::string& packing = "") {
    const std::string number = std::to_string(points_++), key = "k" + number;
    database_.exec("INSERT INTO point VALUES('s', " + number + ", 'main', '" + workload + "', '', 'small', " +
                   std::to_string(seed) + ", 'm', '" + mechanism + "', '" + packing + "', '" +
                   variant(mechanism, packing) + "', 'cycle', 'placed', '" + settings + "', '{}', '" + key +
                   "', '', NULL)");
    database_.exec("INSERT INTO run VALUES('" + key + "', 'p', '[]', 'm', '" + mechanism +
                   "', 'none', 'cycle', 'placed', '', '{}', '1', 's', '{}', 'c', 'ok', '', 'd', 1)");
    database_.exec("INSERT INTO statistics(run, cycles) VALUES('" + key + "', " + std::to_string(cycles) + ")");
    if (!more.empty()) database_.exec("UPDATE statistics SET " + more + " WHERE run = '" + key + "'");
  }
  Rows query(const std::string& sql) { return store_.query(sql, "here"); }
  std::string cell(const std::string& sql) {
    const Rows rows = query(sql);
    return rows.rows.size() == 1 ? rows.rows[0].at(0).value_or("NULL") : std::to_string(rows.rows.size()) + " rows";
  }
  double number(const std::string& sql) { return std::strtod(cell(sql).c_str(), nullptr); }

  fs::path folder_;
  Store store_;
  SQLite::Database database_;
  int points_ = 0;
};

TEST_F(Views, SpeedupIsAgainstTheBaselineOfTheSameInput) {
  add("bfs", "pdom", 1, 1000);
  add("bfs", "pdom", 2, 3000);
  add("bfs", "tbc", 1, 500);
  add("bfs", "tbc", 2, 2000);
  add("lps", "tbc", 1, 2000);  // of which there is no baseline
  EXPECT_EQ(cell("SELECT group_concat(speedup, ' ') FROM (SELECT speedup FROM speedup ORDER BY number)"),
            "1.0 1.0 2.0 1.5");
}

// By the values of the runs, whatever the points say.
TEST_F(Views, AnOrderIsToldFromAMechanism) {
  const auto add_in = [&](const char* policy, const std::string& mechanism, int cycles, const std::string& settings) {
    add("bfs", mechanism, 1, cycles, "", settings);
    const std::string key = "k" + std::to_string(points_ - 1);
    database_.exec("INSERT OR IGNORE INTO configuration VALUES('" + std::string(policy) +
                   "', '{\"core.warp_policy\": \"" + policy + "\"}')");
    database_.exec("UPDATE run SET configuration = '" + std::string(policy) + "' WHERE key = '" + key + "'");
  };
  add_in("LRR", "pdom", 3000, "{}");
  add_in("AGE", "tbc", 1500, "{}");
  EXPECT_EQ(number("SELECT count(*) FROM orders"), 0) << "the others are not there yet";
  add_in("AGE", "pdom", 2400, R"({"core.warp_policy":"AGE"})");
  database_.exec(
      R"(UPDATE point SET machine_settings = '{"core.warp_policy":"AGE"}', part = 'other-orders' WHERE number = 2)");
  add_in("LRR", "tbc", 2000, R"({"core.warp_policy":"LRR"})");
  database_.exec("UPDATE point SET part = 'other-orders' WHERE number = 3");
  EXPECT_EQ(
      cell("SELECT base_policy || ' ' || policy || ' ' || speedup || ' ' || by_order || ' ' || by_mechanism || ' ' || "
           "in_own_order || ' ' || interacts FROM orders"),
      "LRR AGE 2.0 1.25 1.5 1.6 1");
  EXPECT_EQ(cell("SELECT caution FROM verdict WHERE variant = 'tbc' AND part = 'main'"),
            "order: 1.25 by the order of warps, 1.60 by the mechanism in its own order");
  EXPECT_EQ(number("SELECT count(*) FROM verdict WHERE variant = 'pdom' AND caution IS NOT NULL"), 0);
}

// The same run may be a point of several parts.
TEST_F(Views, AnEqualBaselineDoesNotMultiplyRows) {
  add("bfs", "pdom", 1, 1000);
  add("bfs", "tbc", 1, 500);
  database_.exec(
      "INSERT INTO point SELECT study, 7, 'other', workload, input, size, seed, machine, mechanism, packing, "
      "variant, timing, code, settings, machine_settings, key, reason, bound FROM point WHERE number = 0");
  EXPECT_EQ(number("SELECT count(*) FROM speedup WHERE part = 'main'"), 2);
  EXPECT_EQ(number("SELECT speedup FROM speedup WHERE mechanism = 'tbc'"), 2);
}

// t of Student's for two degrees of freedom is 4.3027 (any table).
TEST_F(Views, TheIntervalIsStudentsOfTheLogarithms) {
  const int cycles[] = {500, 400, 800};
  double sum = 0, squares = 0;
  for (int seed = 0; seed < 3; ++seed) {
    add("bfs", "pdom", seed, 1000);
    add("bfs", "tbc", seed, cycles[seed]);
    const double logarithm = std::log(1000.0 / cycles[seed]);
    sum += logarithm;
    squares += logarithm * logarithm;
  }
  const double mean = sum / 3, half = 4.302653 * std::sqrt((squares - 3 * mean * mean) / 2 / 3);
  const std::string of_tbc = " FROM verdict WHERE mechanism = 'tbc'";
  EXPECT_NEAR(number("SELECT speedup" + of_tbc), std::exp(mean), 1e-12);
  EXPECT_NEAR(number("SELECT low" + of_tbc), std::exp(mean - half), 1e-6);
  EXPECT_NEAR(number("SELECT high" + of_tbc), std::exp(mean + half), 1e-5);
  EXPECT_EQ(cell("SELECT verdict" + of_tbc), "undecided");  // 0.74 to 4.2
  EXPECT_EQ(cell("SELECT verdict FROM verdict WHERE mechanism = 'pdom'"), "baseline");
}

TEST_F(Views, AVerdictNeedsAnIntervalOnOneSideOfOne) {
  for (int seed = 1; seed <= 4; ++seed) {
    add("bfs", "pdom", seed, 1000);
    add("bfs", "fast", seed, 800 + seed);
    add("bfs", "slow", seed, 1200 + seed);
    add("bfs", "even", seed, 998 + seed);
  }
  add("lps", "pdom", 1, 1000);
  add("lps", "fast", 1, 10);
  EXPECT_EQ(cell("SELECT verdict FROM verdict WHERE variant = 'fast' AND workload = 'bfs'"), "faster");
  EXPECT_EQ(cell("SELECT verdict FROM verdict WHERE variant = 'slow'"), "slower");
  EXPECT_EQ(cell("SELECT verdict FROM verdict WHERE variant = 'even'"), "undecided");
  EXPECT_EQ(cell("SELECT verdict || coalesce(low, ' no low') FROM verdict WHERE variant = 'fast' AND workload = 'lps'"),
            "one input no low");
}

TEST_F(Views, TheMeanIsOfTheProgramsOfEachSeed) {
  for (int seed = 1; seed <= 2; ++seed) {
    add("bfs", "pdom", seed, 1000);
    add("lps", "pdom", seed, 1000);
  }
  add("bfs", "tbc", 1, 250);  // 4 and 1: 2
  add("lps", "tbc", 1, 1000);
  add("bfs", "tbc", 2, 125);  // 8 and 1: 2.83
  add("lps", "tbc", 2, 1000);
  EXPECT_NEAR(number("SELECT speedup FROM mean WHERE variant = 'tbc'"), std::sqrt(2 * std::sqrt(8.0)), 1e-12);
  EXPECT_EQ(number("SELECT workloads FROM mean WHERE variant = 'tbc'"), 2);
}

TEST_F(Views, SizesThatDisagreeDecideNothing) {
  for (int seed = 1; seed <= 3; ++seed) {
    add("bfs", "pdom", seed, 1000);
    add("bfs", "tbc", seed, 800 + seed);
    add("bfs", "dwf", seed, 800 + seed);
  }
  database_.exec("UPDATE point SET size = 'default'");
  for (int seed = 1; seed <= 3; ++seed) {
    add("bfs", "pdom", seed, 1000);
    add("bfs", "tbc", seed, 1200 + seed, "draining_share = 0.1");
    add("bfs", "dwf", seed, 900 + seed);
  }
  const std::string of =
      "SELECT group_concat(verdict || ':' || coalesce(caution, ''), ' ') FROM (SELECT * FROM verdict ";
  EXPECT_EQ(cell(of + "WHERE variant = 'tbc' ORDER BY size)"),
            "undecided:sizes disagree undecided:drain: 10% of the slots lost since warps drain; sizes disagree");
  EXPECT_EQ(cell(of + "WHERE variant = 'dwf' ORDER BY size)"), "faster: faster:");
  EXPECT_GT(number("SELECT low FROM verdict WHERE variant = 'tbc' AND size = 'default'"), 1) << "the figures stay";
}

TEST_F(Views, SlotsOfAPointBesideItsBaselines) {
  std::string none;
  for (const auto& [name, meaning] : kSlotCauseNames) none += std::string(name) + " = 0, ";
  add("bfs", "pdom", 1, 1000, none + "schedulers = 2, slot_memory = 500");
  add("bfs", "tbc", 1, 900, none + "schedulers = 2, slot_memory = 600, slot_draining = 100");
  EXPECT_EQ(cell("SELECT group_concat(cause || ' ' || base_slots || ' ' || slots || ' ' || difference, ', ') FROM "
                 "(SELECT * FROM slots WHERE variant = 'tbc' ORDER BY cause)"),
            "draining 0 100 0.05, issue 1500 1100 -0.2, memory 500 600 0.05");
  EXPECT_NEAR(number("SELECT sum(difference) FROM slots WHERE variant = 'tbc'"), -0.1, 1e-12);
  EXPECT_EQ(cell(figure_query("SELECT count(*) FROM causes", "s")), "5");
}

TEST_F(Views, TheBoundIsTheOraclesOfThePoint) {
  add("bfs", "pdom", 1, 1000);
  add("bfs", "tbc", 1, 500);
  add("bfs", "oracle", 1, 0, "oracle_lane_activity = 0.5, oracle_bound = 1.75");
  database_.exec("UPDATE point SET part = 'bounds', timing = 'functional' WHERE number = 2");
  database_.exec("UPDATE point SET bound = 'k2' WHERE number = 1");
  EXPECT_EQ(
      cell("SELECT group_concat(variant || ' ' || coalesce(bound, '-')) FROM (SELECT * FROM speedup ORDER BY number)"),
      "pdom -,tbc 1.75");
}

TEST_F(Views, InputsMayBeSamplesAsSeedsAre) {
  for (int seed = 1; seed <= 4; ++seed) {
    add("bfs", "pdom", seed, 1000);
    add("bfs", "tbc", seed, 800 + seed);
  }
  database_.exec("UPDATE point SET input = 'graph' || seed, seed = NULL");
  EXPECT_EQ(cell("SELECT group_concat(verdict) FROM verdict WHERE variant = 'tbc'"),
            "one input,one input,one input,one input");
  EXPECT_EQ(cell("SELECT verdict || n FROM verdict_over_inputs WHERE variant = 'tbc'"), "faster4");
  EXPECT_EQ(cell(figure_query("SELECT count(*) FROM i", "s")), "2");
}

TEST_F(Views, PackingsAreVariantsAndNoneIsPlain) {
  database_.exec("UPDATE study SET baseline_packing = 'none'");
  add("bfs", "pdom", 1, 1000, "", "{}", "none");
  add("bfs", "pdom", 1, 900, "", "{}", "scc");
  EXPECT_EQ(cell("SELECT variant FROM speedup WHERE is_baseline"), "pdom");
  EXPECT_EQ(cell("SELECT verdict FROM verdict WHERE variant = 'pdom+scc'"), "one input");
}

TEST_F(Views, RowsOfWhichCyclesSayLittleAreFlagged) {
  add("tail", "pdom", 1, 1000, "few_cores_share = 0.25, core_utilisation = 0.5, few_waves_share = 0");
  add("uneven", "pdom", 1, 1000, "few_cores_share = 0.24, core_utilisation = 0.75, few_waves_share = 0");
  add("few", "pdom", 1, 1000, "few_cores_share = 0, core_utilisation = 1, few_waves_share = 0.5");
  add("fine", "pdom", 1, 1000, "few_cores_share = 0.24, core_utilisation = 0.76, few_waves_share = 0.49");
  EXPECT_EQ(cell("SELECT caution FROM result WHERE workload = 'tail'"),
            "tail: fewer than half of the cores in use in 25% of the cycles");
  EXPECT_EQ(cell("SELECT caution FROM verdict WHERE workload = 'uneven'"),
            "imbalance: 25% of the cores without a block");
  EXPECT_EQ(cell("SELECT caution FROM result WHERE workload = 'few'"),
            "small: 50% of the cycles in launches of less than two waves");
  EXPECT_EQ(cell("SELECT caution FROM result WHERE workload = 'fine'"), "NULL");
}

TEST_F(Views, WhatIsThereOfAPointIsItsState) {
  add("bfs", "pdom", 1, 1000);
  database_.exec(
      "INSERT INTO point SELECT study, 7, part, workload, input, size, 2, machine, mechanism, packing, "
      "variant, timing, code, settings, machine_settings, 'gone', reason, bound FROM point WHERE number = 0");
  database_.exec(
      "INSERT INTO point SELECT study, 8, part, workload, input, size, 3, machine, mechanism, packing, "
      "variant, timing, code, settings, machine_settings, NULL, 'too wide', bound FROM point WHERE number = 0");
  EXPECT_EQ(cell("SELECT group_concat(state || ':' || reason) FROM (SELECT * FROM result ORDER BY number)"),
            "ok:,missing:,n/a:too wide");
}

TEST_F(Views, AFiguresQueryIsOfItsStudy) {
  add("bfs", "pdom", 1, 1000);
  database_.exec(
      "INSERT INTO point SELECT 'another', number, part, workload, input, size, seed, machine, mechanism, "
      "packing, variant, timing, code, settings, machine_settings, key, reason, bound FROM point");
  EXPECT_EQ(cell(figure_query("SELECT count(*) FROM r", "s")), "1");
  EXPECT_EQ(cell(figure_query(" with own AS (SELECT * FROM s) SELECT count(*) FROM own", "s")), "1");
  EXPECT_EQ(cell(figure_query("SELECT (SELECT count(*) FROM v) + (SELECT count(*) FROM m)", "s")), "2");
  try {
    query(figure_query("SELECT no_such FROM r", "s"));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "here: no such column: no_such");
  }
}

}  // namespace views_test
}  // namespace warpfold::study
