// SPDX-License-Identifier: Apache-2.0
// `warpfold study export`: tables for people have the paper's values beside ours, and as many decimals as there are.
#include "tests/common/command_line.h"

namespace warpfold {
namespace export_test {

constexpr const char* kStudy = R"(title: Two figures
points:
  - {part: main, machine: tbc2011, mechanism: pdom, workload: ")" PRETEND_PROGRAM R"("}
figures:
  - name: ratios
    title: With printed values
    sql: |
      SELECT column1 AS mechanism, column2 AS n, column3 AS ratio, column4 AS share
      FROM (VALUES ('tbc', 2, 1.5, 1.0 / 3), ('tbc', 3, 1.25, NULL), ('dwf', 2, 0.8, 0.5))
    printed:
      - {mechanism: tbc, n: 2, value: 1.4, where: here}
      - {mechanism: dwf, value: none, where: there}
      - {mechanism: tbc, n: 4, value: 9, where: nowhere}
  - name: plain
    title: Without
    sql: SELECT 1 AS a, 2.0 AS b
)";

class StudyExport : public CommandLineTest {
 protected:
  StudyExport() {
    write_file("s.yaml", kStudy);
    EXPECT_EQ(warpfold("study run ./s.yaml --store here").status, 0);
  }
  std::string exported(const std::string& view, const std::string& format) const {
    const Result r = warpfold("study export ./s.yaml --store here --view " + view + " --" + format);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out;
  }
};

TEST_F(StudyExport, MarkdownHasThePapersValuesBesideOurs) {
  EXPECT_EQ(exported("ratios", "markdown"),
            "| mechanism | n | ratio | share | paper |\n"
            "|---|---|---|---|---|\n"
            "| tbc | 2 | 1.50 | 0.33 | 1.4 |\n"
            "| tbc | 3 | 1.25 | - | - |\n"
            "| dwf | 2 | 0.80 | 0.50 | none |\n");
}

TEST_F(StudyExport, WithoutPrintedValuesThereIsNoColumnForThem) {
  EXPECT_EQ(exported("plain", "markdown"), "| a | b |\n|---|---|\n| 1 | 2 |\n");
}

TEST_F(StudyExport, OtherProgramsGetOurNumbersAsTheyAre) {
  EXPECT_EQ(exported("ratios", "csv").substr(0, 46), "mechanism,n,ratio,share\ntbc,2,1.5,0.3333333333");
}

}  // namespace export_test
}  // namespace warpfold
