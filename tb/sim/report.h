// SPDX-License-Identifier: Apache-2.0
// Several tables as text, as Markdown or as JSON.
#pragma once

#include <string>
#include <vector>

namespace warpfold::sim {

struct ReportTable {
  std::string name;   // key in JSON
  std::string title;  // above the table
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // a short row's last cell is text that runs on
};

enum class ReportFormat { kText, kMarkdown, kJson };

// `notes` stand above the tables.
std::string report(const std::vector<ReportTable>& tables, const std::vector<std::string>& notes, ReportFormat format);

}  // namespace warpfold::sim
