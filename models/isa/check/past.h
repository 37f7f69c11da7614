// SPDX-License-Identifier: Apache-2.0
// What has happened before some point of a thread's: of everybody, of whole blocks, and of single actors (threads or
// warps) all accesses up to a time. A vector clock that lists only whom something is known of, made once and shared.
//
// A past of more than kMost is rounded up: the actors of a block become the block, then what is oldest is taken to be
// known of everybody. Races can be missed for it, none is made up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpfold::isa {

class Past {
 public:
  using Ref = std::shared_ptr<const Past>;  // null: of nobody
  static constexpr std::size_t kMost = 256;

  // Whom it is of: an actor of a block, or all of the block.
  static std::uint64_t whole(std::uint32_t block) { return std::uint64_t{block} << 11; }
  static std::uint64_t actor(std::uint32_t block, unsigned actor) { return whole(block) | (actor + 1); }

  static Ref of_everybody(std::uint32_t until);
  static Ref of(const std::vector<std::uint64_t>& who, std::uint32_t until);  // in ascending order
  static Ref join(const Ref& a, const Ref& b);

  // Has what an actor did at a time?
  bool has(std::uint32_t block, unsigned actor, std::uint32_t time) const;

 private:
  struct Entry {
    std::uint64_t who = 0;
    std::uint32_t until = 0;
  };
  std::uint32_t until(std::uint64_t who) const;
  void round_up();

  std::uint32_t all_ = 0;
  std::vector<Entry> entries_;  // by who
};

}  // namespace warpfold::isa
