// SPDX-License-Identifier: Apache-2.0
// Accesses of two threads that nothing orders, one of them a write.
//
// Shared memory: between threads of a block. Ordered are accesses of one thread, those with a barrier of the block
// between them, and those of threads of one architectural warp: all of them, or with independent threads those with a
// bar.warp.sync of both in between. Global memory: between blocks of a launch, where one of the two writes and is no
// atomic.
//
// Both: a fence of the one thread (block) after its access and a fence, an atomic or a volatile access of the other
// after that access order what the other does then, whatever else they do: flags and locks are not understood, they
// are given credit for. Atomics do not race with atomics, nor volatile accesses with volatile ones. Of the readers of a
// place only the last is known. A write that changes nothing is none: flags that many set alike are no race in effect.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "warpfold/isa/check/paged.h"
#include "warpfold/isa/check/touch.h"

namespace warpfold::isa {

class Races {
 public:
  // Who was there before.
  struct Earlier {
    bool wrote = false;
    Pc pc = 0;
    std::uint64_t block = 0;
    unsigned thread = 0;
  };
  using Tell = std::function<void(const Earlier& earlier)>;

  explicit Races(bool independent_threads) : independent_(independent_threads) {}

  void launch_started();
  void block_finished(std::uint64_t block) { blocks_.erase(block); }
  void barrier_opened(std::uint64_t block) { blocks_[block].barrier = now_; }
  // A thread executes membar or fence; bar.warp.sync.
  void fenced(std::uint64_t block, unsigned thread);
  void warp_synced(std::uint64_t block, unsigned thread) { clock_of(block, thread).warp = now_; }

  // The accesses of one instruction have one time, and do not race with one another.
  void next_instruction();
  // At most one per access is told of.
  void note(const Touch& touch, const Tell& tell);

 private:
  static constexpr unsigned kGrain = 4;  // bytes that one cell stands for
  static constexpr std::uint64_t kPage = 4096;
  // Of a cell the last access of a kind; its bytes as a mask. Time 0: none.
  struct Mark {
    std::uint32_t time = 0;
    Pc pc = 0;
    std::uint32_t block = 0;
    std::uint16_t thread = 0;
    std::uint8_t bytes = 0;
    Strength strength = Strength::kPlain;
  };
  struct Cell {
    Mark write, read;
  };
  using Page = std::array<Cell, kPage / kGrain>;
  // When somebody last did what lets others see its writes, or it those of others.
  struct Clock {
    std::uint32_t released = 0, acquired = 0;
    std::uint32_t warp = 0;  // bar.warp.sync
  };
  struct Block {
    std::uint32_t barrier = 0;  // when it last opened
    std::vector<Cell> shared;
    std::vector<Clock> threads;
  };

  Clock& clock_of(std::uint64_t block, unsigned thread);
  Cell& cell_of(const Touch& touch, Address address);
  bool conflict(const Mark& mark, const Touch& touch, std::uint8_t bytes) const;
  bool ordered(const Mark& mark, const Touch& touch);
  bool ordered_in_block(const Mark& mark, const Touch& touch);
  const Mark* raced(const Cell& cell, const Touch& touch, std::uint8_t bytes, bool writes);
  void remember(Cell& cell, const Touch& touch, std::uint8_t bytes, bool writes) const;

  const bool independent_;
  std::uint32_t now_ = 0;
  Paged<Page> global_{kPage};
  std::unordered_map<std::uint64_t, Block> blocks_;
  std::unordered_map<std::uint64_t, Clock> block_clocks_;  // of blocks among others
};

}  // namespace warpfold::isa
