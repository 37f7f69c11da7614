// SPDX-License-Identifier: Apache-2.0
// The format of mask traces: what is read, what is refused and where, and that what is written is read.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/divergence/packing/mask_trace.h"

namespace warpfold::divergence {
namespace mask_trace_test {

namespace fs = std::filesystem;
using Read = std::vector<std::pair<std::string, MaskRecord>>;

class MaskTrace : public testing::Test {
 protected:
  MaskTrace() : folder_(fs::path(testing::TempDir()) / fmt::format("warpfold_masks_{}", getpid())) {
    fs::create_directories(folder_);
  }
  ~MaskTrace() override { fs::remove_all(folder_); }

  std::string file(const std::string& text) const {
    std::ofstream(folder_ / "t.masks") << text;
    return folder_ / "t.masks";
  }
  static Read read(const std::string& path) {
    Read all;
    read_mask_trace(path, [&](const std::string& kernel, const MaskRecord& record) {
      all.emplace_back(kernel, record);
      return std::string();
    });
    return all;
  }
  // What the reader says of the text, without the folder.
  std::string refusal(const std::string& text) const {
    try {
      read(file(text));
    } catch (const UserError& error) {
      const std::string what = error.what();
      return what.substr(std::min(what.size(), folder_.string().size() + 1));
    }
    return "accepted";
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  const fs::path folder_;
};

constexpr const char* kHeader = "warpfold-masks 1 width=16 lanes=4\n";

TEST_F(MaskTrace, ReadsRecordsAndWhatTheyLeaveOut) {
  const std::string text = std::string(kHeader) +
                           "# of another tool\n\nffff\n0x00FF 12\n  f0f0\t3  bits=64\r\nkernel  ns::k(int, float*)\n"
                           "0 7 width=8 bits=16\n1 2 lanes=16 bits=64\naaaa width=32 lanes=8";
  EXPECT_EQ(read(file(text)), (Read{{"", {{0xffff, 16, 4}, 32, 1}},
                                    {"", {{0x00ff, 16, 4}, 32, 12}},
                                    {"", {{0xf0f0, 16, 2}, 64, 3}},
                                    {"ns::k(int, float*)", {{0, 8, 8}, 16, 7}},
                                    {"ns::k(int, float*)", {{1, 16, 16}, 64, 2}},
                                    {"ns::k(int, float*)", {{0xaaaa, 32, 8}, 32, 1}}}));
  EXPECT_TRUE(read(file("warpfold-masks 1 lanes=4 width=16")).empty());
}

// §4.1: half as many of 64 bits, twice as many of 16; at least one.
TEST_F(MaskTrace, TypesRegroupLanes) {
  const MaskTraceShape four{16, 4}, one{16, 1}, all{64, 64};
  EXPECT_EQ(four.lanes_of(64), 2U);
  EXPECT_EQ(four.lanes_of(16), 8U);
  EXPECT_EQ(four.lanes_of(8), 16U);
  EXPECT_EQ(one.lanes_of(64), 1U);
  EXPECT_EQ(all.lanes_of(8), 64U);
}

TEST_F(MaskTrace, RefusesWithFileAndLine) {
  const std::string h = kHeader, no_trace =
                                     "t.masks:1: no mask trace: it must begin with 'warpfold-masks 1 width=LANES "
                                     "lanes=LANES'";
  EXPECT_EQ(refusal(""), no_trace);
  EXPECT_EQ(refusal("mask,count\n"), no_trace);
  EXPECT_EQ(refusal(std::string(5000, 'x')), no_trace);
  EXPECT_EQ(refusal("warpfold-masks 2 width=16 lanes=4\n"), "t.masks:1: version '2': this program reads version 1");
  EXPECT_EQ(refusal("warpfold-masks 1 width=16\nffff\n"), "t.masks:1: lanes is missing: width=LANES lanes=LANES");
  EXPECT_EQ(refusal("warpfold-masks 1 lanes=4\n"), "t.masks:1: width is missing: width=LANES lanes=LANES");
  EXPECT_EQ(refusal("warpfold-masks 1 width=65 lanes=4\n"), "t.masks:1: width=65: must be in [1, 64] lanes");
  EXPECT_EQ(refusal("warpfold-masks 1 width=16 lanes=0\n"), "t.masks:1: lanes=0: must be in [1, 64] lanes");
  EXPECT_EQ(refusal("warpfold-masks 1 width=16 lane=4\n"), "t.masks:1: lane=4: none of width=, lanes=");
  EXPECT_EQ(refusal(h + "ffff 1\n1ffff 1\n"), "t.masks:3: 1ffff: the mask has lanes beyond the 16 of the instruction");
  EXPECT_EQ(refusal(h + "ff 1 width=4\n"), "t.masks:2: ff: the mask has lanes beyond the 4 of the instruction");
  const std::string no_mask = "': neither a mask of up to 16 hexadecimal digits nor 'kernel NAME'";
  EXPECT_EQ(refusal(h + "\n\nwarp 3\n"), "t.masks:4: 'warp" + no_mask);
  EXPECT_EQ(refusal(h + "0x 3\n"), "t.masks:2: '0x" + no_mask);
  EXPECT_EQ(refusal(h + "10000000000000000\n"), "t.masks:2: '10000000000000000" + no_mask);
  EXPECT_EQ(refusal(h + "-1\n"), "t.masks:2: '-1" + no_mask);
  for (const std::string count : {"0", "-3", "2.5", "18446744073709551616"}) {
    EXPECT_EQ(refusal(h + "ffff " + count + "\n"),
              "t.masks:2: " + count + ": the number of instructions must be in [1, 2^64)");
  }
  EXPECT_EQ(refusal(h + "ffff 1 bits=24\n"), "t.masks:2: bits=24: must be 8, 16, 32 or 64 bits");
  EXPECT_EQ(refusal(h + "ffff 1 bits=\n"), "t.masks:2: bits=: must be 8, 16, 32 or 64 bits");
  EXPECT_EQ(refusal(h + "ffff 1 lanes\n"), "t.masks:2: lanes: must be in [1, 64] lanes");
  EXPECT_EQ(refusal(h + "ffff 1 2\n"), "t.masks:2: 2: none of bits=, width=, lanes=");
  EXPECT_EQ(refusal(h + "kernel \n"), "t.masks:2: kernel: its name is missing");
  EXPECT_EQ(refusal(h + "ffff\n" + std::string(5000, '#') + "\n"), "t.masks:3: a line of more than 4096 characters");
  EXPECT_THROW(read(folder_ / "none"), UserError);
  EXPECT_THROW(read(folder_), UserError);
}

TEST_F(MaskTrace, WhatATakerRefusesHasItsLine) {
  const std::string path = file(std::string(kHeader) + "# one\nffff 2\n");
  try {
    read_mask_trace(path, [](const std::string&, const MaskRecord&) { return "too many"; });
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), path + ":3: too many");
  }
}

TEST_F(MaskTrace, WritesWhatItReads) {
  const std::string path = folder_ / "w.masks";
  MaskTraceWriter writer(path, {16, 4});
  writer.kernel_started("b");
  for (unsigned n = 0; n < 3; ++n) writer.add({0x00ff, 16, 4}, 32);
  writer.add({0x00ff, 16, 2}, 64);
  writer.add({0x00ff, 16, 4}, 64);
  writer.kernel_started("a");
  writer.add({0xf, 8, 4}, 32);
  writer.kernel_started("b");
  writer.add({0x00ff, 16, 4}, 32);
  EXPECT_FALSE(fs::exists(path)) << "not whole yet";
  writer.close();
  writer.close();
  EXPECT_FALSE(fs::exists(path + ".part"));
  EXPECT_EQ(text_of(path), std::string(kHeader) +
                               "kernel b\n00ff 4\n00ff 1 bits=64\n00ff 1 bits=64 lanes=4\n"
                               "kernel a\n000f 1 width=8\n");
  EXPECT_EQ(read(path), (Read{{"b", {{0x00ff, 16, 4}, 32, 4}},
                              {"b", {{0x00ff, 16, 2}, 64, 1}},
                              {"b", {{0x00ff, 16, 4}, 64, 1}},
                              {"a", {{0xf, 8, 4}, 32, 1}}}));
}

// What is counted stays bounded; a mask may come in several records then.
TEST_F(MaskTrace, ManyMasksGoToTheFileOnTheWay) {
  const std::string path = folder_ / "w.masks";
  MaskTraceWriter writer(path, {32, 8}, 4);
  writer.kernel_started("k");
  for (unsigned n = 0; n < 1000; ++n) writer.add({n % 7, 32, 8}, 32);
  EXPECT_GT(fs::file_size(path + ".part"), 1000U);
  writer.close();
  std::map<isa::LaneMask, std::uint64_t> counts;
  for (const auto& [kernel, record] : read(path)) counts[record.lanes.mask] += record.count;
  EXPECT_EQ(counts, (std::map<isa::LaneMask, std::uint64_t>{
                        {0, 143}, {1, 143}, {2, 143}, {3, 143}, {4, 143}, {5, 143}, {6, 142}}));
}

TEST_F(MaskTrace, FilesThatCannotBeWritten) {
  EXPECT_THROW(MaskTraceWriter(folder_ / "none/w.masks", {16, 4}), WriteError);
  MaskTraceWriter full("/dev/full", {16, 4});
  full.kernel_started("k");
  full.add({1, 16, 4}, 32);
  EXPECT_THROW(full.close(), WriteError);
}

TEST_F(MaskTrace, WhatIsNotWholeIsNotLeft) {
  const std::string path = folder_ / "w.masks";
  { const MaskTraceWriter abandoned(path, {16, 4}); }
  EXPECT_FALSE(fs::exists(path + ".part"));
  MaskTraceWriter nameless(path, {16, 4});
  fs::create_directories(path + "/in the way");
  EXPECT_THROW(nameless.close(), WriteError);
  EXPECT_FALSE(fs::exists(path + ".part"));
}

// On a disk that is full after a few bytes, which the limit of a file's size stands for.
TEST_F(MaskTrace, AFullDiskLeavesNothing) {
  const std::string path = folder_ / "w.masks";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small{10, 10};
    setrlimit(RLIMIT_FSIZE, &small);
    MaskTraceWriter writer(path, {16, 4});
    try {
      writer.close();
    } catch (const WriteError&) {
      _exit(fs::exists(path + ".part") ? 1 : 0);  // before any destructor
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace mask_trace_test
}  // namespace warpfold::divergence
