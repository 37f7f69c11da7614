// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warps/rendezvous.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/common/warning.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold {

using divergence::Warp;
using divergence::WarpId;
using isa::kArchitecturalWarp;
using isa::LaneMask;

namespace {

LaneMask lane_bit(unsigned lane) { return LaneMask{1} << lane; }

// "0-3, 7": the threads of a mask.
std::string list_of(std::uint32_t threads) {
  std::string text;
  while (threads != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(threads));
    const auto length = static_cast<unsigned>(std::countr_one(threads >> first));
    text += text.empty() ? "" : ", ";
    text += length == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + length - 1);
    threads &= static_cast<std::uint32_t>(~(((std::uint64_t{1} << length) - 1) << first));
  }
  return text;
}

}  // namespace

Rendezvous::Rendezvous(const CoreParams& params)
    : width_(params.warp_size), rows_(params.rows()), first_row_of_block_(params.max_blocks, 0) {}

void Rendezvous::kernel_started(const isa::Kernel& kernel, isa::Executor& executor) {
  check(open_.empty() && threads_ == 0, "no rendezvous outlives its kernel");
  kernel_ = &kernel;
  executor_ = &executor;
}

void Rendezvous::block_started(const divergence::Block& block) {
  first_row_of_block_[block.slot] = block.first_row;
  for (unsigned row = 0; row < block.rows(); ++row) {
    rows_[block.first_row + row] = {block.slot, block.first_row, block.rows(), block.threads[row]};
  }
}

void Rendezvous::exited(const Warp& warp, LaneMask lanes) {
  divergence::for_each_row(warp, lanes, [this](unsigned row, LaneMask of_row) { rows_[row].live &= ~of_row; });
}

Rendezvous::Group Rendezvous::lowest_group(const Warp& warp, LaneMask lanes) const {
  const auto lowest = static_cast<unsigned>(std::countr_zero(lanes));
  const Row& row = rows_[warp.row[lowest]];
  Group group{row.block, thread_of(warp.row[lowest], lowest) / kArchitecturalWarp, attendance_.members[lowest], 0, 0};
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned thread = thread_of(warp.row[lane], lane);
    if (rows_[warp.row[lane]].block != group.block || thread / kArchitecturalWarp != group.index ||
        attendance_.members[lane] != group.members) {
      continue;
    }
    group.lanes |= lane_bit(lane);
    group.threads |= std::uint32_t{1} << thread % kArchitecturalWarp;
  }
  return group;
}

template <class Visit>
void Rendezvous::for_each_group(const Warp& warp, Visit visit) const {
  for (LaneMask rest = attendance_.lanes; rest != 0;) {
    const Group group = lowest_group(warp, rest);
    visit(group);
    rest &= ~group.lanes;
  }
}

template <class OfRow>
std::uint32_t Rendezvous::collect(unsigned block, unsigned index, OfRow of_row) const {
  const unsigned first = first_row_of_block_[block], begin = index * kArchitecturalWarp;
  const auto places = [&](unsigned row) { return isa::flipped(of_row(row), executor_->threads().flip_of(row)); };
  if (width_ >= kArchitecturalWarp) {
    return static_cast<std::uint32_t>(places(first + begin / width_) >> begin % width_);
  }
  std::uint32_t bits = 0;
  for (unsigned done = 0; done < kArchitecturalWarp; done += width_) {
    const unsigned row = (begin + done) / width_;
    if (row >= rows_[first].rows) break;
    bits |= static_cast<std::uint32_t>(places(first + row) & (lane_bit(width_) - 1)) << done;
  }
  return bits;
}

std::uint32_t Rendezvous::live(unsigned block, unsigned index) const {
  return collect(block, index, [this](unsigned row) { return rows_[row].live; });
}

std::uint32_t Rendezvous::missing(const Entry& entry) const {
  return entry.members & live(entry.block, entry.index) & ~entry.arrived;
}

bool Rendezvous::must_wait(const Warp& warp) {
  executor_->attend(warp.pc, {warp.row.data(), warp.mask, width_, warp.one_row}, attendance_);
  bool waits = false;
  for_each_group(warp, [&](const Group& group) {
    check_membership(group, warp.pc);
    waits |= (group.members & live(group.block, group.index) & ~group.threads) != 0;
  });
  return waits;
}

void Rendezvous::arrive(WarpId id, const Warp& warp) {
  const std::uint32_t opcode = kernel_->ops[warp.pc].text;
  executor_->attend(warp.pc, {warp.row.data(), warp.mask, width_, warp.one_row}, attendance_);
  for_each_group(warp, [&](const Group& group) {
    Entry& entry = entry_of(group, opcode);
    entry.arrived |= group.threads;
    threads_ += isa::count_lanes(group.lanes);
    divergence::narrow(entry.waiting.emplace_back(WaitingThreads{id, warp}).threads, group.lanes);
    check_mutual(entry);
  });
}

Rendezvous::Entry& Rendezvous::entry_of(const Group& group, std::uint32_t opcode) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Entry& entry) {
    return entry.block == group.block && entry.index == group.index && entry.opcode == opcode &&
           entry.members == group.members;
  });
  if (found != open_.end()) return *found;
  return open_.emplace_back(Entry{group.block, group.index, opcode, group.members, 0, 0, {}});
}

std::optional<Rendezvous::Entry> Rendezvous::take_complete(const KeptBack& kept_back) {
  for (auto entry = open_.begin(); entry != open_.end(); ++entry) {
    const std::uint32_t lacks = missing(*entry);
    if ((lacks & ~kept_back_of(*entry, lacks, kept_back)) != 0) continue;
    entry->left_out = lacks;
    Entry taken = std::move(*entry);
    open_.erase(entry);
    execute(taken);
    return taken;
  }
  return std::nullopt;
}

std::uint32_t Rendezvous::kept_back_of(const Entry& entry, std::uint32_t lacks, const KeptBack& kept_back) const {
  std::uint32_t kept = 0;
  for (auto w = entry.waiting.begin(); w != entry.waiting.end() && (lacks & ~kept) != 0; ++w) {
    kept |= collect(entry.block, entry.index, [&](unsigned row) { return kept_back(*w, row); });
  }
  return kept;
}

void Rendezvous::execute(const Entry& entry) {
  std::vector<isa::Executor::Part> parts;
  for (const WaitingThreads& waiting : entry.waiting) {
    const Warp& threads = waiting.threads;
    parts.push_back({threads.pc, {threads.row.data(), threads.mask, width_, threads.one_row}});
    threads_ -= isa::count_lanes(threads.mask);
  }
  executor_->meet(parts);
  if (entry.left_out == 0) return;
  warn_once(
      fmt::format("kernel '{}': {} goes on without threads of its membermask that its warp's stack keeps back, as on "
                  "chips before Volta; rendezvous_left_out counts them",
                  kernel_->name, text_of(entry)));
}

std::string Rendezvous::text_of(const Entry& entry) const {
  return fmt::format("{} (membermask {:#x}) at {}", kernel_->opcodes[entry.opcode], entry.members,
                     place_of(entry.waiting.front().threads.pc));
}

std::string Rendezvous::place_of(isa::Pc pc) const {
  return fmt::format("{}:{}", kernel_->file, kernel_->ops[pc].line);
}

void Rendezvous::check_membership(const Group& group, isa::Pc pc) const {
  const std::uint32_t outside = group.threads & ~group.members;
  if (outside == 0) return;
  user_error("kernel '{}', {}: lane {} of warp {} executes {} with membermask {:#x}, which leaves it out",
             kernel_->name, place_of(pc), list_of(outside), group.index, kernel_->opcodes[kernel_->ops[pc].text],
             group.members);
}

// Two that miss threads of each other can never be complete.
void Rendezvous::check_mutual(const Entry& entry) const {
  for (const Entry& other : open_) {
    if (other.block != entry.block || other.index != entry.index) continue;
    if ((missing(entry) & other.arrived) == 0 || (missing(other) & entry.arrived) == 0) continue;
    user_error(
        "kernel '{}': lanes of warp {} wait for each other at two collectives: {} at {}, {} at {}; threads of a "
        "membermask must execute the same collective with the same mask",
        kernel_->name, entry.index, list_of(other.arrived), text_of(other), list_of(entry.arrived), text_of(entry));
  }
}

std::vector<std::string> Rendezvous::report(
    const std::function<std::string(unsigned row, unsigned lane)>& where) const {
  std::vector<std::string> lines;
  for (const Entry& entry : open_) {
    const std::uint32_t lacks = missing(entry);
    const unsigned thread = entry.index * kArchitecturalWarp + static_cast<unsigned>(std::countr_zero(lacks));
    const unsigned row = first_row_of_block_[entry.block] + thread / width_;
    lines.push_back(fmt::format("lanes {} of warp {} wait at {} for lanes {}, the first of which {}",
                                list_of(entry.arrived), entry.index, text_of(entry), list_of(lacks),
                                where(row, thread % width_ ^ executor_->threads().flip_of(row))));
  }
  return lines;
}

}  // namespace warpfold
