// SPDX-License-Identifier: Apache-2.0
// Stacks that are deeper than their room on the core: the lowest entries go to memory when one is pushed for which
// there is none, and come back when the stack has shrunk to them (Divergence cost §IV, TBC §7).
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/common/config/params.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/divergence/geometry.h"
#include "warpfold/divergence/mechanism.h"

namespace warpfold::divergence {

class StackSpills {
 public:
  // How many times entries went out, and came in.
  struct Counters {
    Counter &spills, &reloads;
  };
  // `entries` of a stack have room, `at_a_time` go or come. `core`: moves them; null: they are only counted.
  StackSpills(unsigned entries, unsigned at_a_time, unsigned owners, Core* core, const Counters& counters)
      : entries_(entries), at_a_time_(at_a_time), core_(core), stacks_(owners), counters_(counters) {}

  // A stack that is empty; what its owner had in memory is of no use any more.
  void start(unsigned owner, unsigned entry_bytes) {
    stacks_[owner].in_memory = 0;
    stacks_[owner].entry_bytes = entry_bytes;
  }
  // The stack is so deep. Returns how many times entries went out for that.
  unsigned grow(unsigned owner, unsigned depth) {
    return depth - stacks_[owner].in_memory > entries_ ? make_room(owner, depth) : 0;
  }
  // The topmost of so many entries is to be used. Returns how many times entries came in for that.
  unsigned use(unsigned owner, unsigned depth) { return depth <= stacks_[owner].in_memory ? bring(owner, depth) : 0; }
  // An entry, counted from 0 at the bottom, is read and written where it is.
  void change(unsigned owner, unsigned entry) {
    if (entry < stacks_[owner].in_memory) rewrite(owner, entry);
  }

  // Is the topmost of so many entries on the core, and nothing of the owner's under way?
  bool at_hand(unsigned owner, unsigned depth) const {
    return depth > stacks_[owner].in_memory && !stacks_[owner].waits;
  }
  // Is something of the owner's under way?
  bool waits(unsigned owner) const { return stacks_[owner].waits; }
  void spilled(unsigned owner) { stacks_[owner].waits = false; }
  unsigned in_memory(unsigned owner) const { return stacks_[owner].in_memory; }
  unsigned at_a_time() const { return at_a_time_; }
  std::uint64_t bytes_at_a_time(unsigned owner) const { return std::uint64_t{at_a_time_} * stacks_[owner].entry_bytes; }

 private:
  struct Stack {
    unsigned in_memory = 0;  // the lowest so many entries
    unsigned entry_bytes = 0;
    bool waits = false;
  };

  unsigned make_room(unsigned owner, unsigned depth);
  unsigned bring(unsigned owner, unsigned depth);
  void rewrite(unsigned owner, unsigned entry);
  void move(unsigned owner, Spill::Way way, unsigned first, unsigned entries);

  unsigned entries_, at_a_time_;
  Core* core_;
  std::vector<Stack> stacks_;
  Counters counters_;
};

// The stacks of a core's blocks, by slot. An entry in memory has the mask of the block's threads, two pcs and a count;
// one goes or comes at a time (decision: TBC §7 says only that the bottom of the stack can be spilled to memory).
// Threads that exit leave the masks there, too, without a trip to memory: the core knows who has exited (decision).
class BlockStackSpills : public StackSpills {
 public:
  static constexpr unsigned kEntries = 32;            // TSTBC §4.2.5
  static constexpr unsigned kFieldBytes = 4 + 4 + 2;  // beside the mask
  // While a branch's sides fill, the entry that branches and up to three new ones are in use.
  static constexpr unsigned kFewestEntries = 4;

  // 0 entries: room for all.
  BlockStackSpills(unsigned entries, unsigned field_bytes, const Geometry& geometry, Core& core)
      : StackSpills(entries != 0 ? entries : ~0U, 1, geometry.max_blocks, &core,
                    {core.stats().counter("block_stack_spills", "entries",
                                          "of block-wide stacks that went to memory for want of room (TBC §7)"),
                     core.stats().counter("block_stack_reloads", "entries", "of them that came back")}),
        field_bytes_(field_bytes),
        warp_size_(geometry.warp_size) {}

  void start(const Block& block) { StackSpills::start(block.slot, (block.rows() * warp_size_ + 7) / 8 + field_bytes_); }

  template <class Params>
  static constexpr auto field_of(unsigned Params::*member) {
    return field("stack_entries", "entries", member, kFewestEntries, 4096,
                 "of a block's reconvergence stack on the core; when it is deeper, the lowest lie in memory");
  }

 private:
  unsigned field_bytes_, warp_size_;
};

}  // namespace warpfold::divergence
