// SPDX-License-Identifier: Apache-2.0
// The table of mechanisms: what registers itself is found by name, with its parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/divergence/fake_core.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {
namespace registry_test {

// A mechanism of this test's own, registered as the real ones are.
class Inert final : public Mechanism {
 public:
  struct Params {
    unsigned size = 3;
    Hardware hardware(const HardwareGeometry& /*geometry*/) const { return {}; }
    static constexpr auto fields() { return std::tuple{field("size", "entries", &Params::size, 1, 9, "of something")}; }
    void loaded() {
      if (size == 4) user_error("size 4 is not to be had");
    }
    std::string why_not(const Geometry& geometry) const {
      return geometry.warp_size > 32 ? fmt::format("warps of at most 32 lanes, size {}", size) : "";
    }
    Shape shape(const Geometry& geometry) const { return {geometry.simd_width, geometry.max_threads / size}; }
  };
  Inert(const Params& params, const Geometry& geometry, Core&) : size_(params.size), warps_(geometry.max_warps) {}
  void kernel_started(const isa::Kernel&) override {}
  void block_started(const Block&) override {}
  void block_finished(const Block&) override {}
  bool leaves_at(WarpId, Pc) const override { return false; }
  void committed(WarpId, Pc) override {}
  void branch_resolved(WarpId, const Branch&) override {}
  void exited(WarpId, LaneMask, Pc) override {}
  std::string waiting(unsigned) const override { return fmt::format("size {} of {} warps", size_, warps_); }

 private:
  unsigned size_, warps_;
};

const Register<Inert::Params, Inert> registration("inert", "does nothing", "this test");

FakeCore& fake() {
  static FakeCore core(4, 4);
  return core;
}

TEST(Registry, ListsByNameEachOnce) {
  std::vector<std::string> names;
  for (const MechanismInfo& info : mechanisms()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.description.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_EQ(info.description.find('\n'), std::string::npos) << info.name;
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const char* name : {"inert", "pdom", "tbc"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(Registry, AnUnknownNameSuggestsTheNearest) {
  try {
    find_mechanism("pdon");
    FAIL() << "found";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("no mechanism 'pdon'"), std::string::npos) << text;
    EXPECT_NE(text.find("pdom"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(Registry, ANameRegistersOnce) {
  EXPECT_TRUE(registered_twice().empty()) << registered_twice().front();
  const std::string source = find_mechanism("tbc").source;
  add_mechanism({"tbc", "another", "nowhere", {}});
  EXPECT_EQ(find_mechanism("tbc").source, source);
  EXPECT_EQ(registered_twice(), std::vector<std::string>{"tbc"});
}

TEST(Registry, MakesWithParametersAndGeometry) {
  const MechanismInfo& info = find_mechanism("inert");
  Geometry geometry;
  geometry.max_warps = 24;
  EXPECT_EQ(info.configure({}).make(geometry, fake())->waiting(0), "size 3 of 24 warps") << "absent keys: defaults";
  const Configured configured = info.configure(ConfigNode::from_text("size: 7\n", "test.yaml"));
  EXPECT_EQ(configured.make(geometry, fake())->waiting(0), "size 7 of 24 warps");
  ASSERT_EQ(configured.parameters.size(), 1U);
  EXPECT_EQ(configured.parameters[0].path, "size");
  EXPECT_EQ(configured.parameters[0].value, "7");
}

TEST(Registry, RejectsWhatTheParametersDoNotAllow) {
  const MechanismInfo& info = find_mechanism("inert");
  EXPECT_THROW(info.configure(ConfigNode::from_text("size: 10\n", "test.yaml")), UserError);
  EXPECT_NO_THROW(info.configure(ConfigNode::from_text("size: 9\n", "test.yaml")));
  EXPECT_THROW(info.configure(ConfigNode::from_text("sise: 3\n", "test.yaml")), UserError);
  EXPECT_THROW(info.configure(ConfigNode::from_text("size: 4\n", "test.yaml")), UserError) << "as loaded() says";
  EXPECT_THROW(find_mechanism("tbc").configure(ConfigNode::from_text("branch_order: OLDEST\n", "test.yaml")),
               UserError);
}

TEST(Registry, SaysWhyNot) {
  Geometry geometry;
  const Configured inert = find_mechanism("inert").configure(ConfigNode::from_text("size: 5\n", "test.yaml"));
  EXPECT_EQ(inert.why_not(geometry), "");
  geometry.warp_size = 64;
  EXPECT_EQ(inert.why_not(geometry), "warps of at most 32 lanes, size 5");
  EXPECT_EQ(find_mechanism("pdom").configure({}).why_not(geometry), "");
}

TEST(Registry, SaysWhatItMakesOfTheCoresWarps) {
  Geometry geometry;  // warps of 32, SIMD of 8, 1024 threads
  const Shape inert = find_mechanism("inert").configure({}).shape(geometry);
  EXPECT_EQ(inert.warp_width, 8U);
  EXPECT_EQ(inert.warp_slots, 341U);
  const Shape pdom = find_mechanism("pdom").configure({}).shape(geometry);
  EXPECT_EQ(pdom.warp_width, 32U);
  EXPECT_EQ(pdom.warp_slots, 32U);
}

// A mechanism that never asks for compaction is not to be handed a compacted warp.
TEST(Registry, NobodyCompactsUnasked) {
  const auto inert = find_mechanism("inert").configure({}).make(Geometry{}, fake());
  EXPECT_THROW(inert->compacted(0, 0, Warp::of_row(0, 0, 1), true), InternalError);
  EXPECT_FALSE(inert->traits.keeps_warps);
}

}  // namespace registry_test
}  // namespace warpfold::divergence
