// SPDX-License-Identifier: Apache-2.0
// Golden vectors of a block: what was on its pins at each clock of a run, and a bench that replays it.
#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tb/cosim/build/build.h"
#include "tb/cosim/pin.h"

namespace warpfold::cosim {

class RtlModel;

// Leaves in a folder, which is made if need be:
//   vectors.csv   a line for each clock, from the first one after reset: inputs, outputs, and which bits of the outputs
//                 have to be so, in hexadecimal digits
//   replay.sv     a bench that sets the former and compares the latter, for any simulator
//   files.f       the block's files, as simulators take them
// What has to be so: outputs while the `valid` of their channel is 1, where they say something of the operation's kind,
// but for bits that depend on what registers start with.
class Vectors {
 public:
  static constexpr std::uint64_t kMostClocks = 100'000;

  // Of a model that has just been reset. WriteError where the folder cannot be written.
  Vectors(const RtlSource& source, const RtlModel& model, const std::string& folder, std::uint64_t period_ps);
  ~Vectors();
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;

  // Before a rising edge of the model, all settled. What is beyond kMostClocks is left out.
  void edge();

 private:
  struct Port;

  std::vector<std::unique_ptr<RtlModel>> twins_;  // the same block, with other values in its registers
  std::vector<Port> ports_;
  // Of blocks that have kinds of operations.
  Pin valid_, ready_, kind_, done_, taken_;
  std::deque<unsigned> under_way_;  // kinds
  std::string file_;
  std::ofstream out_;
  std::uint64_t clocks_ = 0;
};

// The output that says when this one means something: the `valid` of its channel, `done_valid_o` of a block that has
// one, or none ("").
std::string valid_of(const RtlPort& output, const std::vector<RtlPort>& ports);

// The bench, and the list of files.
std::string replay_bench(const RtlSource& source, const std::string& instance, std::uint64_t period_ps);
std::string replay_files(const RtlSource& source);

}  // namespace warpfold::cosim
