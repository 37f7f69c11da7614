// SPDX-License-Identifier: Apache-2.0
// Recursive functions in a kernel's code: called through a stack in the thread's local memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

using FrameIndex = std::uint32_t;  // of a copy of a recursive function; 0 stands for the kernel itself, which has none
inline constexpr FrameIndex kNoFrame = 0;

// What inlining leaves of recursion. A component of functions that call each other is copied once for each call from
// outside, so that each copy has one way in and one way out and what calls it reconverges by itself; within the copy
// each function is there once, with variables for its parameters and results.
struct RecursiveCode {
  struct Function {
    std::size_t entry = 0, back = 0;                 // labels; every `ret` of the body goes to `back`
    std::size_t end = 0;                             // the instruction there, which stands for the return
    std::vector<std::uint32_t> parameters, returns;  // Function::variables
  };
  struct Call {
    std::size_t instruction = 0;  // a `call` of the label `entry`
    FrameIndex from = kNoFrame, to = kNoFrame;
    bool inner = false;                              // within one copy of a component: may come back to `from`
    std::vector<std::uint32_t> parameters, returns;  // the caller's
  };
  std::vector<Function> functions{{}};  // by FrameIndex
  std::vector<Call> calls;
  std::vector<FrameIndex> frame_of;  // by Function::variables: whose activations have each a variable of their own
};

// What is left to do when instructions are drafts and it is known how large frames are (frames.h): places in the code
// as Function::instructions count them.
struct FramePlaces {
  struct Call {
    std::size_t save = 0;              // in front of it goes what saves the caller's registers
    std::size_t grow = 0, shrink = 0;  // the pointer by the caller's frame; not for calls from the kernel
    std::size_t push = 0;              // stores where to go on
    std::size_t call = 0;              // the branch; what follows it is where the callee comes back to
    std::size_t restore = 0;           // behind it goes what restores the caller's registers
    FrameIndex from = kNoFrame, to = kNoFrame;
    bool inner = false;
    bool keeps_pointer() const { return from == kNoFrame; }
  };
  struct Return {
    std::size_t load = 0;  // of where to go on
    FrameIndex frame = kNoFrame;
    std::vector<std::uint32_t> values;  // Function::variables that hold the results
  };
  std::vector<FrameIndex> frame_of;  // by Function::variables
  std::uint32_t pointer = 0;         // Function::registers: where the frame of the running function begins
  std::uint64_t alignment = 1;       // of frames
  std::uint32_t stack = 0;           // Function::variables: the memory of all frames
  std::vector<Call> calls;
  std::vector<Return> returns;

  bool any() const { return !calls.empty(); }
};

// Writes calls and returns of recursive functions as plain PTX: arguments are copied into the callee's variables, a
// number on the stack says where the call goes on, and a return is a chain of branches over such numbers. Variables of
// recursive functions are addressed through the frame's pointer.
FramePlaces write_recursion(const RecursiveCode& recursive, std::uint64_t stack_bytes, ptx::Function& function);

}  // namespace warpfold::isa
