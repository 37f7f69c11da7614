// SPDX-License-Identifier: Apache-2.0
// Lock-step of the blocks that run beside their twins: random operations go to the twin, whose observer makes the RTL
// do the same and compares.
#pragma once

#include "tb/cosim/session.h"
#include "tests/cosim/lockstep/lockstep.h"
#include "warpfold/common/clock/clock.h"

namespace warpfold::cosim {

// A session with the one block, outside of any machine.
class ShadowTest : public LockStepTest {
 protected:
  explicit ShadowTest(std::string block) : block_(std::move(block)) {
    std::filesystem::current_path(directory);  // where waveforms are left
  }
  // `file`: a version of the block of the test's own. `cycle_exact`: its clocks are to be the model's.
  Session session(const std::string& file = "", bool cycle_exact = false) {
    RtlOptions options;
    options.check = cycle_exact ? RtlCheck::kCycle : RtlCheck::kEqual;
    options.blocks = {{block_, file.empty() ? std::vector<std::string>{} : std::vector{file}}};
    return Session(options, 1000);
  }
  std::uint64_t operations(Session& session) const { return session.record(block_).operations; }

  std::string block_;
  // One for all tests of a program: SystemC knows objects by their names.
  static inline ClockDomain& clock = (*new ClockTree("clocks")).domain(1000);
};

}  // namespace warpfold::cosim
