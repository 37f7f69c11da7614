// SPDX-License-Identifier: Apache-2.0
// A store that is not as it was written is told, and not read as if nothing were wrong.
#include <random>

#include "tb/study/seals.h"
#include "tb/study/store.h"
#include "tb/study/views.h"
#include "tests/common/command_line.h"
#include "warpfold/common/error.h"

namespace warpfold::study {
namespace seals_test {

namespace fs = std::filesystem;

class Seals : public CommandLineTest {
 protected:
  Seals() {
    fs::create_symlink(PRETEND_PROGRAM, directory_ / "prog");
    write_file("s.yaml",
               "title: t\npoints:\n  - {part: main, machine: tbc2011, mechanism: [pdom, tbc], workload: ./prog}\n");
    EXPECT_EQ(warpfold("study run s.yaml").status, 0);
  }
  void change(const std::string& sql) const {
    SQLite::Database((directory_ / "results/store.sqlite").string(), SQLite::OPEN_READWRITE).exec(sql);
  }
  std::string broken() const {
    SQLite::Database database((directory_ / "results/store.sqlite").string());
    return broken_seal(database);
  }
  std::string key_of(const std::string& mechanism) const {
    SQLite::Database database((directory_ / "results/store.sqlite").string());
    return database.execAndGet("SELECT key FROM run WHERE mechanism = '" + mechanism + "'").getString();
  }
  // All that there is to be read; what is wrong in its place.
  static std::string read(const fs::path& folder) {
    std::string text;
    try {
      Store store(folder, Store::Access::kRead);
      for (const char* const from :
           {"result", "speedup", "verdict", "mean", "run", "configuration", "measured", "study"}) {
        const Rows rows = store.query(std::string("SELECT * FROM ") + from, "here");
        for (const std::string& name : rows.header) text += name + "\n";
        for (const auto& row : rows.rows) {
          for (const Rows::Cell& cell : row) text += cell.value_or("-") + "\n";
        }
      }
    } catch (const UserError& error) {
      return std::string("refused: ") + error.what();
    }
    return text;
  }
};

TEST_F(Seals, AreOfTheRowsThatWereWrittenTogether) {
  EXPECT_EQ(broken(), "");
  const std::string whole = read_file(directory_ / "results/store.sqlite"), tbc = key_of("tbc");
  const std::pair<const char*, std::string> changes[] = {
      {"UPDATE statistics SET cycles = cycles + 1 WHERE run = (SELECT key FROM run WHERE mechanism = 'tbc')", tbc},
      {"UPDATE run SET reason = 'r' WHERE mechanism = 'tbc'", tbc},
      {"INSERT INTO measured SELECT key, 'm', 1 FROM run WHERE mechanism = 'tbc'", tbc},
      {"DELETE FROM run WHERE mechanism = 'tbc'", tbc},
      {"UPDATE configuration SET parameters = '{}' WHERE digest = (SELECT configuration FROM run WHERE mechanism = "
       "'tbc')",
       tbc},
      {"UPDATE seal SET digest = '' WHERE rows_of = 's'", "s"},
      {"UPDATE point SET workload = 'qrog' WHERE number = 1", "s"},
      {"UPDATE study SET title = 'T'", "s"},
      {"INSERT INTO area VALUES('s', 'm', '{}', 'tbc', 1, '')", "s"},
      {"UPDATE student_t SET t = t * (1 + 3e-16) WHERE df = 7", "a table or view"},  // the last bit
      {"DROP VIEW mean; CREATE VIEW mean AS SELECT 1", "a table or view"},
  };
  for (const auto& [sql, what] : changes) {
    change(sql);
    EXPECT_EQ(broken(), what) << sql;
    write_file("results/store.sqlite", whole);
  }
}

TEST_F(Seals, FollowWhatIsWritten) {
  write_file("s.yaml",
             "title: t\narea: true\npoints:\n  - {part: main, machine: tbc2011, mechanism: [its, exec-mask], workload: "
             "[./prog, ./prog fail]}\nfigures: [{name: a, title: t, sql: SELECT 1 AS x}]\n");
  EXPECT_EQ(warpfold("study run s.yaml").status, 1);
  EXPECT_EQ(broken(), "");
  EXPECT_EQ(warpfold("study run s.yaml --retry").status, 1);
  EXPECT_EQ(broken(), "");
  EXPECT_EQ(warpfold("study status s.yaml").err, "");
}

TEST_F(Seals, ABrokenOneIsToldByEveryCommand) {
  change("UPDATE statistics SET cycles = 7");
  for (const char* const command : {"plan", "run", "status", "export", "report"}) {
    const Result r = warpfold(std::string("study ") + command + " s.yaml");
    EXPECT_EQ(r.status, 2) << command;
    EXPECT_EQ(r.err.find("warpfold: error: results/store.sqlite: "), 0U) << r.err;
    EXPECT_NE(
        r.err.find(
            " in this store is not as it was written, so that it is damaged: move it away; study run makes another "
            "of the runs' directories\n"),
        std::string::npos)
        << r.err;
  }
  fs::remove(directory_ / "results/store.sqlite");
  EXPECT_EQ(warpfold("study run s.yaml").out.find("s: 0 to run\n"), 0U);
}

// The first had neither seals nor the oracle's runs beside points.
TEST_F(Seals, StoresOfVersionOneGetThemWhenTheyAreWritten) {
  const std::string before = read(directory_ / "results");
  for (const View& view : standard_views()) change("DROP VIEW \"" + view.name + "\"");
  change("ALTER TABLE point DROP COLUMN bound");
  for (const View& view : standard_views()) change("CREATE VIEW \"" + view.name + "\" AS SELECT 'old'");
  change("DROP TABLE seal; PRAGMA user_version = 1");
  EXPECT_EQ(warpfold("study run s.yaml").out.find("s: 0 to run\n"), 0U);
  EXPECT_EQ(read(directory_ / "results"), before);
  EXPECT_EQ(broken(), "");
  change("UPDATE statistics SET cycles = 7");
  EXPECT_EQ(read(directory_ / "results").find("refused: "), 0U);
}

TEST_F(Seals, OneBitIsToldOrSaysNothing) {
  const std::string before = read(directory_ / "results");
  const std::string whole = read_file(directory_ / "results/store.sqlite");
  std::mt19937 random(20260102);
  unsigned refused = 0;
  for (unsigned n = 0; n < 300; ++n) {
    std::string text = whole;
    const std::size_t bit = random() % (8 * whole.size());
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
    write_file("flipped/store.sqlite", text);
    const std::string after = read(directory_ / "flipped");
    const bool told = after.starts_with("refused: ");
    EXPECT_TRUE(told || after == before) << "bit " << bit;
    refused += told ? 1 : 0;
  }
  EXPECT_GT(refused, 50U);
}

}  // namespace seals_test
}  // namespace warpfold::study
