// SPDX-License-Identifier: Apache-2.0
// Votes, matches and shuffles over the lanes that execute together, in groups of 32 lanes; the clock; traps.
#include <bit>

#include "models/common/error.h"
#include "models/isa/execute.h"

namespace warpfold::isa {
namespace {

constexpr unsigned kGroup = 32;  // membermasks, ballots and shuffle indices are 32 bits and 5 bits wide

}  // namespace

void Executor::vote(const MicroOp& op) {
  LaneArray d{}, p{};
  const std::uint32_t* const members = op.s[1] == kNoWord ? nullptr : source(op.s[1], source_[1]);
  LaneMask holds = 0;
  const bool is_match = op.element_type == 'e' || op.element_type == 'q';
  if (!is_match && op.s[0] != kNoWord) {
    holds = mask_of(source(op.s[0], source_[0]));
    if (op.offset != 0) holds = ~holds;
  }
  for (unsigned first = 0; first < width_; first += kGroup) {
    const LaneMask group = active_ >> first & 0xffffffff;
    for (LaneMask rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest)) + first;
      const LaneMask together = group & (members == nullptr ? 0xffffffff : members[lane]);
      const LaneMask yes = holds >> first & together;
      switch (op.element_type) {
        case 'a':
          d[lane] = yes == together;
          break;
        case 'n':
          d[lane] = yes != 0;
          break;
        case 'u':
          d[lane] = yes == 0 || yes == together;
          break;
        case 'b':
          d[lane] = static_cast<std::uint32_t>(yes);
          break;
        case 'm':
          d[lane] = static_cast<std::uint32_t>(group);
          break;
        default:
          break;
      }
    }
  }
  if (is_match) match(op, members, d, p);
  write_back(op.d[0], d.data());
  if (op.d_count > 1) write_back(op.d[1], p.data());
}

void Executor::match(const MicroOp& op, const std::uint32_t* members, LaneArray& d, LaneArray& p) {
  const std::uint32_t* const low = source(op.s[0], source_[2]);
  const std::uint32_t* const high = op.s_wide & 1 ? source(static_cast<Word>(op.s[0] + 1), source_[3]) : low;
  for (unsigned first = 0; first < width_; first += kGroup) {
    const LaneMask group = active_ >> first & 0xffffffff;
    for (LaneMask rest = group; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest)) + first;
      const LaneMask together = group & (members == nullptr ? 0xffffffff : members[lane]);
      LaneMask same = 0;
      for (LaneMask others = together; others != 0; others &= others - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(others)) + first;
        if (low[other] == low[lane] && high[other] == high[lane]) same |= LaneMask{1} << (other - first);
      }
      p[lane] = same == together;
      d[lane] = op.element_type == 'e' || p[lane] != 0 ? static_cast<std::uint32_t>(same) : 0;
    }
  }
}

// PTX ISA §9.7.8, shfl: which lane is read, and whether it lies in the reader's segment.
void Executor::shuffle(const MicroOp& op) {
  const std::uint32_t* const a = source(op.s[0], source_[0]);
  const std::uint32_t* const b = source(op.s[1], source_[1]);
  const std::uint32_t* const c = source(op.s[2], source_[2]);
  const std::uint32_t* const members = op.s[3] == kNoWord ? nullptr : source(op.s[3], source_[3]);
  LaneArray d{}, p{};
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int in_group = static_cast<int>(lane % kGroup), by = static_cast<int>(b[lane] & 31);
    const int segment = static_cast<int>(c[lane] >> 8 & 31), clamp = static_cast<int>(c[lane] & 31);
    const int limit = (in_group & segment) | (clamp & ~segment);
    int from = 0;
    bool inside = false;
    switch (op.element_type) {
      case 'u':
        from = in_group - by, inside = from >= limit;
        break;
      case 'd':
        from = in_group + by, inside = from <= limit;
        break;
      case 'b':
        from = in_group ^ by, inside = from <= limit;
        break;
      default:
        from = (in_group & segment) | (by & ~segment), inside = from <= limit;
        break;
    }
    const unsigned source_lane = inside ? lane - static_cast<unsigned>(in_group) + static_cast<unsigned>(from) : lane;
    const bool together =
        (active_ >> source_lane & 1) != 0 && (members == nullptr || (members[lane] >> source_lane % kGroup & 1) != 0);
    d[lane] = a[together ? source_lane : lane];
    p[lane] = inside;
  }
  write_back(op.d[0], d.data());
  if (op.d_count > 1) write_back(op.d[1], p.data());
}

void Executor::clock(const MicroOp& op, std::uint64_t cycle) {
  LaneArray half;
  half.fill(static_cast<std::uint32_t>(cycle));
  write_back(op.d[0], half.data());
  if ((op.d_wide & 1) == 0) return;
  half.fill(static_cast<std::uint32_t>(cycle >> 32));
  write_back(static_cast<Word>(op.d[0] + 1), half.data());
}

void Executor::trap(const MicroOp& op) {
  user_error("{}: {} gave up; a check in the program failed", place(op), thread_text(first_));
}

}  // namespace warpfold::isa
