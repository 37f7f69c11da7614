// SPDX-License-Identifier: Apache-2.0
// Votes, matches, reductions and shuffles among threads of an architectural warp; barriers that reduce; the clock;
// traps.
#include <algorithm>
#include <bit>

#include "warpfold/common/launch_error.h"
#include "warpfold/isa/check/memory_checker.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/matrix_step.h"

namespace warpfold::isa {

// What the threads of an architectural warp that execute a collective together bring to it and take from it, by their
// lane there.
struct Executor::Exchange {
  using Values = std::array<std::uint32_t, kArchitecturalWarp>;
  std::uint32_t together = 0;  // who takes part
  Values a{}, b{}, c{};        // sources; a 64-bit one has its upper half in b
  Values d{}, p{};             // results
};

namespace {

// Calls visit(lane, its bit) for each lane of a mask.
template <class Mask, class Visit>
void for_each_lane(Mask lanes, Visit visit) {
  for (Mask rest = lanes; rest != 0; rest &= rest - 1)
    visit(static_cast<unsigned>(std::countr_zero(rest)), rest & -rest);
}

unsigned modulo_warp(unsigned thread) { return thread % kArchitecturalWarp; }

}  // namespace

unsigned Executor::architectural_lane(unsigned lane) const {
  return modulo_warp(threads_->thread_of(row_of(lane), lane));
}

// Those of `lanes` that hold threads of the same architectural warp as the lowest of them.
LaneMask Executor::warp_mates(LaneMask lanes) const {
  if (one_row_) {  // as wide as a power of two, and begun at a multiple of it; a lane map moves 32 lanes as one
    const unsigned lowest = static_cast<unsigned>(std::countr_zero(lanes));
    return lanes & LaneMask{0xffffffff} << lowest / kArchitecturalWarp * kArchitecturalWarp;
  }
  const auto key = [this](unsigned lane) {
    const unsigned row = row_of(lane);
    return std::pair(&threads_->block_of(row), threads_->thread_of(row, lane) / kArchitecturalWarp);
  };
  const auto of_lowest = key(static_cast<unsigned>(std::countr_zero(lanes)));
  LaneMask mates = 0;
  for_each_lane(lanes, [&](unsigned lane, LaneMask bit) { mates |= key(lane) == of_lowest ? bit : 0; });
  return mates;
}

const std::uint32_t* Executor::membermask(const MicroOp& op) { return source(op.s[op.s_count - 1U], source_[4]); }

void Executor::attend(Pc pc, const Lanes& lanes, Attendance& attendance) {
  const MicroOp& op = launch_->kernel->ops[pc];
  begin(lanes);
  attendance.lanes = op.guard == kNoWord ? lanes.mask : lanes.mask & guard(op);
  const std::uint32_t* const members = membermask(op);
  for_each_lane(attendance.lanes, [&](unsigned lane, LaneMask) { attendance.members[lane] = members[lane]; });
}

// Collectives among the lanes that execute: each with those of its architectural warp, and of its membermask.
void Executor::collective(const MicroOp& op) {
  if (op.operation == Operation::kMatrix) return matrix_steps(op);
  LaneArray d{}, p{};
  const std::uint32_t* const members = op.collective ? membermask(op) : nullptr;
  for (LaneMask rest = active_; rest != 0;) {
    LaneMask group = warp_mates(rest);
    const std::uint32_t wanted = members != nullptr ? members[std::countr_zero(rest)] : ~std::uint32_t{0};
    if (members != nullptr) {
      for_each_lane(group,
                    [&](unsigned lane, LaneMask bit) { group &= members[lane] == wanted ? ~LaneMask{0} : ~bit; });
    }
    Exchange exchange;
    gather(op, group, exchange);
    exchange.together &= wanted;
    evaluate(op, exchange);
    for_each_lane(group, [&](unsigned lane, LaneMask) {
      d[lane] = exchange.d[architectural_lane(lane)];
      p[lane] = exchange.p[architectural_lane(lane)];
    });
    rest &= ~group;
  }
  deliver(op, d, p);
}

void Executor::meet(std::span<const Part> parts) {
  if (launch_->kernel->ops[parts.front().pc].operation == Operation::kMatrix) return matrix_step(parts);
  Exchange exchange;
  const MicroOp* op = nullptr;
  for (const Part& part : parts) {
    op = &launch_->kernel->ops[part.pc];
    begin(part.lanes);
    gather(*op, part.lanes.mask, exchange);
  }
  if (op->kind == Kind::kFence) {
    if (checker_ == nullptr) return;
    checker_->next_instruction();
    return note_warp_sync(static_cast<unsigned>(std::countr_zero(parts.back().lanes.mask)), exchange.together);
  }
  evaluate(*op, exchange);
  for (const Part& part : parts) {
    begin(part.lanes);
    active_ = part.lanes.mask;
    write_through_ = false;
    LaneArray d{}, p{};
    for_each_lane(active_, [&](unsigned lane, LaneMask) {
      d[lane] = exchange.d[architectural_lane(lane)];
      p[lane] = exchange.p[architectural_lane(lane)];
    });
    deliver(launch_->kernel->ops[part.pc], d, p);
  }
}

// Adds the sources of some lanes.
void Executor::gather(const MicroOp& op, LaneMask lanes, Exchange& exchange) {
  const unsigned values = op.s_count - (op.collective ? 1U : 0U);
  const std::uint32_t* a = values > 0 ? source(op.s[0], source_[0]) : nullptr;
  const std::uint32_t* b = values > 1 ? source(op.s[1], source_[1]) : nullptr;
  const std::uint32_t* c = values > 2 ? source(op.s[2], source_[2]) : nullptr;
  if (op.s_wide & 1) b = source(static_cast<Word>(op.s[0] + 1), source_[1]);
  for_each_lane(lanes, [&](unsigned lane, LaneMask) {
    const unsigned at = architectural_lane(lane);
    exchange.together |= std::uint32_t{1} << at;
    if (a != nullptr) exchange.a[at] = a[lane];
    if (b != nullptr) exchange.b[at] = b[lane];
    if (c != nullptr) exchange.c[at] = c[lane];
  });
}

void Executor::deliver(const MicroOp& op, const LaneArray& d, const LaneArray& p) {
  write_back(op.d[0], d.data());
  if (op.d_count > 1) write_back(op.d[1], p.data());
}

void Executor::evaluate(const MicroOp& op, Exchange& exchange) {
  if (op.kind == Kind::kShuffle) return shuffle(op, exchange);
  switch (op.element_type) {
    case 'e':
    case 'q':
      return match(op, exchange);
    case 'r':
      return reduce(op, exchange);
    case 'f':
      return reduce_floats(op, exchange);
    default:
      return vote(op, exchange);
  }
}

void Executor::vote(const MicroOp& op, Exchange& exchange) {
  const std::uint32_t together = exchange.together;
  std::uint32_t yes = 0;
  for_each_lane(together, [&](unsigned lane, std::uint32_t bit) {
    yes |= (exchange.a[lane] != 0) != (op.offset != 0) ? bit : 0;
  });
  std::uint32_t result = 0;
  switch (op.element_type) {
    case 'a':
      result = yes == together;
      break;
    case 'n':
      result = yes != 0;
      break;
    case 'u':
      result = yes == 0 || yes == together;
      break;
    case 'b':
      result = yes;
      break;
    case 'm':
      result = together;
      break;
    default:  // elect: the lowest leads
      result = static_cast<std::uint32_t>(std::countr_zero(together));
      exchange.p[result & 31] = 1;
      break;
  }
  exchange.d.fill(result);
}

void Executor::match(const MicroOp& op, Exchange& exchange) {
  for_each_lane(exchange.together, [&](unsigned lane, std::uint32_t) {
    std::uint32_t same = 0;
    for_each_lane(exchange.together, [&](unsigned other, std::uint32_t bit) {
      const bool equal = exchange.a[other] == exchange.a[lane] && exchange.b[other] == exchange.b[lane];
      same |= equal ? bit : 0;
    });
    exchange.p[lane] = same == exchange.together;
    exchange.d[lane] = op.element_type == 'e' || exchange.p[lane] != 0 ? same : 0;
  });
}

void Executor::reduce(const MicroOp& op, Exchange& exchange) {
  std::uint32_t result = exchange.a[static_cast<unsigned>(std::countr_zero(exchange.together))];
  for_each_lane(exchange.together & (exchange.together - 1), [&](unsigned lane, std::uint32_t) {
    const std::uint32_t value = exchange.a[lane];
    const bool less =
        op.sign_extend ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(result) : value < result;
    switch (op.atomic) {
      case Atomic::kAdd:
        result += value;
        break;
      case Atomic::kMin:
        result = less ? value : result;
        break;
      case Atomic::kMax:
        result = less ? result : value;
        break;
      case Atomic::kAnd:
        result &= value;
        break;
      case Atomic::kOr:
        result |= value;
        break;
      default:
        result ^= value;
        break;
    }
  });
  exchange.d.fill(result);
}

// As whole numbers in the order of the floats, −0 below +0. What is no number is at the end where it wins, if it stays,
// and else where it loses.
void Executor::reduce_floats(const MicroOp& op, Exchange& exchange) {
  constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff;
  const bool magnitudes = (op.offset & 1) != 0, stays = (op.offset & 2) != 0, greatest = op.atomic == Atomic::kMax;
  const std::uint32_t nan = stays == greatest ? ~std::uint32_t{0} : 0;
  std::uint32_t result = greatest ? 0 : ~std::uint32_t{0};
  for_each_lane(exchange.together, [&](unsigned lane, std::uint32_t) {
    const std::uint32_t bits = magnitudes ? exchange.a[lane] & ~kSign : exchange.a[lane];
    const std::uint32_t ordered = (bits & kSign) != 0 ? ~bits : bits | kSign;
    const std::uint32_t value = (bits & ~kSign) > kInfinity ? nan : ordered;
    result = greatest ? std::max(result, value) : std::min(result, value);
  });
  const bool none = result == 0 || result == ~std::uint32_t{0};
  exchange.d.fill(none ? kNan : (result & kSign) != 0 ? result & ~kSign : ~result);
}

// PTX ISA §9.7.8, shfl: which lane is read, and whether it lies in the reader's segment.
void Executor::shuffle(const MicroOp& op, Exchange& exchange) {
  for_each_lane(exchange.together, [&](unsigned at, std::uint32_t) {
    const int lane = static_cast<int>(at), by = static_cast<int>(exchange.b[at] & 31);
    const int segment = static_cast<int>(exchange.c[at] >> 8 & 31), clamp = static_cast<int>(exchange.c[at] & 31);
    const int limit = (lane & segment) | (clamp & ~segment);
    int from = 0;
    switch (op.element_type) {
      case 'u':
        from = lane - by;
        break;
      case 'd':
        from = lane + by;
        break;
      case 'b':
        from = lane ^ by;
        break;
      default:
        from = (lane & segment) | (by & ~segment);
        break;
    }
    const bool inside = op.element_type == 'u' ? from >= limit : from <= limit;
    const bool there = inside && (exchange.together >> from & 1) != 0;
    exchange.d[at] = exchange.a[there ? static_cast<unsigned>(from) : at];
    exchange.p[at] = inside;
  });
}

LaneMask Executor::holding(Pc pc, const Lanes& lanes) {
  const MicroOp& op = launch_->kernel->ops[pc];
  begin(lanes);
  const LaneMask holds = mask_of(source(op.s[0], source_[0]));
  return lanes.mask & (op.offset != 0 ? ~holds : holds);
}

void Executor::give(Pc pc, const Lanes& lanes, std::uint32_t value) {
  begin(lanes);
  active_ = lanes.mask;
  write_through_ = false;
  LaneArray values;
  values.fill(value);
  write_back(launch_->kernel->ops[pc].d[0], values.data());
}

std::array<std::uint32_t, kMaxLanes> Executor::values_of(Pc pc, const Lanes& lanes, unsigned operand) {
  begin(lanes);
  const std::uint32_t* const held = source(launch_->kernel->ops[pc].s[operand], source_[0]);
  LaneArray values{};
  std::copy_n(held, width_, values.begin());
  return values;
}

void Executor::clock(const MicroOp& op, std::uint64_t cycle) {
  LaneArray half;
  if (op.offset != 0) cycle >>= 32;
  half.fill(static_cast<std::uint32_t>(cycle));
  write_back(op.d[0], half.data());
  if ((op.d_wide & 1) == 0) return;
  half.fill(static_cast<std::uint32_t>(cycle >> 32));
  write_back(static_cast<Word>(op.d[0] + 1), half.data());
}

void Executor::trap(const MicroOp& op) {
  if (op.s_count != 0) {  // indirect_jumps.h
    const std::uint32_t low = source(op.s[0], source_[0])[first_];
    if ((op.s_wide & 1) == 0) {
      kernel_fault(KernelFault::Kind::kTrap, "{}: {} jumps through entry {} of a table that has not so many", place(op),
                   thread_text(first_), low);
    }
    const std::uint32_t high = source(static_cast<Word>(op.s[0] + 1), source_[1])[first_];
    kernel_fault(KernelFault::Kind::kTrap, "{}: {} calls address {:#x}, where no function with such parameters is",
                 place(op), thread_text(first_), std::uint64_t{high} << 32 | low);
  }
  kernel_fault(KernelFault::Kind::kTrap, "{}: {} gave up; a check in the program failed", place(op),
               thread_text(first_));
}

}  // namespace warpfold::isa
