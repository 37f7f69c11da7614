// SPDX-License-Identifier: Apache-2.0
// What can go wrong with a launch of which CUDA has an error of its own, so that the program that launched may go on.
// Whoever knows no such errors takes them for the user errors that they are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {

// The kernel did what none may do; it has ended in the middle of its work.
class KernelFault : public UserError {
 public:
  enum class Kind : std::uint8_t { kIllegalAddress, kMisalignedAddress, kTrap, kAssert };
  KernelFault(Kind kind, const std::string& text) : UserError(text), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

template <class... Args>
[[noreturn]] void kernel_fault(KernelFault::Kind kind, fmt::format_string<Args...> text, Args&&... args) {
  throw KernelFault(kind, fmt::format(text, std::forward<Args>(args)...));
}

// The machine cannot run the kernel like this. Nothing of it has run.
class LaunchRefused : public UserError {
 public:
  enum class Why : std::uint8_t { kConfiguration, kResources, kValue };  // cudaErrorInvalidConfiguration, …
  LaunchRefused(Why why, const std::string& text) : UserError(text), why_(why) {}
  Why why() const { return why_; }

 private:
  Why why_;
};

template <class... Args>
[[noreturn]] void refuse_launch(LaunchRefused::Why why, fmt::format_string<Args...> text, Args&&... args) {
  throw LaunchRefused(why, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace warpfold
