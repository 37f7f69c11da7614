// SPDX-License-Identifier: Apache-2.0
// Comma-separated values: cells, places, quotations, and what is none.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/common/files/csv.h"

namespace warpfold {
namespace csv_test {

using Cells = std::vector<std::string>;

TEST(Csv, CellsAreWithoutBlanksAndQuotes) {
  const auto rows = csv_rows("a, b ,c\r\n\n \"x,\"\"y\"\"\" ,,\" z \"", "f");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].cells, (Cells{"a", "b", "c"}));
  EXPECT_EQ(rows[0].columns, (std::vector<std::size_t>{1, 4, 7}));
  EXPECT_EQ(rows[1].cells, (Cells{"x,\"y\"", "", " z "}));
  EXPECT_EQ(rows[1].line, 3U);
}

TEST(Csv, AQuotationMayHaveEndsOfLines) {
  const auto rows = csv_rows("\"a\nb\",c\nd\n", "f", 7);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].cells, (Cells{"a\nb", "c"}));
  EXPECT_EQ(rows[0].line, 7U);
  EXPECT_EQ(rows[1].line, 9U);
}

TEST(Csv, ACommaAtTheEndIsAnEmptyCell) {
  EXPECT_EQ(csv_rows("a,\nb,c\n", "f")[0].cells, (Cells{"a", ""}));
  EXPECT_EQ(csv_rows("a,", "f")[0].cells, (Cells{"a", ""}));
  EXPECT_TRUE(csv_rows("\n  \r\n", "f").empty());
}

TEST(Csv, WhatIsNoQuotationIsRefusedWithItsPlace) {
  const auto complaint = [](const char* text) -> std::string {
    try {
      csv_rows(text, "f");
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint("a\nb,\"c\n\n"), "f:2:3: this quotation does not end");
  EXPECT_EQ(complaint("\"a\" b,c"), "f:1:5: 'b' behind a quotation; a comma must follow it");
}

TEST(Csv, WhatIsWrittenIsReadAgain) {
  for (const char* const text : {"plain", "a,b", "say \"hi\"", "two\nlines", ""}) {
    EXPECT_EQ(csv_rows("x," + csv_cell(text), "f")[0].cells.at(1), text);
  }
  EXPECT_EQ(csv_cell("plain"), "plain");
}

}  // namespace csv_test
}  // namespace warpfold
