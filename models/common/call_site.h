// SPDX-License-Identifier: Apache-2.0
// Where a program has called the run-time library: what messages say of an allocation.
#pragma once

#include <array>
#include <string>

namespace warpfold {

// A return address with those of the callers, which are given names only when somebody asks.
class CallSite {
 public:
  CallSite() = default;
  // What a function of the library returns to: __builtin_return_address(0) in there.
  static CallSite of(const void* return_address);

  bool known() const { return frames_[0] != nullptr; }
  // "main+0x3c", "grow(int)+0x1c, called by main+0x3c"; the file and an offset where it has no symbols. Wrappers that
  // are called as the library's functions are left out.
  std::string text() const;

 private:
  static constexpr unsigned kFrames = 4;
  std::array<const void*, kFrames> frames_{};
};

}  // namespace warpfold
