// SPDX-License-Identifier: Apache-2.0
// Measured tables: ours, and what profilers write; units, numbers, and rows that cannot be taken.
#include <gtest/gtest.h>

#include "tb/sim/correlate/measured.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace measured_test {

class Measured : public testing::Test {
 protected:
  static MeasuredTable read(const std::string& text, std::optional<double> clock_mhz = std::nullopt) {
    return measured_in(text, "m.csv", clock_mhz);
  }
  static std::string complaint(const std::string& text, std::optional<double> clock_mhz = std::nullopt) {
    try {
      read(text, clock_mhz);
    } catch (const UserError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with("m.csv")) << what;
      return what.substr(5);
    }
    return "none";
  }
  // "3 expand#2: cycles=10 instructions=7", the line, the kernel and its launch, or how many a mean is of.
  static std::vector<std::string> told(const MeasuredTable& table) {
    std::vector<std::string> all;
    for (const MeasuredRow& row : table.rows) {
      std::string text = std::to_string(row.line) + " " + (row.program.empty() ? "" : row.program + "/") + row.kernel;
      if (row.launch) text += "#" + std::to_string(*row.launch);
      if (row.launches) text += " of " + std::to_string(*row.launches);
      text += ":";
      for (const auto& [counter, value] : row.figures) text += fmt::format(" {}={}", counter, value);
      all.push_back(text);
    }
    return all;
  }
  static std::vector<std::string> left(const MeasuredTable& table) {
    std::vector<std::string> all;
    for (const NotCompared& one : table.left) {
      all.push_back(fmt::format("{} {}: {}{}", one.line, one.what, one.why, one.mismatch ? "" : " (no mismatch)"));
    }
    return all;
  }
  using Lines = std::vector<std::string>;
};

TEST_F(Measured, OurOwnTable) {
  const MeasuredTable table = read(
      "program,kernel,launch,launches,cycles,dram_read_sectors,l1d_hits,weather\n"
      "bfs,\"copy<int, 4>\",2,,\"1,234.5\",,7,fair\n"
      "bfs,settle,mean,8,1e3,64,,foul\n");
  EXPECT_EQ(told(table), (Lines{"2 bfs/copy<int, 4>#2: cycles=1234.5 l1d_hits=7",
                                "3 bfs/settle of 8: cycles=1000 dram_read_sectors=64"}));
  EXPECT_EQ(left(table), Lines{"1 weather: nothing that the model counts (no mismatch)"});
}

TEST_F(Measured, RowsThatAreNoFiguresAreLeftOut) {
  const MeasuredTable table = read("kernel,cycles\na,n/a\nb,-5\nc,\"1,2\"\nd,nan\ne,5\ne,6\n");
  EXPECT_EQ(told(table), (Lines{"2 a:", "3 b:", "4 c:", "5 d:", "6 e: cycles=5"}));
  EXPECT_EQ(left(table), (Lines{"2 cycles of kernel 'a': 'n/a' is no count", "3 cycles of kernel 'b': '-5' is no count",
                                "4 cycles of kernel 'c': '1,2' is no count",
                                "5 cycles of kernel 'd': 'nan' is no count", "7 kernel 'e': line 6 has it"}));
}

TEST_F(Measured, NumbersMayHaveThousandsSeparators) {
  for (const auto& [text, value] : {std::pair{"1,234", 1234.0}, {"12,345,678.5", 12345678.5}, {"7", 7}, {"1e3", 1e3}}) {
    EXPECT_EQ(read(fmt::format("kernel,cycles\na,\"{}\"\n", text)).rows[0].figures.at(0).second, value) << text;
  }
  for (const char* const text : {"1,23", "1234,567", ",123", "1,234,", "1.234,5", "0x10", "inf", "5 ", "1e999", "-1"}) {
    EXPECT_TRUE(read(fmt::format("kernel,cycles\na,\"{}\"\n", text)).rows[0].figures.empty()) << text;
  }
}

TEST_F(Measured, LongCellsAreCells) {
  const std::string digits(1 << 20, '1'), name(1 << 20, 'x');
  EXPECT_EQ(left(read("kernel,cycles\n" + name + "," + digits + "\n")).size(), 1U);
}

TEST_F(Measured, WhatIsNoTableIsRefusedWithItsPlace) {
  EXPECT_EQ(complaint("a,b\n1,2\n"),
            ": no header that is known: a column kernel, or what ncu --csv and nvprof --csv write (docs/correlate.md)");
  EXPECT_EQ(complaint("kernel,cycles\n"), ":1: nothing behind this header");
  EXPECT_EQ(complaint("kernel,cycles,cycles\na,1,2\n"), ":1: two columns 'cycles'");
  EXPECT_EQ(complaint("kernel,cycles\na\n"), ":2: 1 cells, where the header names 2 columns");
  EXPECT_EQ(complaint("kernel,launch,cycles\na,0,5\n"), ":2: launch '0': must be a whole number from 1 on");
  EXPECT_EQ(complaint("kernel,launch,cycles\na,first,5\n"), ":2: launch 'first': must be a whole number from 1 on");
  EXPECT_EQ(complaint("kernel,cycles\n,5\n"), ":2: this row names no kernel");
}

constexpr const char* kRaw =
    "==PROF== Connected to process 7 (/tmp/bfs)\n"
    "the program says \"this\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Context\",\"dram__bytes_read.sum\",\"launch__waves\","
    "\"sm__cycles_elapsed.max\",\"smsp__inst_executed.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"Kbyte\",\"\",\"cycle\",\"inst\"\n"
    "\"0\",\"7\",\"bfs\",\"expand(int, int *)\",\"1\",\"6.40\",\"2\",\"1,234\",\"99\"\n"
    "\"1\",\"7\",\"bfs\",\"settle(int)\",\"1\",\"0\",\"2\",\"20\",\"n/a\"\n"
    "\"2\",\"7\",\"bfs\",\"expand(int, int *)\",\"1\",\"3.2\",\"2\",\"1,500\",\"98\"\n";

TEST_F(Measured, NsightComputeRaw) {
  const MeasuredTable table = read(kRaw);
  EXPECT_EQ(table.source, "Nsight Compute");
  EXPECT_EQ(told(table), (Lines{"5 expand(int, int *)#1: dram_read_sectors=200 cycles=1234 instructions=99",
                                "6 settle(int)#1: dram_read_sectors=0 cycles=20",
                                "7 expand(int, int *)#2: dram_read_sectors=100 cycles=1500 instructions=98"}));
  EXPECT_EQ(left(table), (Lines{"6 instructions of kernel 'settle(int)': 'n/a' is no count",
                                "3 launch__waves: nothing that the model counts (no mismatch)"}));
}

TEST_F(Measured, NsightComputesUnitsMustBeOurs) {
  std::string text = kRaw;
  text.replace(text.find("\"cycle\""), 7, "\"nsecond\"");
  EXPECT_EQ(left(read(text)).front(),
            "5 sm__cycles_elapsed.max of kernel 'expand(int, int *)': its unit 'nsecond' is no number of cycles");
  text.erase(text.find("\"\",\"\""), text.find("\"0\",") - text.find("\"\",\"\""));
  EXPECT_EQ(complaint(text), ":4: the row of units is missing, which the profiler writes below the header");
}

TEST_F(Measured, NsightComputeNamesProgramsWhereThereAreSeveral) {
  std::string text = kRaw;
  text += "\"0\",\"8\",\"/opt/matmul\",\"expand(int, int *)\",\"1\",\"3.2\",\"2\",\"1,500\",\"98\"\n";
  const Lines all = told(read(text));
  EXPECT_TRUE(all.front().starts_with("5 bfs/expand(int, int *)#1:")) << all.front();
  EXPECT_TRUE(all.back().starts_with("8 matmul/expand(int, int *)#1:")) << all.back();
}

TEST_F(Measured, NsightComputeDetails) {
  const MeasuredTable table = read(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\",\"Rule\"\n"
      "\"0\",\"7\",\"k(int)\",\"Speed Of Light\",\"Elapsed Cycles\",\"cycle\",\"5,000\",\"\"\n"
      "\"0\",\"7\",\"k(int)\",\"Speed Of Light\",\"Duration\",\"usecond\",\"4.1\",\"\"\n"
      "\"0\",\"7\",\"k(int)\",\"Speed Of Light\",\"\",\"\",\"\",\"some advice\"\n"
      "\"1\",\"7\",\"k(int)\",\"Speed Of Light\",\"Elapsed Cycles\",\"Kcycle\",\"5\",\"\"\n"
      "\"1\",\"7\",\"k(int)\",\"Instruction Statistics\",\"Executed Instructions\",\"inst\",\"640\",\"\"\n");
  EXPECT_EQ(told(table), (Lines{"2 k(int)#1: cycles=5000", "5 k(int)#2: instructions=640"}));
  EXPECT_EQ(left(table), (Lines{"5 Elapsed Cycles of kernel 'k(int)': its unit 'Kcycle' is no number of cycles",
                                "1 Duration: nothing that the model counts (no mismatch)"}));
}

TEST_F(Measured, NvprofMetrics) {
  const MeasuredTable table = read(
      "==7== NVPROF is profiling process 7\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
      "\"TITAN V (0)\",\"void k<int>(int*)\",3,\"inst_executed\",\"Instructions Executed\",\"9\",\"11\",\"10.0\"\n"
      "\"TITAN V (0)\",\"void k<int>(int*)\",3,\"dram_read_transactions\",\"Reads\",\"4\",\"4\",\"4\"\n"
      "\"TITAN V (0)\",\"void k<int>(int*)\",3,\"ipc\",\"IPC\",\"1\",\"1\",\"1\"\n");
  EXPECT_EQ(told(table), Lines{"3 void k<int>(int*) of 3: instructions=10 dram_read_sectors=4"});
  EXPECT_EQ(left(table), Lines{"2 ipc: nothing that the model counts (no mismatch)"});
}

constexpr const char* kTrace =
    "\"Start\",\"Duration\",\"Grid X\",\"Name\",\"Correlation_ID\"\n"
    "ms,us,,,\n"
    "1.0,5.0,,\"[CUDA memcpy HtoD]\",7\n"
    "1.1,2.5,64,\"k(int*) [117]\",8\n"
    "1.2,3.5,64,\"k(int*) [119]\",9\n";

TEST_F(Measured, NvprofTracesNeedAClock) {
  EXPECT_EQ(told(read(kTrace, 1000)), (Lines{"4 k(int*)#1: cycles=2500", "5 k(int*)#2: cycles=3500"}));
  EXPECT_EQ(complaint(kTrace), ":1: it has times, no cycles: give the clock of the measured GPU's cores, --clock MHZ");
  std::string text = kTrace;
  text.replace(text.find("ms,us"), 5, "ms,min");
  EXPECT_EQ(left(read(text, 1000)).front(), "4 Duration of kernel 'k(int*)': its unit 'min' is no time");
}

TEST_F(Measured, NvprofSummary) {
  const char* const text =
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,ms,,ms,us,us,\n"
      "\"GPU activities\",99.0,2.0,4,0.5,400,600,\"k(int*)\"\n"
      "\"GPU activities\",0.5,2.0,1,0.5,400,600,\"[CUDA memset]\"\n"
      "\"API calls\",0.5,2.0,1,0.5,400,600,\"cudaFree\"\n";
  EXPECT_EQ(told(read(text, 1000)), Lines{"3 k(int*) of 4: cycles=500000"});
}

TEST_F(Measured, PublishedTableOfTheGv100) {
  const MeasuredTable table = read(
      "program,kernel,l1_rh,l1_rm,l1_wh,l1_wm,cc_acc,shrd_acc,dram_rd,dram_wr,l2_rh,l2_rm,l2_wh,l2_wm,noc,num_"
      "idle_sms,elapsed_cycles\n"
      "backprop,layerforward,49152,143738,192432,4232,0,413696,147464,60097,29059,147460,196608,0,704512,8,23324."
      "775\n");
  EXPECT_TRUE(table.abbreviated);
  EXPECT_EQ(
      told(table),
      Lines{
          "2 backprop/layerforward: l1_read_hits=49152 l1_read_misses=143738 l1_write_hits=192432 "
          "l1_write_misses=4232 dram_read_sectors=147464 dram_write_sectors=60097 l2_read_hits=29059 "
          "l2_read_misses=147460 l2_write_hits=196608 l2_write_misses=0 core_busy_cycles=1679383.8 cycles=23324.775"});
  EXPECT_EQ(left(table), Lines{"1 cc_acc, noc, shrd_acc: nothing that the model counts (no mismatch)"});
}

}  // namespace measured_test
}  // namespace warpfold::sim
