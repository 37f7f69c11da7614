// SPDX-License-Identifier: Apache-2.0
// One table in its four forms, and on terminals that are too narrow for it.
#include <gtest/gtest.h>

#include <cmath>

#include "tb/sim/tables/report.h"
#include "tb/sim/tables/text_table.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace report_test {

using Json = nlohmann::json;

Report sample() {
  ReportTable table{"runs",
                    "Runs of today",
                    {{"program", "program"},
                     {"key", "", kPrograms},
                     {"cycles", "cycles"},
                     {"simd_efficiency", "SIMD eff."},
                     {"dram_bytes", "DRAM MB"}},
                    {{{"bfs", "a,b", count(3389641), percent(0.38714), megabytes(9854321)}},
                     {{"say \"hi\"", "x", count(7), percent(std::nullopt), megabytes(std::nullopt)}},
                     {{"third", "y"}, "n/a: n = 3"},
                     {{"all", "", count(10), Cell(""), Cell("")}, "", true}},
                    "caution: few blocks\n"};
  return {{"as measured"}, {table}};
}

OutputOptions as(const char* format, const std::string& table = "") {
  OutputOptions output;
  const std::string name = format;
  output.json = name == "json";
  output.csv = name == "csv";
  output.markdown = name == "markdown";
  output.table = table;
  return output;
}

TEST(Report, TextIsRoundedAndAligned) {
  EXPECT_EQ(text_of(sample(), {}, 0),
            "as measured\n\nRuns of today\n"
            "program    cycles  SIMD eff.  DRAM MB\n"
            "bfs       3389641      38.7%     9.85\n"
            "say \"hi\"        7          -        -\n"
            "third     n/a: n = 3\n"
            "all            10\n"
            "caution: few blocks\n");
}

TEST(Report, JsonHasWholeNumbersUnderNamesThatStay) {
  const Json json = Json::parse(text_of(sample(), as("json"), 40));
  EXPECT_EQ(json.at("notes"), Json::parse(R"(["as measured"])"));
  EXPECT_EQ(json.at("runs"), Json::parse(R"([
    {"program": "bfs", "key": "a,b", "cycles": 3389641, "simd_efficiency": 0.38714, "dram_bytes": 9854321},
    {"program": "say \"hi\"", "key": "x", "cycles": 7, "simd_efficiency": null, "dram_bytes": null},
    {"program": "third", "key": "y", "cycles": null, "simd_efficiency": null, "dram_bytes": null,
     "note": "n/a: n = 3"}])"));
  EXPECT_TRUE(Json::parse(text_of(sample(), as("json", "runs"), 0)).is_array()) << "one table is a list";
  Report single = sample();
  single.single = true;
  EXPECT_TRUE(Json::parse(text_of(single, as("json"), 0)).is_array());
}

TEST(Report, CsvQuotesWhatItMust) {
  EXPECT_EQ(text_of(sample(), as("csv"), 40),
            "program,key,cycles,simd_efficiency,dram_bytes,note\n"
            "bfs,\"a,b\",3389641,0.38714,9854321,\n"
            "\"say \"\"hi\"\"\",x,7,,,\n"
            "third,y,,,,n/a: n = 3\n");
  Report two = sample();
  two.tables.push_back({"lines", "", {{"text", "text"}}, {{{"a\nb"}}}});
  EXPECT_EQ(text_of(two, as("csv", "lines"), 0), "text\n\"a\nb\"\n");
  two.csv = "lines";
  EXPECT_EQ(text_of(two, as("csv"), 0), "text\n\"a\nb\"\n");
}

TEST(Report, MarkdownEscapesBars) {
  Report report = sample();
  report.tables[0].rows[0].cells[0] = Cell("a|b");
  report.tables[0].columns[0].code = true;
  const std::string text = text_of(report, as("markdown"), 40);
  EXPECT_NE(text.find("| program | cycles | SIMD eff. | DRAM MB |\n|---|---|---|---|\n| `a\\|b` | 3389641 | 38.7% |"),
            std::string::npos)
      << text;
}

TEST(Report, WhatIsNoNumberIsNotKnown) {
  for (const double value : {std::nan(""), 1 / 0.0}) {
    EXPECT_EQ(decimal(value).shown, "-");
    EXPECT_TRUE(decimal(value).value.is_null());
    EXPECT_TRUE(count(value).value.is_null());
  }
  EXPECT_EQ(count(1e18).value.dump(), "1e+18");
}

TEST(Report, PeopleSeeEqualRowsOnceAndNotTooMany) {
  ReportTable table{"t", "", {{"a", "a"}, {"b", "", kPrograms}}, {}};
  for (int i = 0; i < 6; ++i) table.rows.push_back({{std::to_string(i / 2), std::to_string(i)}});
  table.distinct = true;
  EXPECT_EQ(text_of({{}, {table}}, {}, 0), "a\n0\n1\n2\n");
  table.distinct = false;
  table.most_rows = 2;
  table.rows.push_back({{"all", ""}, "", true});
  EXPECT_EQ(text_of({{}, {table}}, {}, 0), "a\n0\n0\n... 4 more\nall\n");
  EXPECT_EQ(Json::parse(text_of({{}, {table}}, as("json"), 0)).at("t").size(), 6U);
}

TEST(Report, TwoFormatsAreOneTooMany) {
  OutputOptions output = as("json");
  output.csv = true;
  EXPECT_THROW(text_of(sample(), output, 0), UserError);
  EXPECT_THROW(text_of(sample(), as("json", "lines"), 0), UserError);
}

TEST(TextTable, ColumnsWithoutRoomComeBelow) {
  const TextTable table{
      {"name", "cycles", "IPC", "speed-up"},
      {},
      {{"pdom", "3389641", "45.01", "1.00"}, {"lwm", "n/a: a reason that runs on"}, {"µ", "1", "2", "3"}}};
  EXPECT_EQ(table.as_columns(27),
            "name   cycles    IPC\n"
            "pdom  3389641  45.01\n"
            "lwm   n/a: a reason that runs on\n"
            "µ           1      2\n"
            "\n"
            "name  speed-up\n"
            "pdom      1.00\n"
            "µ            3\n");
  EXPECT_EQ(table.as_columns(30), table.as_columns());
  EXPECT_EQ(table.as_columns(1).find("speed-up") == std::string::npos, false) << "a column a block, and none lost";
}

TEST(TextTable, ListsFoldBelowTheirWords) {
  const TextTable table{{"", ""}, {}, {{"tbc", "thread block compaction at every branch"}, {"pdom", "stacks"}}};
  EXPECT_EQ(table.as_listing(36), "tbc   thread block compaction at\n      every branch\npdom  stacks\n");
  EXPECT_EQ(table.as_listing(20), table.as_listing()) << "no room to fold anything";
}

}  // namespace report_test
}  // namespace warpfold::sim
