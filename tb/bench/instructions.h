// SPDX-License-Identifier: Apache-2.0
// warpfold-bench --instructions: host instructions per simulated warp instruction, counted by callgrind, by part of the
// simulator. Times vary with the machine's other work; these counts do not (docs/measuring.md).
#pragma once

#include <string>
#include <vector>

namespace warpfold::bench {

struct CountSettings {
  std::string machine, size, out;
  std::vector<std::string> mechanisms, workloads;
  std::string baseline;  // a file that an earlier count wrote, or empty
  unsigned jobs = 1;
};

// Counts every workload under every mechanism, prints a table for each mechanism and writes OUT/instructions.json.
// False if a point needs more than 3 % more instructions than in the baseline.
bool count_instructions(const CountSettings& settings);

}  // namespace warpfold::bench
