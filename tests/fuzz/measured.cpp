// SPDX-License-Identifier: Apache-2.0
// Measured tables as `warpfold correlate` reads and joins them. An input is a table.
#include "tb/sim/correlate/correlation_report.h"
#include "tests/fuzz/harness.h"

namespace warpfold::sim {
namespace {

// Programs with the names that the seeds have.
const std::vector<RanProgram>& ran() {
  static const std::vector<RanProgram> programs{
      {"bfs", "", {"launch", "cycles"}, {{"expand", {{0, 10}, {1, 20}}}, {"ns::copy<int,4>", {{2, 30}}}}},
      {"bad", "exit status 1"}};
  return programs;
}

}  // namespace
}  // namespace warpfold::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  fuzz::accepted([&] {
    const sim::MeasuredTable table = sim::measured_in(fuzz::text_of(data, size), "in.csv", 1000);
    for (const sim::MeasuredRow& row : table.rows) {
      for (const auto& [counter, value] : row.figures) {
        if (!(value >= 0)) fuzz::broken("a figure that is no number from 0 on");
      }
    }
    const sim::Report report = correlation_report(sim::join(table, sim::ran()), table, "bfs");
    sim::OutputOptions json;
    json.json = true;
    sim::text_of(report, json, 0);
    sim::correlation_page(report);
  });
  return 0;
}
