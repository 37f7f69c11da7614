// SPDX-License-Identifier: Apache-2.0
// What the lock-step benches share: each steps a block and its C++ twin clock by clock and compares all outputs.
#pragma once

#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>

#include "tb/cosim/blocks.h"
#include "tb/cosim/record/verilator_coverage.h"
#include "tests/cosim/rtl_fixture.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::cosim {

// A side of a handshake: ready, or valid, with a probability that changes every now and then between always and hardly.
class Pressure {
 public:
  bool operator()(std::mt19937_64& random) {
    if (left_-- == 0) {
      left_ = static_cast<unsigned>(random() % 64);
      constexpr unsigned kOfEight[] = {8, 8, 7, 4, 1};
      of_eight_ = kOfEight[random() % std::size(kOfEight)];
    }
    return random() % 8 < of_eight_;
  }

 private:
  unsigned left_ = 0, of_eight_ = 8;
};

// Bits that are set with one of several probabilities.
inline std::uint64_t sparse_or_dense(std::mt19937_64& random, unsigned kind) {
  switch (kind % 6) {
    case 0:
      return random() & random() & random() & random();
    case 1:
      return random() & random();
    case 2:
      return random();
    case 3:
      return random() | random();
    case 4:
      return random() | random() | random() | random();
    default:
      return ~std::uint64_t{0};
  }
}

inline std::uint64_t low_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// The RTL of a bench, and what happens when it differs.
class Bench {
 public:
  std::uint64_t masks = 0;  // operations that it took
  RtlModel& model() { return model_; }

 protected:
  Bench(const RtlSource& source, std::string fst_file) : model_(source, source.block, 1) {
    model_.keep_journal(std::move(fst_file));
  }
  ~Bench() = default;

  Pin pin(const char* name) const { return model_.pin(name); }
  // What the RTL works on, with its inputs.
  virtual std::string operation() const = 0;
  void same(const char* name, const Pin& got, std::uint64_t expected) {
    if (got.get() == expected) return;
    mismatch(model_, operation(), fmt::format("{} 0x{:x}", name, expected), got.text());
  }
  // Of ports of any width; `expected` is as wide.
  void same_bits(const char* name, const Pin& got, const Pin& expected) {
    if (std::memcmp(got.data(), expected.data(), got.bytes()) == 0) return;
    mismatch(model_, operation(), fmt::format("{} {}", name, expected.text()), got.text());
  }

  RtlModel model_;
};

inline std::string text_of(const std::vector<isa::LaneMask>& rows) {
  std::string text;
  for (const isa::LaneMask row : rows) text += fmt::format(" 0x{:x}", row);
  return text;
}

class LockStepTest : public RtlTest {
 protected:
  // The block without the guard that its source marks with "// seeded-bug: <what stands there instead>".
  std::string without_guard(const std::string& top) const {
    const std::string text = *read_text(WARPFOLD_TEST_RTL "/" + top + ".sv");
    const std::regex mark("\n( *)[^\n]*// seeded-bug: ([^\n]*)");
    EXPECT_TRUE(std::regex_search(text, mark)) << top << ".sv marks no guard";
    return write(top + ".sv", std::regex_replace(text, mark, "\n$1$2"));
  }

  // A wrong block ends the run with all that its author needs, and a waveform.
  static void expect_caught(const std::string& said, const std::string& block, const std::string& operation) {
    expect_waveform(said, block + ": the RTL differs from its C\\+\\+ twin at clock \\d+: " + operation +
                              ".*: expected .*0x[0-9a-f]+, got 0x[0-9a-f]+; inputs: .*_i=0x.*");
  }
  static void expect_waveform(const std::string& said, const std::string& text) {
    std::smatch found;
    ASSERT_TRUE(std::regex_match(said, found, std::regex(text + "; waveform: (.*)"))) << said;
    EXPECT_GT(std::filesystem::file_size(found[1].str()), 0U);
  }

  static void report(std::uint64_t masks, const RtlModel& model) { report(masks, model.instance()); }
  static void report(std::uint64_t masks, const std::string& block) {
    std::cout << block << ": " << masks << " masks, " << std::clock() / (CLOCKS_PER_SEC / 1000) << " ms\n";
  }

  // What `run` covers of a bench's block.
  template <class Run>
  void expect_coverage(Bench& bench, double least_lines, double least_toggles, const Run& run) {
    const std::string before = directory / "before.dat", after = directory / "after.dat";
    bench.model().write_coverage(before);
    EXPECT_EQ(complaint(run), "");
    bench.model().write_coverage(after);
    expect_coverage(before, after, least_lines, least_toggles);
  }
  // In percent, to standard output and into the test's report; fails below the floors. Bits that only their random
  // start has toggled are not covered.
  static void expect_coverage(const std::string& before, const std::string& after, double least_lines,
                              double least_toggles) {
    for (const auto& [kind, least] : {std::pair{"line", least_lines}, std::pair{"toggle", least_toggles}}) {
      auto counts = coverage_counts(after, kind);
      if (std::string_view("toggle") == kind) {
        for (const auto& [point, count] : coverage_counts(before, kind)) counts[point] -= count;
      }
      const auto hit = std::count_if(counts.begin(), counts.end(), [](const auto& point) { return point.second > 0; });
      const double percent = 100.0 * static_cast<double>(hit) / static_cast<double>(counts.size());
      std::cout << fmt::format("{} coverage: {:.1f} % of {} points\n", kind, percent, counts.size());
      for (const auto& [point, count] : counts) {
        if (count == 0) std::cout << "  missed: " << point << "\n";
      }
      RecordProperty(std::string(kind) + "_coverage_percent", fmt::format("{:.1f}", percent));
      EXPECT_GT(counts.size(), 0U);
      EXPECT_GE(percent, least) << kind;
    }
  }
};

}  // namespace warpfold::cosim
