// SPDX-License-Identifier: Apache-2.0
// What kernels call that is no code of theirs: printf, assert, malloc and free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpfold/common/launch_error.h"
#include "warpfold/isa/services/device_heap.h"
#include "warpfold/isa/services/print_fifo.h"

namespace warpfold::isa {

// MicroOp::element_type of a Kind::kSystemCall.
enum class SystemCall : std::uint8_t {
  kPrint,   // vprintf: s = format, arguments; d = how many arguments, or less than 0
  kAssert,  // __assertfail: s = message, file, line, function; ends the launch
  kMalloc,  // s = bytes; d = the block, or null
  kFree,    // s = the block, or null
};

// A thread's assertion failed, which ends its launch: cudaErrorAssert.
class AssertionFailure : public KernelFault {
 public:
  explicit AssertionFailure(const std::string& text) : KernelFault(Kind::kAssert, text) {}
};

// Of one device, for all of its launches.
class SystemServices {
 public:
  explicit SystemServices(DeviceMemory& memory) : heap(memory) {}

  PrintFifo fifo;
  DeviceHeap heap;

  // A line for standard error, behind what has been printed.
  void complain(std::string line) { complaints_.push_back(std::move(line)); }
  // What the threads of a launch have printed goes to the program's standard output and error.
  void show();

 private:
  std::vector<std::string> complaints_;
};

// Shows what a launch has printed when it ends, by a fault too.
class LaunchOutput {
 public:
  explicit LaunchOutput(SystemServices& services) : services_(services) {}
  ~LaunchOutput() { services_.show(); }
  LaunchOutput(const LaunchOutput&) = delete;
  LaunchOutput& operator=(const LaunchOutput&) = delete;

 private:
  SystemServices& services_;
};

}  // namespace warpfold::isa
