// SPDX-License-Identifier: Apache-2.0
// A program that needs no compiler: the loop of Listing 1 of the divergence-cost paper, and its launch description.
#pragma once

namespace warpfold {

// Thread t of a warp goes through the loop t + 1 times, which begins on line 12.
inline constexpr const char* kLoopPtx = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry _Z4loopPj(.param .u64 p)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
LOOP:
  add.u32 %r2, %r2, 1;
  setp.le.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  ld.param.u64 %rd1, [p];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

inline constexpr const char* kLoopLaunch =
    "grid: [2]\nblock: [32]\nbuffers:\n  x: {type: u32, count: 32, fill: 0}\narguments: [x]\n";

}  // namespace warpfold
