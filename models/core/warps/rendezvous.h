// SPDX-License-Identifier: Apache-2.0
// Where the threads of an architectural warp meet for a `.sync` collective (bar.warp.sync, shfl, vote, match, redux,
// elect) although several warps carry them.
//
// PTX has a thread wait until all threads of its membermask that have not exited execute the collective with the same
// qualifiers and membermask; their pcs do not matter (PTX ISA §9.7.12). A warp all of whose threads find their members
// in it executes as any instruction: must_wait() is false. Otherwise its threads wait here, which would take entries of
// two masks and a state of 32 bits per architectural warp. A thread that can only come once those who wait have gone
// on, the other side of a stack, is left out, as chips before Volta do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpfold/core/core_params.h"
#include "warpfold/core/warps/waiting_threads.h"
#include "warpfold/divergence/mechanism.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

class Rendezvous {
 public:
  struct Entry {
    unsigned block = 0;         // slot
    unsigned index = 0;         // of the architectural warp in its block
    std::uint32_t opcode = 0;   // as MicroOp::text: with the qualifiers
    std::uint32_t members = 0;  // membermask
    std::uint32_t arrived = 0;
    std::uint32_t left_out = 0;
    std::vector<WaitingThreads> waiting;
  };
  // Lanes of a row that cannot go on before those who wait do (Mechanism::kept_back).
  using KeptBack = std::function<isa::LaneMask(const WaitingThreads& waiting, unsigned row)>;

  explicit Rendezvous(const CoreParams& params);

  void kernel_started(const isa::Kernel& kernel, isa::Executor& executor);
  void block_started(const divergence::Block& block);
  void exited(const divergence::Warp& warp, isa::LaneMask lanes);

  // Is the warp at a collective that it cannot execute by itself? Then executing() says which of its lanes would.
  bool must_wait(const divergence::Warp& warp);
  isa::LaneMask executing() const { return attendance_.lanes; }
  // The warp's executing lanes wait. Throws UserError where they and others wait for each other in different places.
  void arrive(divergence::WarpId id, const divergence::Warp& warp);
  // Executes one that nobody is missing at any more, and removes it.
  std::optional<Entry> take_complete(const KeptBack& kept_back);

  isa::LaneMask live_in(unsigned row) const { return rows_[row].live; }
  bool empty() const { return open_.empty(); }
  std::uint64_t threads() const { return threads_; }  // that wait
  // For a watchdog: one line per entry. `where` says where the thread in some lane of a row is.
  std::vector<std::string> report(const std::function<std::string(unsigned row, unsigned lane)>& where) const;

 private:
  // Lanes of one warp whose threads are of one architectural warp and have one membermask.
  struct Group {
    unsigned block, index;
    std::uint32_t members, threads;
    isa::LaneMask lanes;
  };
  struct Row {
    unsigned block = 0, first_row = 0, rows = 0;  // of its block
    isa::LaneMask live = 0;
  };

  unsigned thread_of(unsigned row, unsigned lane) const { return executor_->threads().thread_of(row, lane); }
  Group lowest_group(const divergence::Warp& warp, isa::LaneMask lanes) const;
  template <class Visit>
  void for_each_group(const divergence::Warp& warp, Visit visit) const;
  // Bits of an architectural warp out of the lanes of its rows: of_row(row).
  template <class OfRow>
  std::uint32_t collect(unsigned block, unsigned index, OfRow of_row) const;
  std::uint32_t live(unsigned block, unsigned index) const;
  std::uint32_t missing(const Entry& entry) const;
  std::uint32_t kept_back_of(const Entry& entry, std::uint32_t lacks, const KeptBack& kept_back) const;
  Entry& entry_of(const Group& group, std::uint32_t opcode);
  void execute(const Entry& entry);
  void check_membership(const Group& group, isa::Pc pc) const;
  void check_mutual(const Entry& entry) const;
  std::string text_of(const Entry& entry) const;
  std::string place_of(isa::Pc pc) const;

  const unsigned width_;  // of a row
  const isa::Kernel* kernel_ = nullptr;
  isa::Executor* executor_ = nullptr;
  std::vector<Row> rows_;
  std::vector<unsigned> first_row_of_block_;
  isa::Executor::Attendance attendance_;
  std::vector<Entry> open_;
  std::uint64_t threads_ = 0;
};

}  // namespace warpfold
