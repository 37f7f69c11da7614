// SPDX-License-Identifier: Apache-2.0
// A running core allocates nothing: once warm, its boxes live on what they have.
#include <cstdlib>
#include <new>

#include "tests/core/simt_core_fixture.h"

static unsigned long allocations = 0;

// Not inlined: GCC would see malloc() behind one and free() behind the other, and warn of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
// What std::stable_sort takes, and gives back to the ones below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*nothrow*/) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace warpfold {
namespace simt_core_allocation_test {

// A long loop of arithmetic, a divergent branch, shared and global loads, stores, an atomic, a barrier.
const std::string kLoop = kHeader + R"(
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 63;
shl.b32 %r2, %r2, 2;
mov.u32 %r3, box;
add.u32 %r3, %r3, %r2;
mul.wide.u32 %rd2, %r1, 64;
and.b64 %rd2, %rd2, 2047;
add.s64 %rd3, %rd1, %rd2;
mov.u32 %r4, 0;
LOOP:
st.shared.u32 [%r3], %r4;
ld.shared.u32 %r5, [%r3];
and.b32 %r6, %r1, 3;
setp.eq.u32 %p1, %r6, 0;
@%p1 bra SKIP;
ld.global.u32 %r6, [%rd3];
add.u32 %r5, %r5, %r6;
SKIP:
st.global.u32 [%rd3], %r5;
red.global.add.u32 [%rd1], 1;
bar.sync 0;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p2, %r4, 100000;
@%p2 bra LOOP;
ret;
})";

TEST_F(SimtCoreTest, AWarmCoreAllocatesNothing) {
  memory.delay = 50;
  memory.seen.reserve(1 << 20);
  start(kLoop, 256, 2, "pdom", false);
  dispatch_at(0, 0);
  dispatch_at(0, 1);
  run(200'000);
  const std::uint64_t issued = core->issued();
  const unsigned long before = allocations;
  const std::size_t requests = memory.seen.size();
  run(100'000);
  // The stub memory's own queue takes a chunk for every 32 requests.
  EXPECT_LE(allocations - before, (memory.seen.size() - requests) / 32 + 2);
  EXPECT_GT(core->issued() - issued, 1000u);
}

}  // namespace simt_core_allocation_test
}  // namespace warpfold
