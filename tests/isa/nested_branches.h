// SPDX-License-Identifier: Apache-2.0
// Branches that a small reconvergence stack has no room for.
#pragma once

namespace warpfold::isa {

// Three branches of the thread %r1, each on the last one's taken side; %r7: 1 for thread 0, 34 to 4, 52 to 8, then 56.
inline constexpr const char* kNestedBranches = R"(
mov.u32 %r7, 0;
setp.gt.u32 %p1, %r1, 0;
@%p1 bra A;
add.u32 %r7, %r7, 1;
bra J1;
A:
setp.gt.u32 %p1, %r1, 4;
@%p1 bra B;
add.u32 %r7, %r7, 2;
bra J2;
B:
setp.gt.u32 %p1, %r1, 8;
@%p1 bra C;
add.u32 %r7, %r7, 4;
bra J3;
C:
add.u32 %r7, %r7, 8;
J3:
add.u32 %r7, %r7, 16;
J2:
add.u32 %r7, %r7, 32;
J1:
)";

}  // namespace warpfold::isa
