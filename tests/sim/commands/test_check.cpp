// SPDX-License-Identifier: Apache-2.0
// `warpfold check` as people meet it: checked.cu with each of its mistakes, and bundled programs that have none.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/host/front_end.h"

namespace warpfold {
namespace check_test {

class Check : public ::testing::Test {
 protected:
  host::CommandResult warpfold(const std::string& words) const {
    return host::run_command("cd '" + folder.path("") + "' && rm -rf out && '" WARPFOLD_PROGRAM "' " + words);
  }
  host::CommandResult check(const std::string& options, const std::string& mistake) const {
    return warpfold("check " + options + " --set cores=2 --out out -- '" CHECKED_PROGRAM "' " + mistake);
  }
  nlohmann::json found() const {
    return nlohmann::json::parse(folder.read("out/run.json"), nullptr, false).at("check");
  }
  void expect_said(const host::CommandResult& result, const std::vector<std::string>& texts) const {
    for (const std::string& text : texts) {
      EXPECT_NE(result.output.find(text), std::string::npos) << text << "\nnot in\n" << result.output;
    }
  }
  host::ScratchFolder folder;
};

// Line, thread, allocation and who asked for it; the kernel goes on, and the program has CUDA's error.
TEST_F(Check, OutOfBounds) {
  for (const std::string options : {"", "--timing cycle --mechanism tbc", "--mechanism dwf", "--mechanism its"}) {
    const host::CommandResult result = check(options, "bounds");
    EXPECT_EQ(result.status, 1) << result.output;
    expect_said(result, {"warpfold: error: out of bounds\n    in one_too_far(int*, int const*, int) at ",
                         "/checked.cu:8 (", "ld.global", "    thread (36,0,0) of block (1,0,0) reads 4 bytes at 0x",
                         "nearest is cudaMalloc #2 [", " 0 bytes below, allocated in reserve(int)+0x",
                         ", called by main+0x", "bounds: cudaErrorIllegalAddress\n", "warpfold: 2 errors in 1 place\n",
                         "(cudaErrorIllegalAddress, as every CUDA call from here on)\n"});
    const nlohmann::json check = found();
    EXPECT_EQ(check.at("errors"), 2);
    EXPECT_TRUE(check.at("findings").at(0).at("source").get<std::string>().ends_with("/checked.cu:8"));
  }
}

TEST_F(Check, TheOtherMistakesOfAThread) {
  expect_said(check("", "misaligned"),
              {"error: misaligned\n", "checked.cu:11 (", "thread (1,0,0) of block (0,0,0) reads 4 bytes",
               ", and 47 more like it\n", "misaligned: cudaErrorMisalignedAddress\n"});
  expect_said(check("", "freed"), {"error: use after free\n", "checked.cu:13 (", "in cudaMalloc #1 [",
                                   "which has been freed in main+0x", "; allocated in reserve(int)+0x"});
}

TEST_F(Check, UninitializedReadsWhenAsked) {
  EXPECT_EQ(check("", "uninitialized").status, 0);
  const host::CommandResult global = check("--tools initialized", "uninitialized");
  EXPECT_EQ(global.status, 1);
  expect_said(global, {"error: uninitialized read\n", "checked.cu:8 (", "byte 0 of cudaMalloc #3 [",
                       "uninitialized: cudaSuccess\n"});
  expect_said(
      check("--tools memory,initialized", "shared"),
      {"error: uninitialized read\n", "checked.cu:31 (", "thread (32,0,0) of block (0,0,0)", "32 errors in 1 place\n"});
}

TEST_F(Check, RacesWhenAsked) {
  const host::CommandResult shared = check("--tools races", "race");
  EXPECT_EQ(shared.status, 1);
  expect_said(shared, {"error: race in shared memory\n", "checked.cu:17 (", " wrote there at "});
  const host::CommandResult blocks = check("--tools races", "blocks");
  expect_said(blocks, {"error: race in global memory\n", "of block (1,0,0) writes 4 bytes",
                       "thread (0,0,0) of block (0,0,0) wrote there at ", "; byte 0 of cudaMalloc #1"});
  EXPECT_EQ(check("", "race").status, 0);
}

struct Planted {
  std::string name, act, other;
};

// Each at the line that the source has it in.
TEST_F(Check, PlantedRacesInGlobalMemory) {
  const auto races = [&](const std::string& options, const std::string& name) {
    return warpfold("check --tools races " + options + " --set cores=2 --out out -- '" RACES_PROGRAM "' " + name);
  };
  const std::vector<Planted> planted{{"between_warps", " of block (0,0,0) reads 4 bytes", "of block (0,0,0) wrote"},
                                     {"between_blocks", " writes 4 bytes", " wrote there at "},
                                     {"read_by_another_warp", " bytes at 0x", " there at "},
                                     {"written_behind_readers", " writes 4 bytes", " read there at "},
                                     {"bytes", " writes 1 bytes", " read there at "},
                                     {"atomic_and_plain", " reads 4 bytes", " wrote there at "},
                                     {"atomics_of_a_block", " updates 4 bytes", ": atom.cta.add."},
                                     {"no_fence_before", " reads 4 bytes", " wrote there at "},
                                     {"no_fence_behind", " reads 4 bytes", " wrote there at "},
                                     {"fence_of_a_block", " reads 4 bytes", " wrote there at "},
                                     {"reset_inside", " of block (", ": st.global.u32)"},
                                     {"half_a_barrier", "thread (64,0,0) of block (0,0,0) reads", " wrote there at "},
                                     {"scope_of_a_block", " reads 4 bytes", ": st.release.cta.u32)"},
                                     {"relaxed", " reads 4 bytes", " wrote there at "}};
  for (const Planted& race : planted) {
    SCOPED_TRACE(race.name);
    const host::CommandResult result = races("", race.name);
    EXPECT_EQ(result.status, 1);
    expect_said(result, {"error: race in global memory\n", race.name == "bytes" ? "bytes(char*)" : "(int*", race.act,
                         race.other, ", and nothing orders the two; byte ", " of cudaMalloc #"});
  }
  for (const std::string name : {"within_a_warp", "lanes_of_one_store"}) {
    EXPECT_EQ(races("", name).status, 0) << "in step";
    EXPECT_EQ(races("--independent-threads", name).status, 1) << name;
  }
  const host::CommandResult same = races("", "same_value");
  EXPECT_EQ(same.status, 0);
  expect_said(same, {"note: race that changes nothing\n", ", but what was written was there already; byte 0 of ",
                     "warpfold: 0 errors, 224 races that change nothing\n"});
}

TEST_F(Check, NoRacesWhereSomethingOrders) {
  for (const std::string options : {"", "--independent-threads", "--mechanism dwf", "--timing cycle --mechanism its"}) {
    const host::CommandResult result =
        warpfold("check --tools races " + options + " --set cores=4 --out out -- '" RACES_PROGRAM "' none");
    EXPECT_EQ(result.output, "none: cudaSuccess\nwarpfold: 0 errors\n") << options;
  }
}

TEST_F(Check, NothingInAProgramThatIsRight) {
  for (const std::string options : {"", "--timing cycle --mechanism tbc", "--mechanism dwf", "--mechanism its"}) {
    const host::CommandResult result = check("--tools all " + options, "right");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(result.output, "right: cudaSuccess\nwarpfold: 0 errors\n");
  }
  const host::CommandResult independent = check("--tools races --independent-threads", "right");
  EXPECT_EQ(independent.status, 1) << independent.output;
  expect_said(independent, {"race in shared memory", "in_step(int*, int const*)"});
}

TEST_F(Check, StrayReadsMayReturnZero) {
  const host::CommandResult result = check("--stray-reads zero", "bounds");
  expect_said(result, {"note: stray read, returned zero\n", "error: out of bounds\n", "writes 4 bytes",
                       "warpfold: 1 error in 1 place, 1 stray read returned zero\n"});
  const host::CommandResult run =
      warpfold("run --set check.stray_reads=zero --timing functional --out out -- '" CHECKED_PROGRAM "' freed");
  EXPECT_EQ(run.status, 1) << "a store is no read";
  expect_said(run, {"error: fault\n    kernel 'fill(int*)': ", "which has been freed"});
}

TEST_F(Check, BundledProgramsAreRight) {
  for (const std::string program : {"bfs", "mergesort", "needle"}) {
    const host::CommandResult result = warpfold("check --tools all --size small -- " + program);
    EXPECT_EQ(result.status, 0) << program << ": " << result.output;
    expect_said(result, {"warpfold: 0 errors"});
  }
}

TEST_F(Check, OfAPtxFile) {
  folder.write("k.ptx",
               ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
               ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, 1;\n"
               "st.global.u32 [%rd1+64], %r1;\nret;\n}\n");
  folder.write("launch.yaml", "grid: [1]\nblock: [32]\nbuffers:\n  out: {type: u32, count: 16}\narguments: [out]\n");
  const host::CommandResult result = warpfold("check --out out --ptx k.ptx -- launch.yaml");
  EXPECT_EQ(result.status, 1);
  expect_said(result,
              {"in k at k.ptx:10: st.global.u32\n", "nearest is buffer out [", "warpfold: 32 errors in 1 place\n"});
  EXPECT_EQ(found().at("errors"), 32);
}

TEST_F(Check, WrongOptions) {
  const host::CommandResult tool = check("--tools memory,racing", "right");
  EXPECT_EQ(tool.status, 2);
  expect_said(tool, {"--tools racing: no such tool; did you mean"});
}

}  // namespace check_test
}  // namespace warpfold
