// SPDX-License-Identifier: Apache-2.0
// What the lock-step benches share: each steps a block and its C++ twin clock by clock and compares all outputs.
#pragma once

#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>

#include "models/isa/kernel.h"
#include "tb/cosim/blocks.h"
#include "tests/cosim/rtl_fixture.h"

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

// Points of Verilator's coverage in a module, and those that nothing has hit.
struct Coverage {
  unsigned points = 0;
  std::vector<std::string> missed;  // "line 17 else", "toggle row_q[3]"
  double percent() const { return points == 0 ? 0 : 100.0 * (points - static_cast<double>(missed.size())) / points; }
};

// Of one kind, "line" or "toggle"; the instances of a module count together.
inline Coverage coverage_in(const std::string& file, const std::string& kind) {
  std::istringstream lines(read_text(file).value_or(""));
  std::map<std::string, std::uint64_t> counts;
  // C '<key> ^B <value> ^A …' count, with the keys f(ile) l(ine) page (kind and module) o (what).
  const auto value = [](const std::string& line, const std::string& key) -> std::string {
    const std::size_t at = line.find("\x01" + key + "\x02");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size() + 2;
    return line.substr(begin, line.find_first_of("\x01'", begin) - begin);
  };
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("C ") || !value(line, "page").starts_with("v_" + kind)) continue;
    const std::string point = kind + " " + value(line, "f").substr(value(line, "f").rfind('/') + 1) + ":" +
                              value(line, "l") + " " + value(line, "o");
    counts[point] += std::stoull(line.substr(line.rfind(' ')));
  }
  Coverage coverage;
  for (const auto& [point, count] : counts) {
    ++coverage.points;
    if (count == 0) coverage.missed.push_back(point);
  }
  return coverage;
}

// The RTL of a bench, and what happens when it differs.
class Bench {
 public:
  std::uint64_t masks = 0;  // operations that it took
  RtlModel& model() { return model_; }

 protected:
  Bench(RtlSource source, std::string fst_file) : model_(source, source.block, 1), fst_file_(std::move(fst_file)) {
    model_.keep_journal();
  }
  ~Bench() = default;

  Pin pin(const char* name) const { return model_.pin(name); }
  // What the RTL works on, with its inputs.
  virtual std::string operation() const = 0;
  void same(const char* name, const Pin& got, std::uint64_t expected) {
    if (got.get() == expected) return;
    mismatch(model_, operation(), fmt::format("{} 0x{:x}", name, expected), got.text(), fst_file_);
  }
  // Of ports of any width; `expected` is as wide.
  void same_bits(const char* name, const Pin& got, const Pin& expected) {
    if (std::memcmp(got.data(), expected.data(), got.bytes()) == 0) return;
    mismatch(model_, operation(), fmt::format("{} {}", name, expected.text()), got.text(), fst_file_);
  }

  RtlModel model_;

 private:
  std::string fst_file_;
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
  void expect_caught(const std::string& said, const std::string& block, const std::string& operation) const {
    const std::regex message(block + ": the RTL differs from its C\\+\\+ twin at clock \\d+: " + operation +
                             ".*: expected .*0x[0-9a-f]+, got 0x[0-9a-f]+; inputs: .*_i=0x.*; waveform: (.*)");
    std::smatch found;
    ASSERT_TRUE(std::regex_match(said, found, message)) << said;
    EXPECT_GT(std::filesystem::file_size(found[1].str()), 0U);
  }

  static void report(std::uint64_t masks, const RtlModel& model) {
    std::cout << model.instance() << ": " << masks << " masks, " << std::clock() / (CLOCKS_PER_SEC / 1000) << " ms\n";
  }

  // Percentages to standard output and into the test's report; fails below the floors.
  void expect_coverage(const std::string& file, double least_lines, double least_toggles) {
    for (const auto& [kind, least] : {std::pair{"line", least_lines}, std::pair{"toggle", least_toggles}}) {
      const Coverage coverage = coverage_in(file, kind);
      const std::string percent = fmt::format("{:.1f}", coverage.percent());
      std::cout << kind << " coverage: " << percent << " % of " << coverage.points << " points\n";
      for (const std::string& missed : coverage.missed) std::cout << "  missed: " << missed << "\n";
      RecordProperty(std::string(kind) + "_coverage_percent", percent);
      EXPECT_GT(coverage.points, 0U);
      EXPECT_GE(coverage.percent(), least) << kind;
    }
  }
};

}  // namespace warpfold::cosim
