// SPDX-License-Identifier: Apache-2.0
// A decoded kernel: compact micro-ops, one per PTX instruction, ready to be executed over lanes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/common/memory/cache_use.h"
#include "warpfold/isa/execute/row_operands.h"

namespace warpfold::ptx {
class SourceLines;
}

namespace warpfold::isa {

using Pc = std::uint32_t;  // index of a micro-op in its kernel
inline constexpr Pc kNoPc = ~Pc{0};

inline constexpr unsigned kMaxLanes = 64;
// Threads of an architectural warp, consecutive ones of a block: what %laneid, WARP_SZ and membermasks mean, however
// many lanes the warps have that carry them.
inline constexpr unsigned kArchitecturalWarp = 32;
using LaneMask = std::uint64_t;
// Barriers of a block, of which a program names one (PTX ISA §9.7.13.1).
inline constexpr unsigned kBlockBarriers = 16;

// The first so many lanes.
constexpr unsigned count_lanes(LaneMask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }
constexpr LaneMask low_lanes(unsigned lanes) { return lanes >= kMaxLanes ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1; }

// What an instruction needs of the core; latency and width of each are the machine's. kFloat: single-precision
// arithmetic, which the ALU does; a core may have a second pipe for it (models/core/operands/execution_pipes.h).
// kCustom: what a plug-in brings (execute/custom_instructions.h).
enum class Unit : std::uint8_t { kAlu, kFloat, kSfu, kFp64, kMemory, kControl, kCustom };

// What an instruction does, as far as machines tell latencies apart: in four types (int: all that is no floating-point
// number; hp: numbers of 16 bits, alone or two) addition or subtraction; minimum or maximum; multiplication;
// multiply-add, fused or not; division or remainder. kSpecial: roots, reciprocals, sines and the like, of any type.
enum class Operation : std::uint8_t {
  kIntAdd,
  kIntMax,
  kIntMul,
  kIntMad,
  kIntDiv,
  kFpAdd,
  kFpMax,
  kFpMul,
  kFpMad,
  kFpDiv,
  kDpAdd,
  kDpMax,
  kDpMul,
  kDpMad,
  kDpDiv,
  kHpAdd,
  kHpMax,
  kHpMul,
  kHpMad,
  kSpecial,
  kShuffle,
  kMatrix,   // one step of mma, wmma (decode/matrix_steps.h)
  kControl,  // branches, barriers, fences, ends
  kOther,    // moves, logic, shifts, comparisons, conversions, votes
  kCustom,   // what plug-ins bring
};
inline constexpr unsigned kOperations = 25;

enum class Kind : std::uint8_t {
  kCompute,  // lane-wise: compute() over operands
  kLoad,
  kStore,
  kAtomic,  // global or shared, with or without (red) a result
  kBranch,
  kBarrier,  // bar.sync, bar.arrive, bar.red: one of the block's barriers
  kExit,     // ret or exit of the entry
  kFence,    // membar, fence: orders nothing here, since values are computed at issue; bar.warp.sync
  kVote,     // vote, activemask, match, redux, elect, mma: among threads of an architectural warp
  kShuffle,
  kClock,  // mov from %clock, %clock64, %globaltimer: the value is the core's cycle
  kTrap,
  kSystemCall,  // printf, assert, malloc, free (services/system_services.h); in time an atomic in global memory
};

enum class Space : std::uint8_t {
  kGlobal,
  kShared,
  kLocal,
  kConst,
  kParam,
  kTexture /* ld.global.nc, tex */,
  kGeneric
};

// The last two: arrivals at an mbarrier (execute/mbarrier.h), which are atomics on its 64 bits.
enum class Atomic : std::uint8_t {
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kArrive,
  kArriveAndDrop
};

// One 32-bit word per lane. A thread's words lie in one numbering: [0, registers + high_words) values, then predicates
// (0 or 1), then the special registers that the kernel reads; words from kConstant on index Kernel::constants. A 64-bit
// value takes the words index (low half) and index + 1 (high half). Values narrower than 32 bits sit in the low bits of
// their word; what lies above them is unspecified.
using Word = std::uint16_t;
inline constexpr Word kNoWord = 0xffff;
inline constexpr Word kConstant = 0x8000;

// Lane-wise operation: for i < lanes, d[k][i] = f(s[0][i], s[1][i], …). Each operand is a pair of lane arrays {low,
// high}; the high one is null for operands of at most 32 bits. Sources and results never overlap partially: an array is
// either the same or apart. Must not trap for any input (division by zero gives what PTX says).
struct LaneArrays {
  std::array<std::array<const std::uint32_t*, 2>, 4> s;
  std::array<std::array<std::uint32_t*, 2>, 2> d;
};
using Compute = void (*)(const LaneArrays&, unsigned lanes);

// A texture fetch or surface access, a kLoad, kStore or kAtomic of texels (PTX ISA §9.7.9, §9.7.10): `base` is the
// handle of what isa::Launch::images holds; the first sources are the coordinates: the layer where there are layers,
// then x, y, z, as many as there are dimensions; of a cubemap they are a direction. A fetch's results have 32 bits
// each; a surface is accessed in elements of element_bytes, like memory, and its x counts bytes.
struct ImageAccess {
  // What an access to a surface does that lies outside: fault, go to the nearest element inside, read zeros and write
  // nothing.
  enum class Outside : std::uint8_t { kTrap, kClamp, kZero };
  // What is asked about a texture or surface, by txq and suq: no texel is read.
  enum class Query : std::uint8_t {
    kNone,
    kWidth,
    kHeight,
    kDepth,
    kArraySize,
    kChannelDataType,
    kChannelOrder,
    kNormalizedCoords,
    kMipmapLevels,
    kSamples
  };
  std::uint8_t dimensions = 0;  // 1, 2 or 3; 0: no such access
  bool layered = false;
  bool cube = false;               // of two dimensions
  bool float_coordinates = false;  // of fetches; they are integers otherwise
  Outside outside = Outside::kTrap;
  Query query = Query::kNone;
  std::uint8_t gathers = 0;  // tld4: 1 + the channel of which the four texels around the place are read
  bool formatted = false;    // sust.p, sured.p: in the surface's own format, and x counts texels
  unsigned coordinates() const { return query != Query::kNone ? 0 : (cube ? 3U : dimensions) + (layered ? 1U : 0U); }
};

// Sources of one instruction: four coordinates and four values of a surface store; seven words and a membermask of a
// matrix step.
inline constexpr unsigned kMostSources = 8;

struct MicroOp {
  Kind kind = Kind::kCompute;
  Unit unit = Unit::kAlu;
  Operation operation = Operation::kOther;  // of memory instructions: no matter
  Compute compute = nullptr;
  RowCompute row_compute = nullptr;  // the same on a whole row; null: there is no such form

  // Operands. Loads: d = up to four elements of a vector, kNoWord where the element is dropped (`_`); an element
  // narrower than its destination (1, 2 or 4 bytes into 64 bits too) fills all of its words, by sign_extend. Stores: s
  // = the elements. Atomics: s = operands b, c. Results may lie in the words of sources and of `base`: all lanes read
  // first.
  std::array<Word, 4> d{kNoWord, kNoWord, kNoWord, kNoWord};
  std::array<Word, kMostSources> s{kNoWord, kNoWord, kNoWord, kNoWord, kNoWord, kNoWord, kNoWord, kNoWord};
  std::uint8_t d_count = 0, s_count = 0;
  std::uint8_t d_wide = 0, s_wide = 0;  // bit k: operand k is 64 bits wide (two words)

  Word guard = kNoWord;  // predicate word; lanes where it is (guard_negated ? != 0 : == 0) do not execute
  bool guard_negated = false;

  // Memory: address = lane value of `base` (kNoWord: none) + offset. Space kShared/kLocal/kConst/kParam addresses are
  // offsets in that space; generic ones lie in the windows of isa/address_space.h. The sum is as wide as the base: that
  // of a 32-bit register wraps at 2^32 and is extended with zeros (PTX ISA §6.4.1).
  Word base = kNoWord;
  bool base_wide = true;
  std::int64_t offset = 0;
  Space space = Space::kGlobal;
  std::uint8_t element_bytes = 0;  // of one vector element; the access moves element_bytes × vector count
  bool sign_extend = false;
  Atomic atomic = Atomic::kAdd;
  CacheUse cache;
  std::uint8_t element_type = 0;  // atomics, votes, shuffles, barriers: the type or mode (isa/execute.h, Executor)

  bool pushes_frame = false;  // kStore to local memory that must lie on the stack (Kernel::stack_bytes)
  ImageAccess image;

  // A `.sync` collective: the threads of the membermask, its last source, execute it together (isa/warp_ops.cpp).
  bool collective = false;

  // Control
  Pc target = kNoPc;         // branch taken
  Pc reconvergence = kNoPc;  // immediate post-dominator of the branch; kernel end (Kernel::ops.size()) = only at exit
  Pc likely = kNoPc;         // likely-convergence point (TBC §4), kNoPc if none or same as reconvergence
  bool may_diverge = false;  // conditional and not proved block-uniform

  // Of the widest value computed with: 8, 16, 32 or 64; 32 where nothing is computed (memory, control, votes).
  std::uint8_t bits = 32;
  std::uint8_t custom = 0;  // 1 + the place in custom_units(); 0: PTX has the instruction

  // For scoreboard and register banks: the registers read and written, sorted, 64-bit values as two where both words
  // have one, predicates from Kernel::registers on; no specials, no constants.
  std::vector<Word> reads, writes;
  std::uint8_t register_reads = 0, register_writes = 0;  // those of them that are registers, not predicates
  bool spill = false;                                    // spill code, no instruction of the program (spilling.h)

  std::uint32_t line = 0;  // in the PTX text
  std::uint32_t text = 0;  // index into Kernel::opcodes: the opcode as written, for messages
};

struct KernelParameter {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
};

enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kSharedBytes,  // of a block, static and dynamic
  kDynamicSharedBytes,
};

struct Kernel {
  std::string name;
  std::string file;                                 // of the PTX, for messages
  std::shared_ptr<const ptx::SourceLines> sources;  // of its lines, if they are known
  std::vector<MicroOp> ops;
  std::vector<std::string> opcodes;
  std::vector<std::uint32_t>
      constants;                  // 32-bit words; constant word kConstant + i is constants[i], the same for each lane
  std::vector<Special> specials;  // word specials_begin() + i holds specials[i]
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint16_t registers = 0;  // 32-bit registers per thread, predicates not counted
  // Words of values for which a machine with 32-bit addresses needs no register: the model keeps them all the same, so
  // that an address beyond 2^32 faults.
  std::uint16_t high_words = 0;
  std::uint16_t predicates = 0;                     // predicate words
  std::uint32_t spill_loads = 0, spill_stores = 0;  // instructions of spill code among `ops`
  std::uint32_t spill_bytes = 0;                    // of local_bytes
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_offset = 0;  // where .extern .shared begins
  std::uint32_t local_bytes = 0;            // per thread
  std::uint32_t stack_begin = 0;            // in local memory: of the frames of recursive functions ...
  std::uint32_t stack_bytes = 0;            // ... if the kernel has any
  std::uint32_t max_threads = 0;            // .maxntid / .reqntid product, 0 = none

  Pc end() const { return static_cast<Pc>(ops.size()); }  // one past the last instruction
  unsigned specials_begin() const { return registers + high_words + predicates; }
  unsigned words() const { return specials_begin() + static_cast<unsigned>(specials.size()); }
};

}  // namespace warpfold::isa
