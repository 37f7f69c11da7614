// SPDX-License-Identifier: Apache-2.0
// Generated CUDA kernels, as a tree that any part may be taken out of: the text (render.h) leaves out what would not be
// legal where it stands, such as a barrier in divergent flow.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda_fuzz/operations.h"

namespace warpfold::cuda_fuzz {

// The variables that every thread has.
struct Variable {
  const char* name;
  Type type;
};
inline constexpr std::array<Variable, 16> kVariables{{{"u0", Type::kU32},
                                                      {"u1", Type::kU32},
                                                      {"u2", Type::kU32},
                                                      {"i0", Type::kS32},
                                                      {"i1", Type::kS32},
                                                      {"v0", Type::kU64},
                                                      {"v1", Type::kU64},
                                                      {"w0", Type::kS64},
                                                      {"f0", Type::kF32},
                                                      {"f1", Type::kF32},
                                                      {"d0", Type::kF64},
                                                      {"d1", Type::kF64},
                                                      {"b0", Type::kU8},
                                                      {"c0", Type::kS8},
                                                      {"h0", Type::kU16},
                                                      {"s0", Type::kS16}}};

struct Expression {
  enum class Kind : std::uint8_t { kConstant, kVariable, kSpecial, kOperation };
  Kind kind = Kind::kConstant;
  Type type = Type::kU32;
  std::uint64_t bits = 0;  // of a constant; which variable; which index, parameter or counter
  const Operation* operation = nullptr;
  std::vector<Expression> operands;
};

struct Statement {
  enum class Kind : std::uint8_t {
    kAssign,
    kIf,           // bodies: then, else
    kLoop,         // a counted loop
    kUntil,        // tested at its end
    kSwitch,       // bodies: the cases
    kWalk,         // bodies: nodes of a graph, which groups of lanes walk through (text/walk_text.cpp)
    kBreak,        // of the innermost loop, by some threads
    kContinue,     // likewise
    kReturn,       // by some threads
    kLoad,         // from the input, the read-only cache or constant memory
    kTexture,      // from a texture
    kVectorLoad,   // two or four elements at once
    kVectorStore,  // to the thread's own place
    kLocalStore,   // to an array of the thread's own, by a computed index
    kLocalLoad,
    kCall,      // of a function of the kernel
    kExchange,  // through shared memory
    kVote,
    kShuffle,
    kReduce,  // a sum by shuffles over whole warps
    kMatch,
    kMatrix,        // a product of matrices by whole warps
    kNamedBarrier,  // of the block, or of teams of whole warps; or some warps arrive at what others wait for
    kTile,          // of cooperative groups: those of a warp's tiles whose threads are all there
    kAtomicOwn,     // on a place of the thread's own: its result is defined
    kAtomicCommon,  // on a place of all, in shared or global memory: its result is not used
    kTicket,        // results of atomics, used so that their order does not matter
    kAggregate,     // one atomic for those of a warp who are there
    kCompareAndSwap,
    kLock,       // a section that one thread at a time is in
    kLastBlock,  // the last block to come adds up what all have left
    kSynchronise,
  };
  Kind kind = Kind::kAssign;
  std::uint32_t value = 0;   // which of several forms
  bool together = false;     // flow: alike for the whole block, or so that warps know who is there
  std::size_t variable = 0;  // written
  std::vector<Expression> expressions;
  std::vector<std::vector<Statement>> bodies;
};

struct Shape {
  std::array<unsigned, 3> grid{1, 1, 1}, block{32, 1, 1};
  unsigned blocks() const { return grid[0] * grid[1] * grid[2]; }
  unsigned block_threads() const { return block[0] * block[1] * block[2]; }
  unsigned threads() const { return blocks() * block_threads(); }
};

// Who may meet whom.
enum class Meetings : std::uint8_t {
  kNone,      // no barriers: threads return anywhere
  kBarriers,  // of the block; threads return anywhere
  kWarps,     // and of warps: threads return at top level only, where every warp knows who is left
};

struct Kernel {
  std::uint32_t seed = 0;
  Shape shape;
  unsigned launches = 1;  // each finds in its input what the one before has left
  Meetings meetings = Meetings::kWarps;
  bool returns = true;      // also where barriers may follow
  bool both_sides = false;  // of a branch meet at fences of warps
  bool scattered = false;   // lanes that share a walk may lie anywhere in their warp
  bool roles = false;       // warps of a block wait for one another at different places
  bool spins = false;       // threads try for a lock until they have it
  std::vector<Statement> body;
  std::vector<std::vector<Statement>> functions;  // what kCall calls
  unsigned statements() const;
};

struct GeneratorOptions {
  bool collectives = true;  // of warps
  bool returns = true;      // of threads that others of their block will not see at a barrier
  bool fences = false;      // more of warps' than otherwise
  bool both_sides = false;  // as Kernel
  bool scattered = false;   // likewise
  bool roles = false;       // likewise
  bool spins = false;       // likewise
  unsigned launches = 1;    // likewise
};

Kernel generate(std::uint32_t seed, const GeneratorOptions& options);

}  // namespace warpfold::cuda_fuzz
