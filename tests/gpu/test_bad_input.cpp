// SPDX-License-Identifier: Apache-2.0
// What users get wrong, through the program that they use: one line that says what and where, and a status that is not
// 0. Nothing hangs, and a run that is killed leaves whole files.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace bad_input_test {

struct Case {
  std::string body;
  std::string block = "[64]";
  std::string mechanism = "pdom";
  std::string sets = "";
  std::string shared_bytes = "0";
};

// Runs the kernel on two buffers of 64 words; returns the only line that it says, without the program's name.
std::string refusal(const Case& given) {
  const host::ScratchFolder folder;
  folder.write("test.ptx", ptx_kernel(given.body));
  folder.write("launch.yaml",
               fmt::format("grid: [1]\nblock: {}\nshared_bytes: {}\nbuffers:\n  out: {{type: u32, count: 64}}\n"
                           "  in: {{type: u32, count: 64, first: 0, step: 1}}\narguments: [out, in]\n",
                           given.block, given.shared_bytes));
  const host::CommandResult result =
      host::run_command(fmt::format("cd '{}' && timeout 60 '{}' run --mechanism {} {} --ptx test.ptx -- launch.yaml",
                                    folder.path(""), WARPFOLD_PROGRAM, given.mechanism, given.sets));
  EXPECT_EQ(result.status, 2);
  const std::string start = "warpfold: error: ";
  EXPECT_TRUE(result.output.starts_with(start)) << result.output;
  EXPECT_EQ(result.output.find('\n'), result.output.size() - 1) << result.output;
  return result.output.substr(start.size(), result.output.size() - start.size() - 1);
}

TEST(BadInput, OutsideEveryAllocation) {
  EXPECT_EQ(
      refusal({.body = "", .block = "[96]"}),
      "kernel 'k': test.ptx:19: ld.global.u32: thread (64,0,0) of block (0,0,0) reads 4 bytes at 0x4000200, outside "
      "every allocation; nearest is buffer in [0x4000100, 0x4000200) 0 bytes below");
  EXPECT_EQ(
      refusal({.body = "mov.u64 %rd6, 0;\nst.global.u32 [%rd6+16], %r6;"}),
      "kernel 'k': test.ptx:23: st.global.u32: thread (0,0,0) of block (0,0,0) writes 4 bytes at 0x10, outside every "
      "allocation; nearest is buffer out [0x4000000, 0x4000100) 67108848 bytes above");
  EXPECT_EQ(
      refusal({.body = "st.shared.u32 [box+4096], %r6;"}),
      "kernel 'k': test.ptx:22: st.shared.u32: thread (0,0,0) of block (0,0,0) writes 4 bytes at 0x1000, outside the "
      "4096 bytes of its block's shared memory");
}

TEST(BadInput, Misaligned) {
  EXPECT_EQ(refusal({.body = "ld.global.u32 %r6, [%rd5+2];"}),
            "kernel 'k': test.ptx:22: ld.global.u32: thread (0,0,0) of block (0,0,0) reads 4 bytes at 0x4000102, "
            "address is "
            "not a multiple of 4");
}

TEST(BadInput, UnsupportedInstruction) {
  EXPECT_EQ(refusal({.body = "bfind.u32.foo %r6, %r5;"}),
            "kernel 'k': test.ptx:22: unsupported instruction 'bfind.u32.foo'");
}

TEST(BadInput, MoreThanACoreHas) {
  EXPECT_EQ(refusal({.body = "", .block = "[1025]"}),
            "kernel 'k': block of 1025 threads: a core holds 1024 (core.max_threads)");
  EXPECT_EQ(refusal({.body = "", .shared_bytes = "20000"}),
            "kernel 'k': a block needs 24096 bytes of shared memory: a core has 16384 (--machine gtx480 has 49152)");
  EXPECT_EQ(refusal({.body = "", .sets = "--set core.address_bits=64 --set core.registers=128"}),
            "kernel 'k': test.ptx:17: add.s64 needs 4 registers, but a thread has 2: a block of 64 threads in 128 "
            "registers (core.registers)");
  EXPECT_EQ(refusal({.body = "", .sets = "--set core.address_bits=64 --set core.max_registers_per_thread=1"}),
            "kernel 'k': test.ptx:17: add.s64 needs 4 registers, but a thread has 1: core.max_registers_per_thread = "
            "1");
}

TEST(BadInput, MoreMemoryThanAddressesReach) {
  const std::string text =
      refusal({.body = "", .sets = "--set core.address_bits=32 --set device_memory_bytes=0x100000000"});
  EXPECT_TRUE(
      text.ends_with("device_memory_bytes = 4294967296: more than the 4227858432 that addresses of 32 bits reach "
                     "(core.address_bits = 32)"))
      << text;
  EXPECT_NE(
      refusal({.body = "", .sets = "--set core.address_bits=48"}).find("core.address_bits = 48: must be 32 or 64"),
      std::string::npos);
}

TEST(BadInput, NothingToRun) {
  EXPECT_EQ(refusal({.body = "", .block = "[0]"}),
            "launch.yaml:2:1: block = (nothing): '0' is no whole number above 0");
}

constexpr const char* kSpins =
    "kernel 'k': spins for ever: every running warp repeats the same pc and registers and memory does not change (a "
    "lock whose "
    "holder waits for its own warp to reconverge?) with 0 of 1 blocks finished; ";

// The thread that gets the lock waits behind the loop for the others, which wait for the lock.
TEST(BadInput, SpinLockUnderReconvergence) {
  const std::string body =
      "AGAIN:\natom.global.cas.b32 %r7, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra AGAIN;\n"
      "add.u32 %r6, %r6, 1;\natom.global.exch.b32 %r8, [%rd1], 0;\n";
  for (const char* mechanism : {"pdom", "tbc", "frontier", "exec-mask"}) {
    const std::string text = refusal({.body = body, .block = "[32]", .mechanism = mechanism});
    EXPECT_TRUE(text.starts_with(kSpins)) << text;
    EXPECT_NE(text.find("core 0 block 0 warp 0 (31 threads at test.ptx:2"), std::string::npos) << text;
  }
}

TEST(BadInput, ABranchToItself) {
  const std::string text = refusal({.body = "AGAIN:\nbra AGAIN;\n"});
  EXPECT_TRUE(text.starts_with(kSpins)) << text;
}

// Threads that part and meet in ever other company repeat themselves all the same.
TEST(BadInput, EndlessLoopInChangingWarps) {
  const std::string body =
      "and.b32 %r7, %r1, 3;\nsetp.eq.u32 %p1, %r7, 1;\nAGAIN:\nadd.u32 %r8, %r1, 5;\n@%p1 bra OTHER;\n"
      "add.u32 %r9, %r8, 5;\nadd.u32 %r9, %r8, 7;\nOTHER:\nadd.u32 %r9, %r8, 5;\nbra AGAIN;\n";
  for (const char* mechanism : {"dwf", "dwf-wb"}) {
    const std::string text = refusal({.body = body, .block = "[50]", .mechanism = mechanism});
    EXPECT_TRUE(text.starts_with(kSpins)) << text;
  }
}

// The majority reads a flag for ever, the thread that is to set it is alone and never has its turn.
TEST(BadInput, StarvedByTheMajority) {
  const std::string body =
      "mov.u32 %r9, box;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra GIVE;\nAGAIN:\nld.volatile.shared.u32 %r7, [%r9];\n"
      "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra AGAIN;\nbra DONE;\nGIVE:\nmov.u32 %r7, 1;\n"
      "st.volatile.shared.u32 [%r9], %r7;\n";
  const std::string text = refusal({.body = body, .mechanism = "dwf", .sets = "--set core.simd_width=1"});
  EXPECT_TRUE(text.starts_with(kSpins)) << text;
  const std::size_t alone = text.find("(1 threads at test.ptx:3");
  ASSERT_NE(alone, std::string::npos) << text;
  EXPECT_EQ(text.substr(alone + 26, 44), " waits for a turn, which others always take;") << text;
}

// A warp is at a barrier, the other reads a flag for ever: both places are named. Of a warp whose own threads part so,
// those that go to the barrier wait where they would meet, and the loop is named.
TEST(BadInput, BarrierBesideALoop) {
  const auto those_below = [](unsigned thread) {
    return refusal(
        {.body = fmt::format("setp.lt.u32 %p1, %r1, {};\n@%p1 bra FIRST;\nAGAIN:\nld.global.u32 %r7, [%rd1];\n"
                             "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra AGAIN;\nbra DONE;\nFIRST:\nbar.sync 0;\n",
                             thread)});
  };
  const std::string warps = those_below(32);
  EXPECT_TRUE(warps.starts_with(kSpins)) << warps;
  EXPECT_NE(
      warps.find("warp 0 (32 threads at test.ptx:30) waits for a barrier that 32 of 64 live threads have reached"),
      std::string::npos)
      << warps;
  EXPECT_NE(warps.find("warp 1 (32 threads at test.ptx:2"), std::string::npos) << warps;
  const std::string threads = those_below(1);
  EXPECT_TRUE(threads.starts_with(kSpins)) << threads;
  EXPECT_NE(threads.find("warp 0 (31 threads at test.ptx:2"), std::string::npos) << threads;
}

// It counts, so it does not repeat itself; only the limit can end it.
TEST(BadInput, CycleLimit) {
  for (const char* timing : {"cycle", "functional"}) {
    const std::string text = refusal({.body = "LOOP:\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd4], %r6;\nbra LOOP;\n",
                                      .block = "[32]",
                                      .sets = fmt::format("--timing {} --set cycle_limit=100000", timing)});
    const std::string expected =
        "kernel 'k': cycle limit of 100000 reached with 0 of 1 blocks finished; core 0 block 0 warp 0 (32 threads at "
        "test.ptx:";
    EXPECT_TRUE(text.starts_with(expected)) << text;
  }
}

TEST(BadInput, Geometry) {
  const auto of = [](const std::string& set) { return refusal({.body = "", .sets = "--set " + set}); };
  const std::string place = "tbc2011 with --set";
  EXPECT_EQ(of("l1d.line_bytes=48"), "--set: l1d.line_bytes = 48: must be a power of two in [16, 1024] bytes");
  EXPECT_EQ(of("core.warp_size=33"), "--set: core.warp_size = 33: must be a power of two in [1, 64] lanes");
  EXPECT_EQ(of("core.simd_width=64"),
            place + ": core.simd_width = 64: more lanes than a warp has (core.warp_size = 32)");
  EXPECT_EQ(
      of("l1d.line_bytes=128"),
      place + ": memory.l2.line_bytes 64 is smaller than a first-level cache's line of 128; make it at least as large");
  EXPECT_EQ(of("memory.l2.size_bytes=1000"),
            place + ": memory.l2.size_bytes = 1000: not a multiple of 64 ways of 64 bytes");
}

// Runs `ptx` with `launch` (block 64, buffers out and in by default); returns the only line that it says.
std::string refusal_of_files(const std::string& ptx, const std::string& launch, const std::string& from = "test.ptx") {
  const host::ScratchFolder folder;
  folder.write("test.ptx", ptx);
  folder.write("launch.yaml", launch);
  const host::CommandResult result =
      host::run_command(fmt::format("cd '{}' && timeout 60 '{}' run --machine gt200 --ptx {} -- launch.yaml </dev/zero",
                                    folder.path(""), WARPFOLD_PROGRAM, from));
  EXPECT_EQ(result.status, 2) << result.output;
  const std::string start = "warpfold: error: ";
  EXPECT_TRUE(result.output.starts_with(start)) << result.output;
  EXPECT_EQ(result.output.find('\n'), result.output.size() - 1) << result.output;
  return result.output.substr(start.size(), result.output.size() - start.size() - 1);
}

std::string ptx_refusal(const std::string& module) {
  return refusal_of_files(".version 7.0\n.target sm_70\n.address_size 64\n" + module, "grid: [1]\nblock: [1]\n");
}

TEST(BadInput, SizesBeyondWhatThereIs) {
  EXPECT_EQ(
      ptx_refusal(".entry k() { .shared .b8 a[4294967360]; ret; }"),
      "kernel 'k': test.ptx:4: 'a' of 4294967360 bytes lies beyond the 16777216 bytes of .shared memory that there "
      "can be");
  EXPECT_EQ(ptx_refusal(".entry k() { .shared .b8 a[1048576]; ret; }"),
            "kernel 'k': a block needs 1048576 bytes of shared memory: a core has 16384");
  EXPECT_EQ(ptx_refusal(".entry k() { .shared .b8 a[16777216][1099511627776]; ret; }"),
            "test.ptx:4:26: array is too large, near 'a'");
  EXPECT_EQ(ptx_refusal(".entry k() .maxntid 65536, 65536 { ret; }"),
            "test.ptx:4:12: number is too large, near '.maxntid'");
}

TEST(BadInput, NoFiles) {
  const std::string launch = "grid: [1]\nblock: [1]\n";
  EXPECT_EQ(refusal_of_files("", launch, "/dev/zero"),
            "/dev/zero: cannot read this PTX file: it is a device, not a file");
  EXPECT_EQ(refusal_of_files("", launch, "."), ".: cannot read this PTX file: it is a directory");
  EXPECT_EQ(refusal_of_files("", launch, "/dev/stdin"),
            "/dev/stdin: cannot read this PTX file: it is a device, not a file");
  EXPECT_EQ(refusal_of_files("", launch), "test.ptx:1:1: a PTX file starts with .version, near 'end of file'");
}

// Numbers of a launch file that no buffer and no comparison can have.
TEST(BadInput, LaunchFiles) {
  const auto said = [](const std::string& from, const std::string& to) {
    std::string launch =
        "grid: [1]\nblock: [64]\nbuffers:\n  out: {type: f32, count: 64}\n  in: {type: u32, count: 64, first: 0}\n"
        "arguments: [out, in]\nchecks:\n  out: {equals: 0, tolerance: 0.5}\n";
    launch.replace(launch.find(from), from.size(), to);
    return refusal_of_files(ptx_kernel(""), launch);
  };
  const struct {
    const char *from, *to, *error;
  } cases[] = {
      {"tolerance: 0.5", "tolerance: -1", "launch.yaml:8:20: checks.out.tolerance = -1: must be at least 0"},
      {"tolerance: 0.5", "tolerance: nan", "launch.yaml:8:20: checks.out.tolerance = nan: 'nan' is no finite number"},
      {"tolerance: 0.5", "tolerance: inf", "launch.yaml:8:20: checks.out.tolerance = inf: 'inf' is no finite number"},
      {"type: f32", "type: u32", "launch.yaml:8:20: checks.out.tolerance = 0.5: integers are compared bit by bit"},
      {"equals: 0,", "equals: 0, values: [0],",
       "launch.yaml:8:20: checks.out.values = (nothing): excludes equals, which is given too"},
      {"first: 0", "first: 0, step: nan", "launch.yaml:5:40: buffers.in.step = nan: 'nan' is no finite number"},
      {"first: 0", "first: 0.5", "launch.yaml:5:30: buffers.in.first = 0.5: element 0 would be 0.5, no exact integer"},
      {"type: u32, count: 64, first: 0", "type: u64, count: 64, first: 9007199254740990",
       "launch.yaml:5:30: buffers.in.first = 9007199254740990: element 2 would be 9007199254740992, no exact integer"},
      {"first: 0", "random: [nan, 1]", "launch.yaml:5:30: buffers.in.random = (nothing): 'nan' is no finite number"},
      {"first: 0", "values: [1]", "launch.yaml:5:19: buffers.in.count = 64: excludes values, which is given too"},
      {"count: 64, first", "count: 4611686018427387904, first",
       "launch.yaml:5:19: buffers.in.count = 4611686018427387904: must be a whole number in [1, 4611686018427387903]"},
      {"[64]", "[65535, 65535]",
       "launch.yaml:2:1: block = (nothing): 4294836225 threads: more than any machine has for "
       "a block"},
      {"[64]", "[65536]", "launch.yaml:2:1: block = (nothing): 65536 is more than the 65535 that there can be"},
      {"grid: [1]", "grid: [1, 65536]",
       "launch.yaml:1:1: grid = (nothing): 65536 is more than the 65535 that there can be"},
      {"[out, in]", "[out, 's32 ']",
       "launch.yaml:6:1: arguments = (nothing): 's32 ' is not a type (u8 … f64, hex) and a value of it"},
  };
  for (const auto& expected : cases) EXPECT_EQ(said(expected.from, expected.to), expected.error) << expected.to;
}

// Reads all of both files, as another tool would.
void expect_whole_results(const std::string& directory) {
  std::ifstream json_file(directory + "/stats.json"), csv_file(directory + "/stats.csv");
  const nlohmann::json json = nlohmann::json::parse(json_file);
  EXPECT_GT(json.at("total").at("cycles"), 0);
  std::string line;
  ASSERT_TRUE(std::getline(csv_file, line));
  EXPECT_EQ(line, "object,stat,value,unit");
  std::string last_object;
  while (std::getline(csv_file, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 3) << line;
    last_object = line.substr(0, line.find(','));
  }
  EXPECT_EQ(last_object, "core29") << "the last object";
  EXPECT_FALSE(csv_file.bad());
}

pid_t start(const std::string& program, const std::string& run_file) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setenv(kRunVariable, run_file.c_str(), 1);
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::_Exit(126);
  ::execl(program.c_str(), program.c_str(), "--size", "large", nullptr);
  std::_Exit(127);
}

TEST(BadInput, AKilledRunLeavesWholeFiles) {
  using namespace std::chrono_literals;
  const host::ScratchFolder folder;
  RunOptions options = RunOptions::resolve("tbc2011", "pdom", {});
  for (const auto delay : {0ms, 37ms, 190ms}) {
    options.out = folder.path(fmt::format("out{}", delay.count()));
    const pid_t child = start(std::string(WARPFOLD_WORKLOADS) + "/bfs", folder.write("run.yaml", options.run_file()));
    ASSERT_GT(child, 0);
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (!std::filesystem::exists(options.out + "/stats.csv") && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(delay);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it was to be killed while it ran";
    expect_whole_results(options.out);
  }
}

}  // namespace bad_input_test
}  // namespace warpfold
