// SPDX-License-Identifier: Apache-2.0
// From lane addresses to what a memory pipeline serves one per cycle: lines, shared-memory passes, constant reads (TBC
// §2.2.1).
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/isa/execute/execute.h"
#include "warpfold/memory/l1/byte_mask.h"

namespace warpfold {

struct LineAccess {
  Address line = 0;
  std::uint32_t bytes = 0;  // that the lanes ask of this line (two lanes reading one word count twice for loads)
  ByteMask mask{};          // which of its bytes those are, where mark_bytes() was asked to say
};

// One access per distinct cache line, in the order of the first lane that touches it. An access that straddles two
// lines cannot occur: lanes are aligned to their size and a size divides a line.
void coalesce(const isa::Outcome& outcome, unsigned line_bytes, std::vector<LineAccess>& out);

// The same for local memory, whose words interleave between the `lanes` of a row (isa/address_space.h): an access of
// several words touches as many places, one row of words apart.
void coalesce_local(const isa::Outcome& outcome, unsigned line_bytes, unsigned lanes, std::vector<LineAccess>& out);

// The same for texels, which lie at multiples of their size too: those of a texture fetch or surface access. With
// `mark`, the masks are filled in.
void coalesce_texels(const isa::Outcome& outcome, unsigned line_bytes, bool mark, std::vector<LineAccess>& out);

// One access per distinct word, for the constant cache: it broadcasts one address per cycle and serialises the rest.
void distinct_words(const isa::Outcome& outcome, std::vector<LineAccess>& out);

// Fills in the masks of what the first two made of the outcome. `lanes`: of a row, for local memory, 0 for all other.
void mark_bytes(const isa::Outcome& outcome, unsigned line_bytes, unsigned lanes, std::vector<LineAccess>& out);

// Which lanes touch each of the lines that the first two made of the outcome; `lanes` as above.
void lanes_by_line(const isa::Outcome& outcome, unsigned line_bytes, unsigned lanes,
                   const std::vector<LineAccess>& lines, std::vector<isa::LaneMask>& out);

// All of that, for an access beyond the core: by its space and with a cache's line. Constants come to lie where the
// memory system has them. `warp_size`: lanes of a row; with `mark`, the masks are filled in.
void coalesce_access(const isa::MicroOp& op, const isa::Outcome& outcome, unsigned line_bytes, unsigned warp_size,
                     bool mark, std::vector<LineAccess>& out);

// Cycles that shared memory needs: lanes go in groups of `banks`; in a group each bank serves one word per cycle, to
// all lanes that ask for that word. An access of several words takes them one after the other, or, `lanes_in_turn`, the
// lanes in groups of fewer, with all of their words. Nothing is broadcast to atomics (`broadcasts` false): each lane's
// update of a word is a turn of its own.
struct SharedPasses {
  unsigned cycles = 0;
  unsigned conflicts = 0;  // cycles beyond one per group and word
};
SharedPasses shared_passes(const isa::Outcome& outcome, unsigned width, unsigned banks, bool broadcasts = true,
                           bool lanes_in_turn = false);

}  // namespace warpfold
