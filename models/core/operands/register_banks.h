// SPDX-License-Identifier: Apache-2.0
// The banks of a register file: which lanes of which bank are taken in which cycle.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/common/clock/cycle.h"
#include "warpfold/core/core_params.h"
#include "warpfold/divergence/warp.h"

namespace warpfold {

// Every lane has `register_banks` banks of its own, which hold the registers of the threads of that lane: register w of
// row r lies in bank (w + r) mod banks. The registers of one thread therefore meet in a bank whatever its row. Those of
// two instructions meet by bank and lane: where a warp is of one row, a register takes the same bank in all lanes;
// where rows are mixed, different ones.
//
// Accesses are granted in the order in which instructions ask, each lane's as soon as its bank is free: since an older
// instruction never waits for a younger one, what is asked for can be reserved at once. Plain C++; time is that of the
// calls.
class RegisterBanks {
 public:
  // Registers that an instruction reads, or writes: of a list that lives as long as the kernel.
  struct Words {
    std::span<const isa::Word> words;
    unsigned cycles = 0;  // that they take alone, each lane with an address of its own
  };

  explicit RegisterBanks(const CoreParams& params);
  // Those of an instruction's, in ascending order, that are registers of a thread: the others, predicates and special
  // values, lie elsewhere.
  Words words_of(const std::vector<isa::Word>& words, unsigned registers) const;
  // All that was asked for is past.
  void kernel_started() { unmarked_ = false; }

  // For threads in `lanes` of a warp, from cycle `from` on, which is `now` or later; `now` never falls. Returns the
  // cycle of the last access, `from` where there is none.
  Cycle reserve(const Words& words, const divergence::Warp& threads, isa::LaneMask lanes, Cycle now, Cycle from) {
    if (words.words.empty()) return from;
    const bool as_alone = lane_addresses_ || threads.one_row;
    if (now < free_from_ || !as_alone) return reserve_beside_others(words, threads, lanes, now, from);
    // The common case. Its accesses are only marked when somebody comes who could meet them.
    last_.words = words;
    last_.lanes = lanes;
    last_.from = from;
    keep(threads, lanes);
    unmarked_ = true;
    free_from_ = from + words.cycles;
    return free_from_ - 1;
  }

 private:
  // Rows are many bytes, of which one row needs two.
  void keep(const divergence::Warp& threads, isa::LaneMask lanes) {
    if (!threads.one_row) {
      last_.threads = threads;
      return;
    }
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    last_.threads.one_row = true;
    last_.threads.row[lane] = threads.row[lane];
  }

  // Of a cycle n the accesses n * per_cycle, n * per_cycle + 1 and so on.
  using Slot = std::uint64_t;
  struct Asked {
    Words words;
    divergence::Warp threads;
    isa::LaneMask lanes = 0;
    Cycle from = 0;
  };

  Cycle reserve_beside_others(const Words& words, const divergence::Warp& threads, isa::LaneMask lanes, Cycle now,
                              Cycle from);
  Cycle mark(const Words& words, const divergence::Warp& threads, isa::LaneMask lanes, Cycle from);
  template <class Take>
  void for_each_access(const divergence::Warp& threads, isa::LaneMask lanes, Take take) const;
  Slot take(unsigned bank, isa::LaneMask lanes, Slot slot);
  void forget_before(Slot slot);
  void grow();
  isa::LaneMask* taken(Slot slot) { return &taken_[(slot & (slots_ - 1)) * banks_]; }

  const unsigned banks_;  // a power of two
  const unsigned per_cycle_;
  const bool lane_addresses_;
  const bool by_row_;
  Cycle free_from_ = 0;    // nothing is taken from here on
  bool unmarked_ = false;  // what was asked for last is not marked yet, all else is past
  Asked last_;
  std::vector<isa::LaneMask> taken_;  // by slot mod slots_ and bank; empty but for [first_, end_)
  Slot slots_;                        // a power of two
  Slot first_ = 0, end_ = 0;
};

// Sees every access of a file's banks, in the order in which they are asked for: RTL beside the model, say.
class RegisterObserver {
 public:
  virtual ~RegisterObserver() = default;
  // `words` of threads in these lanes, from a cycle on; the last of them is served in the cycle `last`.
  virtual void accessed(const RegisterBanks::Words& words, const divergence::Warp& threads, isa::LaneMask lanes,
                        Cycle from, Cycle last) = 0;
};

}  // namespace warpfold
