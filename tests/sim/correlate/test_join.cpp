// SPDX-License-Identifier: Apache-2.0
// Measured rows beside launches: names, orders, numbers, and what does not fit.
#include <gtest/gtest.h>

#include <cmath>

#include "tb/sim/correlate/join.h"
#include "tb/sim/correlate/kernel_names.h"

namespace warpfold::sim {
namespace join_test {

using Lines = std::vector<std::string>;

TEST(KernelNames, AreBroughtToOneForm) {
  for (const char* const name : {"_Z4wildPi", "wild(int*)", "wild(int *)", "void wild(int*) [117]", "wild",
                                 "(anonymous namespace)::wild(int*)", "<unnamed>::wild(int*)"}) {
    EXPECT_EQ(qualified_kernel(name), "wild") << name;
  }
  EXPECT_EQ(qualified_kernel("void ns::copy<int, (int)4>(int const*)"), "ns::copy<int,4>");
  EXPECT_EQ(qualified_kernel("_ZN2ns4copyIiLi4EEEvPKi"), "ns::copy<int,4>");
  EXPECT_EQ(base_kernel("ns::copy<a::b<int>,4>"), "copy");
  EXPECT_EQ(base_kernel("ns<int>::copy"), "copy");
}

RanProgram program(const std::string& name, std::vector<std::pair<std::string, std::vector<double>>> kernels) {
  RanProgram made{name, "", {"launch", "cycles", "dram_read_bytes", "ipc"}, {}};
  for (const auto& [kernel, cycles] : kernels) {
    RanKernel& one = made.kernels.emplace_back(RanKernel{kernel, {}});
    for (const double value : cycles) one.launches.push_back({0, value, 32 * value, std::nan("")});
  }
  return made;
}

MeasuredTable table(std::vector<MeasuredRow> rows) { return {"m.csv", "table", false, std::move(rows), {}}; }

Lines told(const Correlation& of) {
  Lines all;
  for (const Compared& one : of.figures) {
    all.push_back(
        fmt::format("{} {}/{} {}: {} {}", one.line, one.program, one.kernel, one.counter, one.ours, one.measured));
  }
  for (const NotCompared& one : of.left) {
    all.push_back(fmt::format("{} {}: {}{}", one.line, one.what, one.why, one.mismatch ? "" : " (no mismatch)"));
  }
  return all;
}

TEST(Join, ByNameAndByNumber) {
  const auto rows = table({{2, "", "expand(int*)", 2, {}, {{"cycles", 100}, {"dram_read_sectors", 19}}},
                           {3, "", "expand(int*)", 1, {}, {{"cycles", 80}}},
                           {4, "", "settle", {}, {}, {{"cycles", 7}}}});
  EXPECT_EQ(told(join(rows, {program("bfs", {{"ns::expand", {10, 20}}, {"settle", {1, 2, 6}}})})),
            (Lines{"2 bfs/ns::expand cycles: 20 100", "2 bfs/ns::expand dram_read_sectors: 20 19",
                   "3 bfs/ns::expand cycles: 10 80", "4 bfs/settle cycles: 3 7"}));
}

TEST(Join, WhatDoesNotFitIsToldByItsRow) {
  RanProgram bad = program("bad", {});
  bad.trouble = "exit status 3";
  const auto rows = table({{2, "", "settle", 3, {}, {{"cycles", 1}}},
                           {3, "", "settle", {}, 5, {{"cycles", 1}}},
                           {4, "bfs", "gone", {}, {}, {{"cycles", 1}}},
                           {5, "kmeans", "k", {}, {}, {{"cycles", 1}}},
                           {6, "bad", "k", {}, {}, {{"cycles", 1}}},
                           {7, "", "gone", {}, {}, {{"cycles", 1}}},
                           {8, "", "settle", 1, {}, {{"cycles", 0}, {"ipc", 1}, {"l1i_hits", 1}}}});
  EXPECT_EQ(told(join(rows, {program("bfs", {{"settle", {1, 2}}, {"expand", {1}}}), bad})),
            (Lines{"2 kernel 'settle': launch 3; launches here: 2",
                   "3 kernel 'settle': a mean of 5 launches; launches here: 2",
                   "4 kernel 'gone': never ran; these did: settle, expand",
                   "5 kernel 'k': its program kmeans was not run (no mismatch)",
                   "6 kernel 'k': bad has failed: exit status 3", "7 kernel 'gone': bad has failed: exit status 3",
                   "8 cycles of kernel 'settle': 0 was measured, and nothing is a multiple of that (no mismatch)",
                   "8 ipc of kernel 'settle': it does not exist in every launch (no mismatch)",
                   "8 l1i_hits of kernel 'settle': this machine does not count l1i_hits (no mismatch)",
                   "8 kernel 'settle': 1 of its 2 launches here are in no row (no mismatch)"}));
}

TEST(Join, OneOfSeveralMustBeNamed) {
  const std::vector<RanProgram> ran{program("a", {{"copy<int>", {1}}, {"copy<float>", {2}}}),
                                    program("b", {{"run", {3}}}), program("c", {{"run", {4}}})};
  EXPECT_EQ(told(join(table({{2, "", "copy", {}, {}, {{"cycles", 1}}},
                             {3, "", "void copy<float>(int*)", {}, {}, {{"cycles", 1}}},
                             {4, "", "run", {}, {}, {{"cycles", 1}}},
                             {5, "c", "run", {}, {}, {{"cycles", 1}}}}),
                      ran)),
            (Lines{"3 a/copy<float> cycles: 2 1", "5 c/run cycles: 4 1",
                   "2 kernel 'copy': is one of several: copy<int> of a, copy<float> of a: say which by its template "
                   "arguments or a column program",
                   "4 kernel 'run': is one of several: run of b, run of c: say which by its template arguments or a "
                   "column program"}));
}

TEST(Join, AbbreviatedNamesArePartsOfThoseInPrograms) {
  MeasuredTable rows = table({{2, "backprop", "layerforward", {}, {}, {{"cycles", 1}}}});
  const std::vector<RanProgram> ran{program("backprop", {{"bpnn_layerforward_CUDA", {5}}})};
  EXPECT_EQ(told(join(rows, ran)), Lines{"2 kernel 'layerforward': never ran; these did: bpnn_layerforward_CUDA"});
  rows.abbreviated = true;
  EXPECT_EQ(told(join(rows, ran)), Lines{"2 backprop/bpnn_layerforward_CUDA cycles: 5 1"});
}

}  // namespace join_test
}  // namespace warpfold::sim
