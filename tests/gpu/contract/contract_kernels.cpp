// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract/contract_kernels.h"

#include <fmt/format.h>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace {

constexpr const char* kNestedIfs = R"(
and.b32 %r10, %r5, 1;
setp.eq.u32 %p1, %r10, 0;
@%p1 bra ELSE1;
and.b32 %r10, %r5, 2;
setp.eq.u32 %p2, %r10, 0;
@%p2 bra ELSE2;
add.u32 %r6, %r5, 3;
and.b32 %r10, %r5, 4;
setp.ne.u32 %p3, %r10, 0;
@%p3 bra JOIN2;
xor.b32 %r6, %r6, 255;
bra JOIN2;
ELSE2:
shl.b32 %r6, %r5, 2;
JOIN2:
add.u32 %r6, %r6, 7;
bra JOIN1;
ELSE1:
mul.lo.u32 %r6, %r5, 9;
JOIN1:
add.u32 %r6, %r6, 1;
)";

constexpr const char* kTripCounts = R"(
and.b32 %r10, %r5, 15;
LOOP:
setp.eq.u32 %p1, %r10, 0;
@%p1 bra AFTER;
mad.lo.u32 %r6, %r6, 5, %r10;
and.b32 %r11, %r6, 4;
setp.eq.u32 %p2, %r11, 0;
@%p2 bra LATCH;
xor.b32 %r6, %r6, %r5;
LATCH:
sub.u32 %r10, %r10, 1;
bra LOOP;
AFTER:
add.u32 %r6, %r6, %r4;
)";

// break out of two loops, continue, and threads that leave the kernel from inside.
constexpr const char* kBreaks = R"(
mov.u32 %r10, 0;
OUTER:
mov.u32 %r11, 0;
INNER:
mad.lo.u32 %r6, %r6, 3, %r5;
shr.u32 %r12, %r6, 7;
and.b32 %r12, %r12, 31;
setp.eq.u32 %p1, %r12, 3;
@%p1 bra AFTER;
setp.eq.u32 %p2, %r12, 9;
@%p2 bra NEXT;
setp.eq.u32 %p3, %r12, 17;
@%p3 bra LEAVE;
add.u32 %r11, %r11, 1;
setp.lt.u32 %p4, %r11, 4;
@%p4 bra INNER;
NEXT:
add.u32 %r10, %r10, 1;
setp.lt.u32 %p5, %r10, 5;
@%p5 bra OUTER;
bra AFTER;
LEAVE:
st.global.u32 [%rd4], %r10;
ret;
AFTER:
add.u32 %r6, %r6, %r10;
)";

// Each round one thread in eight writes a word, all wait, and all read their neighbour's.
constexpr const char* kBarriers = R"(
cvt.u64.u32 %rd6, %r1;
shl.b64 %rd6, %rd6, 2;
mov.u64 %rd7, box;
add.s64 %rd8, %rd7, %rd6;
st.shared.u32 [%rd8], %r5;
add.u32 %r10, %r1, 1;
setp.lt.u32 %p1, %r10, %r3;
selp.b32 %r10, %r10, 0, %p1;
mul.wide.u32 %rd9, %r10, 4;
add.s64 %rd9, %rd7, %rd9;
mov.u32 %r11, 0;
ROUND:
bar.sync 0;
ld.shared.u32 %r12, [%rd9];
add.u32 %r6, %r6, %r12;
bar.sync 0;
and.b32 %r13, %r6, 7;
setp.ne.u32 %p2, %r13, 0;
@%p2 bra SKIP;
st.shared.u32 [%rd8], %r6;
SKIP:
add.u32 %r11, %r11, 1;
setp.lt.u32 %p3, %r11, 4;
@%p3 bra ROUND;
)";

// Threads that have left no longer count at the barrier. They leave by a guarded exit: a branch around the barrier
// would leave them waiting behind it for those in front of it.
constexpr const char* kExitsBeforeBarrier = R"(
and.b32 %r10, %r5, 3;
setp.eq.u32 %p1, %r10, 0;
@%p1 ret;
mov.u64 %rd7, box;
setp.ne.u32 %p2, %r10, 1;
@%p2 bra WAIT;
atom.shared.add.u32 %r12, [box], 1;
WAIT:
bar.sync 0;
ld.shared.u32 %r6, [box];
)";

// Barriers that count and vote, over the threads that have not left; the votes decide who goes on and how.
constexpr const char* kBarrierReductions = R"(
and.b32 %r10, %r5, 7;
setp.eq.u32 %p1, %r10, 0;
@%p1 ret;
mov.u32 %r11, 0;
ROUND:
and.b32 %r10, %r5, 24;
setp.eq.u32 %p2, %r10, 8;
@%p2 bra SKIP;
mad.lo.u32 %r6, %r6, 3, %r5;
SKIP:
and.b32 %r12, %r6, 192;
setp.eq.u32 %p3, %r12, 64;
bar.red.popc.u32 %r13, 0, %p3;
add.u32 %r6, %r6, %r13;
bar.red.and.pred %p4, 0, !%p3;
@%p4 xor.b32 %r6, %r6, 85;
shr.u32 %r14, %r5, 8;
and.b32 %r14, %r14, 3;
setp.gt.u32 %p5, %r14, %r11;
bar.red.or.pred %p6, 0, %p5;
add.u32 %r11, %r11, 1;
@%p6 bra ROUND;
)";

constexpr const char* kGuards = R"(
and.b32 %r10, %r5, 1;
setp.eq.u32 %p1, %r10, 0;
and.b32 %r10, %r5, 6;
setp.eq.u32 %p2, %r10, 2;
@%p1 add.u32 %r6, %r6, 11;
@!%p1 mul.lo.u32 %r6, %r5, 13;
@%p2 st.global.u32 [%rd4], %r5;
@%p2 ret;
@!%p1 ld.global.u32 %r6, [%rd4];
add.u32 %r6, %r6, 5;
)";

// Sums, maxima and bits in 64 words behind the results of 512 threads, by operations that commute.
constexpr const char* kAtomics = R"(
and.b32 %r10, %r5, 31;
mul.wide.u32 %rd6, %r10, 4;
add.s64 %rd6, %rd1, %rd6;
setp.lt.u32 %p1, %r10, 12;
@%p1 bra SUM;
red.global.max.u32 [%rd6+2048], %r5;
bra JOIN;
SUM:
red.global.add.u32 [%rd6+2048], %r4;
red.global.or.b32 [%rd6+2176], %r5;
JOIN:
atom.shared.add.u32 %r12, [box], %r10;
bar.sync 0;
ld.shared.u32 %r6, [box];
)";

// A loop with two entries: no post-dominator inside it.
constexpr const char* kTwoEntries = R"(
and.b32 %r10, %r5, 7;
setp.lt.u32 %p1, %r10, 3;
@%p1 bra SECOND;
FIRST:
add.u32 %r6, %r6, %r5;
setp.eq.u32 %p2, %r10, 5;
@%p2 bra AFTER;
SECOND:
add.u32 %r10, %r10, 1;
xor.b32 %r6, %r6, %r10;
setp.lt.u32 %p3, %r10, 8;
@%p3 bra FIRST;
AFTER:
add.u32 %r6, %r6, 1;
)";

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : words_(noise(256, seed + 1)) {}
  std::uint32_t below(std::uint32_t bound) { return (words_[next_++ % words_.size()] >> 8) % bound; }

 private:
  std::vector<std::uint32_t> words_;
  std::size_t next_ = 0;
};

constexpr unsigned kBlocks = 8;

// %r5 is the thread's own generator, %r2 the block's number, %r7 what is left of its steps.
std::string random_block(unsigned number, Draw& draw) {
  std::string text = fmt::format(
      "B{}:\nmad.lo.u32 %r5, %r5, 1664525, {};\nadd.u32 %r6, %r6, {};\nsub.u32 %r7, %r7, 1;\nsetp.eq.u32 %p1, %r7, 0;\n"
      "@%p1 bra DONE;\n",
      number, 1013904223 + 2 * number, number);
  switch (draw.below(5)) {
    case 0:
      text += fmt::format("red.global.add.u32 [%rd1+{}], 1;\n", 2048 + 4 * number);
      break;
    case 1:
      text += "@%p2 xor.b32 %r6, %r6, %r5;\n";
      break;
    case 2:
      text += "rem.u32 %r6, %r6, 1000;\nst.global.u32 [%rd4], %r6;\n";
      break;
    default:
      break;
  }
  for (unsigned exits = draw.below(2) + 1; exits > 0; --exits) {
    const bool uniform = draw.below(5) == 0;
    text += fmt::format("shr.u32 %r10, {}, {};\nand.b32 %r10, %r10, 1;\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra B{};\n",
                        uniform ? "%r2" : "%r5", uniform ? 0 : 16 + draw.below(12), draw.below(kBlocks));
  }
  if (draw.below(8) == 0) text += "st.global.u32 [%rd4], %r7;\nret;\n";
  if (draw.below(3) == 0) text += fmt::format("bra B{};\n", draw.below(kBlocks));
  return text;
}

}  // namespace

const std::vector<ContractKernel>& contract_kernels() {
  static const std::vector<ContractKernel> kernels{
      {"nested_ifs", ptx_kernel(kNestedIfs)},
      {"trip_counts", ptx_kernel(kTripCounts)},
      {"breaks", ptx_kernel(kBreaks)},
      {"barriers", ptx_kernel(kBarriers)},
      {"exits_before_barrier", ptx_kernel(kExitsBeforeBarrier)},
      {"barrier_reductions", ptx_kernel(kBarrierReductions)},
      {"guards", ptx_kernel(kGuards)},
      {"atomics", ptx_kernel(kAtomics)},
      {"two_entries", ptx_kernel(kTwoEntries)},
  };
  return kernels;
}

std::string random_kernel(std::uint32_t seed) {
  Draw draw(seed);
  std::string body = "mov.u32 %r7, 24;\nsetp.eq.u32 %p2, %r5, 0;\n";
  for (unsigned number = 0; number < kBlocks; ++number) body += random_block(number, draw);
  return ptx_kernel(body);
}

}  // namespace warpfold
