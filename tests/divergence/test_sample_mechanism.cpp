// SPDX-License-Identifier: Apache-2.0
// docs/samples/never_meet.cpp, the sample of docs/add-a-mechanism.md: it is registered, and every thread of random
// programs executes what it would execute alone.
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace sample_mechanism_test {

TEST(SampleMechanism, RunsRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    FlowMachine machine({"never-meet", {}},
                        seed % 2 != 0 ? StructuredProgram(seed, true).make() : arbitrary_program(seed));
    machine.start(0, 0, 1 + static_cast<unsigned>(random() % 32));
    while (machine.live() > 0) machine.run_some(random, 20);
    machine.end();
  }
}

TEST(SampleMechanism, SaysWhereItCannotRunAndWhatItAdds) {
  const Configured configured = FlowSetup{"never-meet", {"slots_per_warp=4"}}.configured();
  EXPECT_EQ(configured.why_not(Geometry{}), "slots_per_warp = 4: threads of a warp of 32 may all part");
  EXPECT_EQ(configured.hardware(HardwareGeometry{}).text(), "warps that have parted (96 × 64 bits)");
}

}  // namespace sample_mechanism_test
}  // namespace warpfold::divergence
