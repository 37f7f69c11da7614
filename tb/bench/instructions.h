// SPDX-License-Identifier: Apache-2.0
// warpfold-bench --instructions: host instructions per simulated warp instruction, by part of the simulator, and misses
// of a simulated L1 data cache, both counted by callgrind. Times vary with the machine's other work; these counts do
// not (docs/measuring.md).
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
// False if a point needs more than in the baseline: by more than 3 % of its instructions, 10 % of its misses.
bool count_instructions(const CountSettings& settings);

}  // namespace warpfold::bench
