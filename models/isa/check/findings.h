// SPDX-License-Identifier: Apache-2.0
// What the checker has found, each once however often it was seen.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace warpfold::isa {

enum class FindingKind : std::uint8_t {
  kOutOfBounds,
  kUseAfterFree,
  kMisaligned,
  kUninitialized,
  kSharedRace,
  kGlobalRace,
  kFault,         // ended the kernel
  kStrayRead,     // that was to return zero: a note
  kHarmlessRace,  // in which one side wrote what was there: a note
};
const char* name_of(FindingKind kind);
constexpr bool is_note(FindingKind kind) { return kind >= FindingKind::kStrayRead; }

struct Finding {
  FindingKind kind = FindingKind::kOutOfBounds;
  std::string kernel;        // as the source has it
  std::string source;        // "file.cu:12"; empty: unknown
  std::string ptx;           // "prog.ptx:40: ld.global.f32"
  std::string thread;        // "thread (1,0,0) of block (0,0,0)", the first that was seen
  std::string act;           // "reads 4 bytes at 0x700000190"
  std::string memory;        // what is there, or nearest to it; the other side of a race
  std::uint64_t count = 1;   // of accesses of threads
  std::uint64_t launch = 0;  // of the program, in which it was seen first

  // A fault's text has all of this.
  const std::string& place() const { return kernel.empty() ? act : source.empty() ? ptx : source; }
};

// Folded by kind, kernel and line of the source.
class Findings {
 public:
  // Returns the finding's number, by which it can be counted again.
  std::size_t add(Finding finding);
  void again(std::size_t number) { ++all_[number].count; }

  const std::vector<Finding>& all() const { return all_; }
  std::uint64_t errors() const;
  std::uint64_t stray_reads() const { return count(FindingKind::kStrayRead); }

  // Text of those that have not been told of yet, a few lines each; bounded, however many there are.
  std::string news();
  // One line: how many errors in how many places.
  std::string summary() const;
  std::string json() const;  // an array

 private:
  std::uint64_t count(FindingKind kind) const;

  std::vector<Finding> all_;
  std::map<std::tuple<FindingKind, std::string, std::string>, std::size_t> numbers_;
  std::size_t told_ = 0;
};

}  // namespace warpfold::isa
