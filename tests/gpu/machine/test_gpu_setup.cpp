// SPDX-License-Identifier: Apache-2.0
// What a Gpu is made of, from names, and parameters by theirs.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/gpu_setup.h"

namespace warpfold {
namespace gpu_setup_test {

std::string said(const std::string& machine, const std::string& mechanism, const std::vector<std::string>& sets) {
  try {
    GpuSetup::of(machine, mechanism, sets);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuSetup, ParametersAreReachedByName) {
  const GpuSetup setup = GpuSetup::of("gt200", "dwf", {"cores=7", "memory.l2.ways=16"});
  EXPECT_EQ(setup.parameter("cores").value, "7");
  EXPECT_EQ(setup.machine.memory.l2.ways, 16u);
  EXPECT_EQ(setup.parameter("memory.l2.ways").unit, "ways");
  EXPECT_FALSE(setup.parameter("core.clock_mhz").meaning.empty());
  try {
    setup.parameter("core.wrap_size");
    ADD_FAILURE() << "a parameter that is not there";
  } catch (const UserError& error) {
    EXPECT_TRUE(
        std::string(error.what()).starts_with("core.wrap_size: no such parameter; did you mean 'core.warp_size'"))
        << error.what();
  }
}

TEST(GpuSetup, AMechanismsParametersAreBesideTheMachines) {
  const GpuSetup setup = GpuSetup::of("tbc2011", "dwf", {});
  unsigned of_mechanism = 0;
  for (const FieldView& field : setup.parameters()) {
    if (field.path.starts_with("mechanism.")) ++of_mechanism;
  }
  EXPECT_EQ(of_mechanism, setup.mechanism.parameters.size());
  EXPECT_GT(of_mechanism, 0u);
}

TEST(GpuSetup, TheMechanismShapesTheMachine) {
  EXPECT_EQ(GpuSetup::of("tbc2011", "pdom").machine.core.warp_size, 32u);
  EXPECT_NE(GpuSetup::of("tbc2011", "lwm").machine.core.warp_size, 32u);
  EXPECT_EQ(GpuSetup::of("tbc2011", "pdom").decode_options(Code::kPlaced, true).registers.per_core,
            isa::RegisterLimits{}.per_core);
}

TEST(GpuSetup, WhatIsWrongIsSaid) {
  EXPECT_NE(said("gt20", "pdom", {}).find("gt200"), std::string::npos);
  EXPECT_NE(said("gt200", "podm", {}).find("pdom"), std::string::npos);
  EXPECT_NE(said("gt200", "pdom", {"core.warp_size=33"}).find("core.warp_size = 33"), std::string::npos);
}

}  // namespace gpu_setup_test
}  // namespace warpfold
