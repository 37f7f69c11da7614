// SPDX-License-Identifier: Apache-2.0
// The barriers of a block that a program names, or whose threads it counts: bar.sync 1, bar.sync 1, 64, bar.arrive
// (PTX ISA §9.7.13.1).
//
// A barrier without a count is of all live threads of the block. One with a count opens when so many threads have
// arrived, waiting or not. Counts are of whole architectural warps: one of whose threads some have arrived counts also
// for those that have exited or never were.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "warpfold/core/warps/rendezvous.h"
#include "warpfold/core/warps/waiting_threads.h"

namespace warpfold {

class NamedBarriers {
 public:
  struct Name {
    unsigned block = 0;  // slot
    unsigned barrier = 0;
    unsigned threads = 0;  // 0: all of the block
    bool operator==(const Name&) const = default;
  };
  using Threads = std::vector<std::uint32_t>;  // bits, by architectural warp
  struct Entry {
    Name name;
    Threads arrived{};
    std::vector<WaitingThreads> waited{};  // in the order of arrival
    unsigned threads() const;              // that arrived
    std::optional<unsigned> holding{};     // at bar.red: whose predicate holds
  };

  // Throws UserError where two counts meet at one barrier; `place` says where.
  void arrive(const Name& name, const Threads& arriving, std::optional<unsigned> holding, const std::string& place);
  // The threads that arrived last wait.
  void wait(const Name& name, const WaitingThreads& waiting);
  // Takes one of the block out at which, of these live threads, enough have arrived.
  std::optional<Entry> take_full(unsigned block, const Threads& live);

  bool empty() const { return open_.empty(); }
  std::uint64_t threads() const { return waiting_; }  // that wait
  const std::vector<Entry>& open() const { return open_; }
  void block_started(unsigned block);

 private:
  static bool is_full(const Entry& entry, const Threads& live);

  std::vector<Entry> open_;
  std::uint64_t waiting_ = 0;
};

}  // namespace warpfold
