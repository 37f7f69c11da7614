// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics under a checker (check/memory_checker.h): lane by lane, with a stand-in for the memory of
// those that may not be where they are.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <functional>
#include <string_view>

#include "warpfold/common/symbol_name.h"
#include "warpfold/isa/check/memory_checker.h"
#include "warpfold/isa/execute/access/generic_window.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {
namespace {

// What all lanes' accesses have in common. An atomic that returns a value counts as an acquire: the CUDA guide's own
// examples have no fence behind it. An mbarrier's operations are of a block, and order (PTX ISA §9.7.13.15).
Touch touch_of(const MicroOp& op, std::string_view opcode) {
  const auto has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
  const bool atomic = op.kind == Kind::kAtomic, arrives = has(".mbarrier::");
  Touch touch;
  touch.element_bytes = op.element_bytes;
  touch.reads = op.kind != Kind::kStore;
  touch.writes = op.kind != Kind::kLoad;
  touch.wide = !arrives && !has(".cta");
  touch.releases = arrives || has(".release") || has(".acq_rel");
  touch.acquires = has(".acquire") || (atomic && op.d_count != 0);
  const bool strong = atomic || touch.releases || touch.acquires || has(".relaxed") || has(".mmio");
  const bool weak = !has(".volatile") && !has(".cv") && !has(".cg");
  touch.strength = strong ? Strength::kAtomic : weak ? Strength::kPlain : Strength::kVolatile;
  return touch;
}

}  // namespace

// What a store writes.
struct Executor::StoredValues {
  std::array<const std::uint32_t*, 4> low{}, high{};

  // Does it write other bytes than are there, those of lanes before it included? Writes them, as the store will again.
  bool changes(const MicroOp& op, unsigned lane, std::byte* at) const {
    bool any = false;
    for (unsigned k = 0; k < op.s_count && low[k] != nullptr; ++k) {
      const std::uint64_t value = low[k][lane] | (high[k] != nullptr ? std::uint64_t{high[k][lane]} << 32 : 0);
      any |= std::memcmp(at + k * op.element_bytes, &value, op.element_bytes) != 0;
      std::memcpy(at + k * op.element_bytes, &value, op.element_bytes);
    }
    return any;
  }
};

// outcome.address holds the addresses as the instruction has them.
void Executor::resolve_checked(Access& access) {
  const MicroOp& op = access.op;
  Outcome& outcome = access.outcome;
  StoredValues stored;
  for (unsigned k = 0; op.kind == Kind::kStore && k < op.s_count; ++k) {
    if (op.s[k] == kNoWord) continue;
    stored.low[k] = source(op.s[k], source_[2 * k]);
    if (op.element_bytes == 8) stored.high[k] = source(static_cast<Word>(op.s[k] + 1), source_[2 * k + 1]);
  }
  checker_->next_instruction();
  Touch touch = touch_of(op, launch_->kernel->opcodes[op.text]);
  touch.bytes = access.bytes;
  touch.pc = static_cast<Pc>(&op - launch_->kernel->ops.data());
  outcome.space = Space::kGlobal;
  LaneMask kept = 0;
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    Address& address = outcome.address[lane];
    const Address asked = address;
    const Window window = window_of(op.space, asked);
    address -= window.begin;
    const bool aligned = (asked & (access.bytes - 1)) == 0;
    std::byte* at = aligned ? find(access, lane, window.space, address) : nullptr;
    if (at == nullptr) {
      at = stand_in(access, lane, window.space, address, asked);
    } else {
      if (kept == 0) outcome.space = window.space;
      kept |= rest & -rest;
      if (checker_->looks_at_values()) tell(access, lane, window.space, at, stored, touch);
      address = in_one_space(lane, window.space, outcome.space, address);
    }
    host_[lane] = reinterpret_cast<Address>(at);
  }
  for (unsigned lane = 0; lane < width_; ++lane) host_[lane] = active_ >> lane & 1 ? host_[lane] : host_[first_];
  access.where = host_.data();
  access.delta = 0;
  outcome.executed = kept;
}

std::byte* Executor::stand_in(const Access& access, unsigned lane, Space space, Address address, Address asked) {
  const bool is_misaligned = (asked & (access.bytes - 1)) != 0;
  const bool global = space == Space::kGlobal || space == Space::kTexture;
  const bool was_freed = global && memory_->find(address) == nullptr && memory_->freed(address) != nullptr;
  const FindingKind kind = is_misaligned ? FindingKind::kMisaligned
                           : was_freed   ? FindingKind::kUseAfterFree
                                         : FindingKind::kOutOfBounds;
  const auto describe = [&] {
    Finding found = finding(access, lane, space, is_misaligned ? asked : address);
    found.memory = is_misaligned ? fmt::format("the address is not a multiple of {}", access.bytes)
                                 : outside_text(access, lane, space, address);
    return found;
  };
  if (!access.op.pushes_frame && checker_->suppresses(kind, access.op, std::ref(describe)))
    return checker_->stand_in(lane);
  if (is_misaligned) misaligned(access, lane, asked);
  fault(access, lane, space, address);
}

Finding Executor::finding(const Access& access, unsigned lane, Space space, Address address) const {
  Finding found;
  found.kernel = shown_name(launch_->kernel->name);
  found.source = source_text(access.op);
  found.ptx = ptx_text(access.op);
  found.thread = thread_text(lane);
  found.act = act_text(access, address);
  if (space == Space::kShared) found.act += " of its block's shared memory";
  if (space == Space::kLocal) found.act += " of its local memory";
  const Allocation* const allocation =
      space == Space::kGlobal || space == Space::kTexture ? memory_->find(address) : nullptr;
  if (allocation != nullptr) found.memory = inside_text(*allocation, address);
  return found;
}

// An access that may be where it is.
void Executor::tell(const Access& access, unsigned lane, Space space, std::byte* at, const StoredValues& stored,
                    Touch& touch) {
  if (is_read_only(space)) return;
  const MicroOp& op = access.op;
  const Kernel& kernel = *launch_->kernel;
  touch.space = space == Space::kTexture ? Space::kGlobal : space;
  touch.address = access.outcome.address[lane];
  touch.changes = op.kind == Kind::kAtomic || (op.kind == Kind::kStore && stored.changes(op, lane, at));
  touch.block = threads_->block_of(row_of(lane)).id;
  touch.thread = threads_->thread_of(row_of(lane), lane);
  const auto describe = [&] { return finding(access, lane, space, touch.address); };
  const auto describe_race = [&](const Races::Earlier& earlier) {
    const Dim3& grid = launch_->grid;
    const std::uint64_t id = earlier.block;
    const Dim3 block{static_cast<unsigned>(id % grid.x), static_cast<unsigned>(id / grid.x % grid.y),
                     static_cast<unsigned>(id / grid.x / grid.y)};
    const MicroOp& other = kernel.ops[earlier.pc];
    const std::string source = source_text(other), ptx = ptx_text(other);
    const bool atomic = op.kind == Kind::kAtomic || other.kind == Kind::kAtomic;
    const char* const excuse = !earlier.harmless ? ""
                               : atomic          ? ", but an atomic of the reader's own comes behind"
                                                 : ", but what was written was there already";
    Finding found = describe();
    found.memory =
        fmt::format("{} {} there at {}, and nothing orders the two{}{}{}", thread_text(block, earlier.thread),
                    earlier.wrote ? "wrote" : "read", source.empty() ? ptx : fmt::format("{} ({})", source, ptx),
                    excuse, found.memory.empty() ? "" : "; ", found.memory);
    return found;
  };
  checker_->touched(touch, op, std::ref(describe), std::ref(describe_race));  // references: nothing to allocate
}

void Executor::note_fence(const MicroOp& op) {
  if (!checker_->looks_at_races()) return;
  checker_->next_instruction();
  if (op.collective) return note_warp_syncs(op);
  const std::string& opcode = launch_->kernel->opcodes[op.text];
  const bool orders =
      opcode.starts_with("membar") || (opcode.starts_with("fence") && !opcode.starts_with("fence.proxy"));
  if (!orders) return;  // nanosleep
  const bool wide = opcode.find(".cta") == std::string::npos;
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned row = row_of(lane);
    checker_->races().fenced(threads_->block_of(row).id, threads_->thread_of(row, lane), wide);
  }
}

// Of lanes that are all there: those of a warp with one membermask.
void Executor::note_warp_syncs(const MicroOp& op) {
  const std::uint32_t* const members = membermask(op);
  for (LaneMask rest = active_; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    std::uint32_t together = 0;
    for (LaneMask mates = warp_mates(rest); mates != 0; mates &= mates - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(mates));
      if (members[lane] != members[first]) continue;
      together |= std::uint32_t{1} << architectural_lane(lane);
      rest &= ~(LaneMask{1} << lane);
    }
    note_warp_sync(first, together);
  }
}

void Executor::note_warp_sync(unsigned lane, std::uint32_t threads) {
  const unsigned row = row_of(lane);
  const unsigned warp = threads_->thread_of(row, lane) / kArchitecturalWarp;
  checker_->races().warp_synced(threads_->block_of(row).id, warp, threads);
}

void Executor::note_barrier(unsigned row) { checker_->races().barrier_opened(threads_->block_of(row).id); }

void Executor::note_barrier(unsigned row, std::span<const std::uint32_t> arrived,
                            std::span<const std::uint32_t> waited) {
  checker_->races().barrier_opened(threads_->block_of(row).id, arrived, waited);
}

}  // namespace warpfold::isa
