// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warpfold/isa/check/findings.h"

namespace warpfold::isa {
namespace findings_test {

Finding found(FindingKind kind, const std::string& source, const std::string& ptx = "k.ptx:41: ld.global.f32") {
  Finding finding;
  finding.kind = kind;
  finding.kernel = "scale(float*)";
  finding.source = source;
  finding.ptx = ptx;
  finding.thread = "thread (1,0,0) of block (0,0,0)";
  finding.act = "reads 4 bytes at 0x700000190";
  finding.memory = "outside every allocation; there is none";
  return finding;
}

TEST(Findings, AreFoldedByKindKernelAndLine) {
  Findings findings;
  const std::size_t first = findings.add(found(FindingKind::kOutOfBounds, "k.cu:7"));
  EXPECT_EQ(findings.add(found(FindingKind::kOutOfBounds, "k.cu:7", "k.ptx:50: st.global.f32")), first);
  findings.again(first);
  findings.add(found(FindingKind::kMisaligned, "k.cu:7"));
  findings.add(found(FindingKind::kOutOfBounds, "", "k.ptx:50: st.global.f32"));
  EXPECT_EQ(findings.all().size(), 3U);
  EXPECT_EQ(findings.errors(), 5U);
  EXPECT_EQ(findings.news(),
            "warpfold: error: out of bounds\n"
            "    in scale(float*) at k.cu:7 (k.ptx:41: ld.global.f32)\n"
            "    thread (1,0,0) of block (0,0,0) reads 4 bytes at 0x700000190, and 2 more like it\n"
            "    outside every allocation; there is none\n"
            "warpfold: error: misaligned\n"
            "    in scale(float*) at k.cu:7 (k.ptx:41: ld.global.f32)\n"
            "    thread (1,0,0) of block (0,0,0) reads 4 bytes at 0x700000190\n"
            "    outside every allocation; there is none\n"
            "warpfold: error: out of bounds\n"
            "    in scale(float*) at k.ptx:50: st.global.f32\n"
            "    thread (1,0,0) of block (0,0,0) reads 4 bytes at 0x700000190\n"
            "    outside every allocation; there is none\n");
  EXPECT_EQ(findings.news(), "") << "told once";
  EXPECT_EQ(findings.summary(), "warpfold: 5 errors in 3 places\n");
}

TEST(Findings, StrayReadsAndHarmlessRacesAreNoErrors) {
  Findings findings;
  EXPECT_EQ(findings.summary(), "warpfold: 0 errors\n");
  findings.add(found(FindingKind::kStrayRead, "k.cu:7"));
  EXPECT_EQ(findings.errors(), 0U);
  EXPECT_EQ(findings.stray_reads(), 1U);
  EXPECT_TRUE(findings.news().starts_with("warpfold: note: stray read, returned zero\n"));
  EXPECT_EQ(findings.summary(), "warpfold: 0 errors, 1 stray read returned zero\n");
  for (unsigned k = 0; k < 2; ++k) findings.add(found(FindingKind::kHarmlessRace, "k.cu:7"));
  EXPECT_EQ(findings.errors(), 0U);
  EXPECT_TRUE(findings.news().starts_with("warpfold: note: race that changes nothing\n"));
  EXPECT_EQ(findings.summary(), "warpfold: 0 errors, 1 stray read returned zero, 2 races that change nothing\n");
}

TEST(Findings, AreBoundedInTextAndWholeInJson) {
  Findings findings;
  for (unsigned line = 0; line < 150; ++line) {
    findings.add(found(FindingKind::kOutOfBounds, fmt::format("k.cu:{}", line)));
  }
  const std::string news = findings.news();
  EXPECT_NE(news.find("k.cu:99 "), std::string::npos);
  EXPECT_EQ(news.find("k.cu:100 "), std::string::npos);
  EXPECT_TRUE(news.ends_with("warpfold: further places are in run.json only\n"));
  const nlohmann::json json = nlohmann::json::parse(findings.json());
  ASSERT_EQ(json.size(), 150U);
  EXPECT_EQ(json.at(149).at("source"), "k.cu:149");
  EXPECT_EQ(json.at(149).at("kind"), "out of bounds");
  EXPECT_EQ(json.at(149).at("count"), 1);
}

TEST(Findings, AFaultIsItsText) {
  Findings findings;
  Finding fault;
  fault.kind = FindingKind::kFault;
  fault.act = "kernel 'k': it traps";
  findings.add(fault);
  fault.act = "kernel 'j': it traps";
  findings.add(fault);
  EXPECT_EQ(findings.news(),
            "warpfold: error: fault\n    kernel 'k': it traps\nwarpfold: error: fault\n    kernel 'j': it traps\n");
}

}  // namespace findings_test
}  // namespace warpfold::isa
