// SPDX-License-Identifier: Apache-2.0
// Kernels of random control flow for the contract test, from a seed; and smaller ones that still fail.
//
// Structured flow (nested ifs, loops with per-thread trip counts, break, continue, early return, switches as branches
// and as brx.idx) and unstructured (blocks that jump into each other, loops with two entries), predication, divergent
// loads, commutative atomics, and barriers where they are legal: in flow that the whole block shares. Nothing depends
// on the order of racing accesses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpfold {

struct Statement {
  enum class Kind : std::uint8_t {
    kCompute,
    kPredicated,  // without a branch
    kLoad,        // from an address of the thread's own
    kStore,       // to the thread's own word
    kAtomic,      // that commutes, its result unused
    kExchange,    // through shared memory, between two barriers; nothing where a barrier would not be legal
    kIf,          // bodies: then, else
    kWhile,       // tested before; bodies: one
    kDoWhile,     // tested after; bodies: one
    kSwitch,      // bodies: the cases
    kBreak,       // of the innermost loop, by some threads; nothing outside loops
    kContinue,    // likewise
    kReturn,      // by some threads
    kTangle,      // blocks that jump into each other for a while
  };
  Kind kind = Kind::kCompute;
  std::uint32_t value = 0;  // what it computes with, which threads it concerns
  bool uniform = false;     // an if or a loop that all threads of a block take alike
  std::vector<std::vector<Statement>> bodies;
};

struct GeneratedKernel {
  std::uint32_t seed = 0;
  std::vector<Statement> body;

  // A kernel k(out, in) as tests/gpu/kernel_machine.h says; out has 1024 words, in as many as there are threads, at
  // least 64. Blocks of at most 256 threads.
  std::string ptx() const;
  unsigned statements() const;
};

GeneratedKernel generate_kernel(std::uint32_t seed);

// The smallest kernel found that still `fails`, by leaving out statements and putting bodies in the place of what holds
// them, as long as that helps.
GeneratedKernel shrink(GeneratedKernel kernel, const std::function<bool(const GeneratedKernel&)>& fails);

}  // namespace warpfold
