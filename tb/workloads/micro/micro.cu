// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks of a GPU: latencies, throughputs and bandwidths, by its own clock.
//
//   micro [QUANTITY…] [--size small|default|large] [--seed N]
//
// Prints a line "quantity,value,unit" for each row of configs/silicon/titan_v.csv, or for those of a name or of whose
// names a QUANTITY is a part. Neither size nor seed changes anything.
#include "micro.h"

namespace micro {
namespace {

__global__ void nothing() {}

// The chip's row is a third of what is between two events around an empty kernel, at the clock.
double launch_latency() {
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    nothing<<<1, 1>>>();
  }
  return seconds * 1e3 * attribute(cudaDevAttrClockRate) / 3;
}

// As the device says. It does not say how many slices its L2 has.
std::vector<Row> device_rows() {
  constexpr int kChannelBits = 128;  // of HBM2
  return {
      {"SMs", "SMs", [] { return attribute(cudaDevAttrMultiProcessorCount); }},
      {"clock", "MHz", [] { return attribute(cudaDevAttrClockRate) / 1e3; }},
      {"kernel launch latency", "cycles", launch_latency},
      {"DRAM channels", "channels", [] { return attribute(cudaDevAttrGlobalMemoryBusWidth) / kChannelBits; }},
  };
}

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (const std::vector<Row>& rows : {arithmetic_rows(), latency_rows(), bandwidth_rows(), device_rows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::vector<Row> rows_of(const std::string& quantity) {
  std::vector<Row> found;
  for (const Row& row : all_rows()) {
    if (row.quantity == quantity) return {row};
    if (std::string(row.quantity).find(quantity) != std::string::npos) found.push_back(row);
  }
  if (found.empty()) {
    workload::user_error(kProgram, "no quantity has '" + quantity + "' in its name; without one all are measured");
  }
  return found;
}

}  // namespace
}  // namespace micro

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_options(micro::kProgram, argc, argv);
  std::vector<micro::Row> rows;
  for (const std::string& quantity : options.arguments) {
    const std::vector<micro::Row> found = micro::rows_of(quantity);
    rows.insert(rows.end(), found.begin(), found.end());
  }
  if (rows.empty()) rows = micro::all_rows();
  for (const micro::Row& row : rows) {
    std::printf("%s,%.6g,%s\n", row.quantity, row.measure(), row.unit);
    std::fflush(stdout);
  }
  return workload::verdict("");
}
