// SPDX-License-Identifier: Apache-2.0
// `warpfold study` as its users run it: what is run, what is kept, and what is said of what goes wrong.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "tests/common/command_line.h"

namespace warpfold {
namespace commands_test {

namespace fs = std::filesystem;

class StudyCommand : public CommandLineTest {
 protected:
  StudyCommand() { fs::create_symlink(PRETEND_PROGRAM, directory_ / "prog"); }

  // A study of the stand-in: `more` are keys of its part.
  void write_study(const std::string& workloads, const std::string& more = "", const std::string& top = "") const {
    write_file("s.yaml",
               "title: A study\npoints:\n  - part: main\n    machine: tbc2011\n    mechanism: [pdom, tbc]\n"
               "    workload: [" +
                   workloads + "]\n" + more + top);
  }
  std::string exported(const std::string& store = "results") const {
    const Result r = warpfold("study export s.yaml --csv --store " + store);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out;
  }
  static std::string figure(const std::string& name, const std::string& sql) {
    return "figures:\n  - name: " + name + "\n    title: t\n    sql: \"" + sql + "\"\n";
  }
};

TEST_F(StudyCommand, RunsWhatIsMissingAndNothingTwice) {
  write_study("./prog", "", "figures:\n  - {name: gain, title: t, sql: \"SELECT variant, speedup FROM s\"}\n");
  const Result plan = warpfold("study plan s.yaml");
  EXPECT_EQ(plan.out, "s: 2 points, 2 runs; 0 points not applicable\n") << plan.err;
  const Result first = warpfold("study run s.yaml");
  EXPECT_EQ(first.status, 0) << first.err;
  expect_in(first.out, "s: 2 to run\ns: 2 points, 2 runs: 2 done, 0 failed, 0 missing; 0 points not applicable\n");
  expect_in(warpfold("study run s.yaml").out, "s: 0 to run\n");
  write_study("./prog, ./prog say hello");
  expect_in(warpfold("study run s.yaml").out, "s: 2 to run\ns: 4 points, 4 runs: 4 done");
  write_study("./prog", "", "figures:\n  - {name: gain, title: t, sql: \"SELECT variant, speedup FROM s\"}\n");
  expect_in(warpfold("study run s.yaml").out, "s: 0 to run\n");
  EXPECT_EQ(warpfold("study export s.yaml --view gain --csv").out, "variant,speedup\npdom,1.0\ntbc,1.5\n");
  EXPECT_EQ(warpfold("study export s.yaml --view gain --json").out,
            "[\n {\n  \"variant\": \"pdom\",\n  \"speedup\": 1.0\n },\n {\n  \"variant\": \"tbc\",\n  \"speedup\": "
            "1.5\n }\n]\n");
}

TEST_F(StudyCommand, ThePlanSaysWhatIsMissingWillTake) {
  write_study("./prog, ./prog say hello");
  const auto said = [&] { return warpfold("study plan s.yaml --cost").out; };
  expect_in(said(),
            "s: 4 points, 4 runs; 0 points not applicable\n4 missing: 7200.0 million warp instructions, 2.0 hours of a "
            "host core at 1000 ns each\n");
  write_study("./prog");
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  write_study("./prog, ./prog say hello");
  expect_in(said(), "\n2 missing: 3600.0 million warp instructions, 1.0 hours");
  write_study("./prog fail");
  expect_in(warpfold("study plan s.yaml --cost").err,
            "./prog fail pdom without time: FAIL: node 3 is wrong (exit status 1)");
}

TEST_F(StudyCommand, TakesWhatCompareHasLeft) {
  EXPECT_EQ(warpfold("compare --mechanisms pdom,tbc ./prog").status, 0);
  write_study("./prog");
  expect_in(warpfold("study run s.yaml").out, "s: 0 to run\n");
}

TEST_F(StudyCommand, FailuresAreListedAndRunAgainOnRequest) {
  write_study("./prog fail, ./prog crash, ./prog silent, ./prog");
  const Result run = warpfold("study run s.yaml");
  EXPECT_EQ(run.status, 1);
  expect_in(run.out, "8 runs: 2 done, 6 failed, 0 missing");
  expect_in(run.out,
            "failed       2  FAIL: node 3 is wrong (exit status 1)                                            ./prog "
            "fail pdom\n");
  expect_in(run.out,
            "failed       2  killed by signal 9 (Killed)                                                      ./prog "
            "crash pdom\n");
  expect_in(
      warpfold("study status s.yaml --csv").out,
      "failed,2,it launched no kernel (built by warpfold-cc? warpfold's options come before it),./prog silent pdom\n");
  EXPECT_EQ(warpfold("study run s.yaml -q").out, "");
  EXPECT_EQ(warpfold("study status s.yaml").out, run.out.substr(run.out.find('\n') + 1));
  expect_in(warpfold("study run s.yaml").out, "s: 0 to run\n");
  expect_in(warpfold("study run s.yaml --retry").out, "s: 6 to run\n");
}

TEST_F(StudyCommand, LimitsEndAPointAndNotTheStudy) {
  write_study("./prog hang, ./prog", "", "limits: {minutes: 0.01}\n");
  expect_in(warpfold("study run s.yaml").out, "it took longer than its limit of 0.6 s");
  write_study("./prog", "", "limits: {memory_mb: 0.001}\n");
  fs::remove_all(directory_ / "results");
  write_study("./prog hang", "", "limits: {memory_mb: 0.001, minutes: 1}\n");
  expect_in(warpfold("study run s.yaml").out, "it took more than its limit of 0 MB of memory");
}

TEST_F(StudyCommand, KilledAtAnyMomentItEndsWithTheSameRows) {
  write_study("\"./prog {seed}\"", "    seeds: 40\n");
  EXPECT_EQ(warpfold("study run s.yaml --store whole").status, 0);
  std::mt19937 random(20260101);
  for (const int signal : {SIGKILL, SIGTERM, SIGKILL, SIGKILL, SIGINT}) {
    const pid_t study = begin("study run s.yaml --store killed");
    std::this_thread::sleep_for(std::chrono::milliseconds(30 + random() % 250));
    kill(study, signal);
    end_of(study);
  }
  EXPECT_EQ(warpfold("study run s.yaml --store killed").status, 0);
  EXPECT_EQ(exported("killed"), exported("whole"));
}

TEST_F(StudyCommand, TwoAtOnceShareTheWork) {
  write_study("\"./prog {seed}\"", "    seeds: 20\n");
  const pid_t first = begin("study run s.yaml --store both"), second = begin("study run s.yaml --store both");
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);
  EXPECT_EQ(warpfold("study run s.yaml --store one").status, 0);
  EXPECT_EQ(exported("both"), exported("one"));
  SQLite::Database database((directory_ / "both/store.sqlite").string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM run").getInt(), 40);
  EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST_F(StudyCommand, JobListsLeaveWhatRunTakes) {
  write_study("./prog, ./prog crash");
  const Result list = warpfold("study plan s.yaml --commands");
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 4) << list.out;
  write_file("jobs", list.out);
  EXPECT_EQ(std::system(("cd '" + directory_.string() + "' && sh ./jobs >/dev/null 2>&1").c_str()) & 0xff, 0);
  const Result run = warpfold("study run s.yaml");
  expect_in(run.out, "s: 0 to run\ns: 4 points, 4 runs: 2 done, 2 failed, 0 missing");
  EXPECT_EQ(warpfold("study work s.yaml --keys abc").err,
            "warpfold: error: s.yaml: no run abc is in this study: its file, a program or the simulator has changed\n");
}

TEST_F(StudyCommand, MeasuredLinesOfAProgramAreKept) {
  write_file("timed", "#!/bin/sh\necho measured latency 42.5\necho it measured nothing 7\nexec ./prog\n");
  fs::permissions(directory_ / "timed", fs::perms::owner_all);
  write_study("./timed");
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  SQLite::Database database((directory_ / "results/store.sqlite").string());
  EXPECT_EQ(database.execAndGet("SELECT group_concat(name || ' ' || value) FROM measured").getString(),
            "latency 42.5,latency 42.5");
}

// Of mechanisms without RTL, so that nothing is synthesised.
TEST_F(StudyCommand, AreasAreOfTheVariantsAndSayWhatTheyLeaveOut) {
  write_file("s.yaml",
             "title: A study\narea: true\npoints:\n  - {part: main, machine: tbc2011, mechanism: [sbi, vws], "
             "workload: ./prog, seeds: 0, set: {core.warp_size: [16, 32]}}\nquick: {size: small}\n");
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  SQLite::Database database((directory_ / "results/store.sqlite").string());
  EXPECT_EQ(
      database
          .execAndGet("SELECT group_concat(variant || settings) FROM (SELECT * FROM area ORDER BY settings, variant)")
          .getString(),
      "sbi{\"core.warp_size\":16},vws{\"core.warp_size\":16},sbi{\"core.warp_size\":32},vws{\"core.warp_size\":32}");
  EXPECT_EQ(
      database.execAndGet("SELECT count(*) FROM area WHERE added_mm2 > 0 AND note LIKE 'a bound: logic without %'")
          .getInt(),
      4);
  EXPECT_EQ(warpfold("study run s.yaml --quick").status, 0);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM area WHERE study = 's-quick'").getInt(), 0);
}

TEST_F(StudyCommand, StoresThatCannotBeUsed) {
  write_study("./prog");
  EXPECT_EQ(warpfold("study status s.yaml").err,
            "warpfold: error: results/store.sqlite: there is no such store: warpfold study run makes it\n");
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  const std::string path = directory_ / "results/store.sqlite";
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const Result newer = warpfold("study run s.yaml");
  EXPECT_EQ(newer.status, 2);
  EXPECT_EQ(newer.err,
            "warpfold: error: results/store.sqlite: a store of version 99, made by a newer warpfold than "
            "this, which knows version 4: use that one\n");
  write_file("results/store.sqlite", std::string(5000, 'x'));
  EXPECT_EQ(warpfold("study run s.yaml").err,
            "warpfold: error: results/store.sqlite: this is no store of results, or a damaged one: move it away\n");
  fs::remove(path);
  SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE mine(x)");
  EXPECT_EQ(warpfold("study run s.yaml").err,
            "warpfold: error: results/store.sqlite: a database of something else: name another folder by --store\n");
  write_file("file", "");
  EXPECT_EQ(warpfold("study run s.yaml --store file/x").err,
            "warpfold: error: file/x: cannot make this folder: Not a directory\n");
}

TEST_F(StudyCommand, FiguresThatAreWrongAreNamedWithTheirPlace) {
  write_study("./prog", "", "figures:\n  - {name: a, title: t, sql: SELEC 1}\n");
  const Result run = warpfold("study run s.yaml");
  EXPECT_EQ(run.status, 2);
  expect_in(run.err, "s.yaml:8:25: figure a: ");
  write_study("./prog", "", figure("a", "SELECT 1 AS x"));
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  EXPECT_EQ(warpfold("study export s.yaml --view b").err,
            "warpfold: error: results: study s has no view 'b'; known are result, speedup, orders, "
            "slots, verdict, verdict_over_inputs, mean, a\n");
}

// What a run would refuse is refused by a plan, and nothing of it is executed.
TEST_F(StudyCommand, AFigureIsOneQueryThatReads) {
  const std::pair<const char*, const char*> wrong[] = {
      {"SELECT 1 AS x; DELETE FROM run", "something stands behind the query's ';': give one SELECT"},
      {"SELECT 1; COMMIT; ATTACH 'w.db' AS z; CREATE TABLE z.t(a); BEGIN",
       "something stands behind the query's ';': give one SELECT"},
      {"DELETE FROM run", "near \"DELETE\": syntax error"},
      {"ATTACH 'w.db' AS z", "near \"ATTACH\": syntax error"},
      {"PRAGMA user_version = 7", "near \"PRAGMA\": syntax error"},
      {"SELECT load_extension('/w.so')", "not authorized to use function: load_extension"},
      {"SELECT no_such FROM r", "no such column: no_such"},
      {"SELECT \\\"no such\\\" FROM r", "no such column: no such"},
      {"SELECT ?1", "parameters are not allowed in views"},
  };
  for (const char* const command : {"plan", "run"}) {
    for (const auto& [sql, said] : wrong) {
      write_study("./prog", "", figure("a", sql));
      const Result r = warpfold(std::string("study ") + command + " s.yaml");
      EXPECT_EQ(r.status, 2) << sql;
      EXPECT_EQ(r.err, std::string("warpfold: error: s.yaml:10:5: figure a: ") + said + "\n") << sql;
    }
  }
  EXPECT_FALSE(fs::exists(directory_ / "w.db"));
  for (const char* const sql : {"SELECT 1 AS x;", "SELECT value FROM json_each('[1]')",
                                "WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT x FROM c"}) {
    write_study("./prog", "", figure("a", sql));
    EXPECT_EQ(warpfold("study plan s.yaml").err, "") << sql;
    EXPECT_EQ(warpfold("study run s.yaml").status, 0) << sql;
    EXPECT_EQ(warpfold("study export s.yaml --view a --json").status, 0) << sql;
  }
}

TEST_F(StudyCommand, AChartNamesWhatThereIs) {
  const std::string with = figure("a", "SELECT variant, speedup FROM s") + "    chart: ";
  for (const auto& [chart, said] :
       {std::pair{"{kind: bar, x: variant, y: speedup}", "chart.kind = bar: no such chart; did you mean 'bars'?"},
        {"{kind: bars, x: varient, y: speedup}",
         "chart.x = varient: the figure's query has no such column; did you mean 'variant'?"},
        {"{kind: bars, x: variant, y: speedup, lo: low}", "chart.lo: unknown key; did you mean 'low'?"}}) {
    write_study("./prog", "", with + chart + "\n");
    const Result r = warpfold("study plan s.yaml");
    EXPECT_EQ(r.status, 2) << chart;
    expect_in(r.err, said);
  }
  write_study("./prog", "", with + "{kind: bars, x: variant, y: speedup}\n");
  EXPECT_EQ(warpfold("study plan s.yaml").err, "");
}

TEST_F(StudyCommand, FiguresHaveNamesThatNothingElseHas) {
  for (const char* const name : {"run", "result", "student_t"}) {
    write_study("./prog", "", figure(name, "SELECT 1 AS x"));
    const std::string said =
        std::string("warpfold: error: s.yaml:10:5: figure ") + name + ": '" + name +
        "' is a name of the store itself in results/store.sqlite: give the figure another name, or "
        "the study a store of its own\n";
    EXPECT_EQ(warpfold("study plan s.yaml").err, said);
    EXPECT_EQ(warpfold("study run s.yaml").err, said);
  }
  write_study("./prog", "", figure("sqlite_a", "SELECT 1 AS x"));
  expect_in(warpfold("study plan s.yaml").err, "object name reserved for internal use: sqlite_a");
  write_study("./prog", "", figure("gain", "SELECT 1 AS x"));
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  EXPECT_EQ(warpfold("study plan s.yaml").status, 0);
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  fs::copy(directory_ / "s.yaml", directory_ / "other.yaml");
  const std::string said =
      "warpfold: error: other.yaml:10:5: figure gain: 'gain' is a name of study s in results/store.sqlite: give the "
      "figure another name, or the study a store of its own\n";
  EXPECT_EQ(warpfold("study plan other.yaml").err, said);
  EXPECT_EQ(warpfold("study run other.yaml").err, said);
  EXPECT_EQ(warpfold("study plan other.yaml --store another").status, 0);
}

TEST_F(StudyCommand, AFigureMayNameAnother) {
  write_study("./prog", "", figure("a", "SELECT x FROM b") + figure("b", "SELECT 1 AS x").substr(9));
  EXPECT_EQ(warpfold("study plan s.yaml").err, "");
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  EXPECT_EQ(warpfold("study export s.yaml --view a --csv").out, "x\n1\n");
}

TEST_F(StudyCommand, AnApostropheInAFilesNameIsALetter) {
  write_study("./prog", "", figure("gain", "SELECT variant, speedup FROM s"));
  fs::rename(directory_ / "s.yaml", directory_ / "o'brien.yaml");
  for (const char* const command : {"plan", "run", "status"})
    EXPECT_EQ(warpfold(std::string("study ") + command + " \"o'brien.yaml\"").status, 0) << command;
  EXPECT_EQ(warpfold("study export \"o'brien.yaml\" --view gain --csv").out, "variant,speedup\npdom,1.0\ntbc,1.5\n");
}

TEST_F(StudyCommand, NumbersThatAreNoneAreTexts) {
  write_study("./prog", "", figure("a", "SELECT 9e999 AS huge, x'6162' AS bytes, 2 AS n"));
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  EXPECT_EQ(warpfold("study export s.yaml --view a --json").out,
            "[\n {\n  \"huge\": \"Inf\",\n  \"bytes\": \"ab\",\n  \"n\": 2\n }\n]\n");
}

// The program fails, and says something, until it is mended.
TEST_F(StudyCommand, ARunMadeAgainKeepsNothingOfTheOne) {
  write_file("mends",
             "#!/bin/sh\nif [ -e mended ]; then echo measured b 2; exec ./prog; fi\n"
             "echo measured a 1\nexec ./prog fail\n");
  fs::permissions(directory_ / "mends", fs::perms::owner_all);
  write_study("./mends");
  EXPECT_EQ(warpfold("study run s.yaml").status, 1);
  write_file("mended", "");
  EXPECT_EQ(warpfold("study run s.yaml --retry").status, 0);
  SQLite::Database database((directory_ / "results/store.sqlite").string());
  EXPECT_EQ(database.execAndGet("SELECT group_concat(name || ' ' || value) FROM measured").getString(), "b 2.0,b 2.0");
}

TEST_F(StudyCommand, APipeInAStoresPlaceIsNoStore) {
  write_study("./prog");
  fs::create_directories(directory_ / "results");
  ASSERT_EQ(mkfifo((directory_ / "results/store.sqlite").c_str(), 0600), 0);
  for (const char* const command : {"plan", "run", "status", "export", "report"}) {
    EXPECT_EQ(warpfold(std::string("study ") + command + " s.yaml").err,
              "warpfold: error: results/store.sqlite: this is no regular file, as a store's are: move it away, or name "
              "another folder by --store\n");
  }
}

TEST_F(StudyCommand, ViewsThatAreMissingAreMadeAgain) {
  write_study("./prog");
  EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  const std::string whole = exported();
  SQLite::Database((directory_ / "results/store.sqlite").string(), SQLite::OPEN_READWRITE)
      .exec("DROP VIEW result; DROP VIEW mean");
  EXPECT_EQ(warpfold("study export s.yaml").err,
            "warpfold: error: results/store.sqlite: this store lacks its view 'result': warpfold study run makes it "
            "again\n");
  expect_in(warpfold("study run s.yaml").out, "s: 0 to run\n");
  EXPECT_EQ(exported(), whole);
}

TEST_F(StudyCommand, DiffTellsWhatHasChanged) {
  write_study("./prog");
  EXPECT_EQ(warpfold("study run s.yaml --store a").status, 0);
  EXPECT_EQ(warpfold("study run s.yaml --store b").status, 0);
  const Result same = warpfold("study diff a b");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "2 runs in both: 0 differ by more than 0%; 0 only in the first, 0 only in the second\n");
  SQLite::Database((directory_ / "b/store.sqlite").string(), SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE statistics SET cycles = 2100 WHERE cycles = 2000; UPDATE run SET simulator = 'new'; DELETE FROM "
          "seal");
  const Result other = warpfold("study diff a b --threshold 1");
  EXPECT_EQ(other.status, 1);
  expect_in(other.out, "prog tbc2011 tbc");
  expect_in(other.out, "2000   2100  +5.00%");
  EXPECT_EQ(warpfold("study diff a b --threshold 5").status, 0);
  EXPECT_EQ(warpfold("study diff a").status, 2);
  EXPECT_EQ(warpfold("study diff b --from old --to new").err,
            "warpfold: error: b: no runs of simulator old in this store\n");
}

TEST_F(StudyCommand, CompareIsAStudyToo) {
  const Result sweep =
      warpfold("compare --machine tbc2011,gt200 --mechanisms pdom,tbc --sweep core.warp_size=16,32 ./prog");
  EXPECT_EQ(sweep.status, 0) << sweep.err;
  expect_in(sweep.out, "prog on tbc2011, core.warp_size=16\n");
  expect_in(sweep.out, "prog on gt200, core.warp_size=32\n");
  const Result seeds = warpfold("compare --mechanisms pdom,tbc --seeds 3 './prog {seed}'");
  EXPECT_EQ(seeds.status, 0) << seeds.err;
  expect_in(seeds.out, "1.50      1.50  1.50  faster");
  EXPECT_EQ(warpfold("compare --mechanisms pdom --sweep core.warp_size ./prog").err,
            "warpfold: error: --sweep core.warp_size: expected KEY=VALUE,VALUE,…, such as core.warp_size=8,16\n");
  EXPECT_EQ(warpfold("compare --mechanisms pdom --sweep core.warp_siz=8 ./prog").status, 2);
  EXPECT_EQ(warpfold("compare --mechanisms pdom --seeds 2 ./prog").err,
            "warpfold: error: ./prog: put {seed} where its seed belongs\n");
}

TEST_F(StudyCommand, SlurmThatIsNotThereIsTold) {
  write_study("./prog");
  environment_ = "PATH=/nowhere";
  const Result run = warpfold("study run s.yaml --engine slurm");
  EXPECT_EQ(run.status, 2);
  expect_in(run.err, "warpfold: error: --engine slurm: ");
}

}  // namespace commands_test
}  // namespace warpfold
