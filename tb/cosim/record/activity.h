// SPDX-License-Identifier: Apache-2.0
// How often the signals of RTL blocks switched in a run, counted from its waveforms.
#pragma once

#include <cstdint>
#include <map>
#include <string>

struct RtlRuntime;

namespace warpfold::cosim {

// Of one bit.
struct BitActivity {
  double transitions = 0;  // per clock of its block
  double ones = 0;         // the part of the time for which it is 1
};

struct BlockActivity {
  std::uint64_t clocks = 0;
  // By the names that the block's own source has for them, one bit each: "valid_q", "threads_q[3]",
  // "i_stack.data_q[0]".
  std::map<std::string, BitActivity> bits;
  std::uint64_t duration_ps = 0;  // of the file
};

// Of all blocks in a file that --waves wrote, by instance: "core0.compactor". UserError if it is no such file.
std::map<std::string, BlockActivity> activity_in(const std::string& fst_file);
std::map<std::string, BlockActivity> activity_in(const std::string& fst_file, const RtlRuntime& runtime);

// What of several instances of a block is the mean, each counting by its clocks.
BlockActivity mean_of(const std::map<std::string, BlockActivity>& instances);

// A line for each bit: its name, transitions per clock, part of the time at 1; what scripts/rtl-synth --activity reads.
std::string text_of(const BlockActivity& activity);

}  // namespace warpfold::cosim
