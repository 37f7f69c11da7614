// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/memory/load_store_unit.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/isa/address_space.h"

namespace warpfold {

using isa::Kind;
using isa::Space;

LoadStoreUnit::LoadStoreUnit(sc_core::sc_module_name name, const CoreParams& params, const Caches& caches,
                             const divergence::LanePacking& packing, ClockDomain& core_clock, unsigned index,
                             StatGroup& stats)
    : sc_module(name),
      params_(params),
      caches_(caches),
      packing_(packing),
      all_alike_(packing.packing() == divergence::Packing::kNone && !params.lanes_by_type),
      queue_(params.lsu_queue_entries),
      loads_(stats.counter("load_instructions", "warp instructions", "loads that reached the load/store unit")),
      stores_(stats.counter("store_instructions", "warp instructions", "stores that reached the load/store unit")),
      atomics_(stats.counter("atomic_instructions", "warp instructions", "atomics that reached the load/store unit")),
      shared_(stats.counter("shared_instructions", "warp instructions", "shared memory and parameter accesses")),
      line_accesses_(stats.counter("line_accesses", "accesses", "cache lines that warps asked for after coalescing")),
      shared_conflicts_(stats.counter("stall_shared_bank", "cycles", "shared memory passes added by bank conflicts")),
      constant_serial_(
          stats.counter("stall_constant", "cycles", "constant reads added by distinct addresses in a warp")),
      stall_mshr_(
          stats.counter("stall_mshr", "cycles", "load/store unit held up: no miss register or merge place free")),
      stall_queue_(
          stats.counter("stall_miss_queue", "cycles", "load/store unit held up: queue towards the interconnect full")),
      stall_port_(stats.counter("stall_coalescing", "cycles", "cache port cycles beyond the first of an instruction")),
      stall_bank_(stats.counter("stall_cache_bank", "cycles",
                                "accesses put off by a cycle: an earlier one of the cycle has the bank")) {
  isa::MicroOp access;
  access.unit = isa::Unit::kMemory;
  groups_ = lane_groups(access, 0, params.warp_size, params, packing);
  core_clock.add(*this, index);
}

LoadStoreUnit::Cache LoadStoreUnit::cache_of(Space space) const {
  if (space == Space::kTexture) return params_.lsu.texture == TexturePath::kOwn ? kTexture : kData;
  return space == Space::kConst ? kConstant : kData;
}

tlm::tlm_sync_enum LoadStoreUnit::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& phase) {
  check(!refused_, "a memory instruction issues while the load/store unit is full");
  const std::uint32_t token = operations_.take();
  Operation& operation = operations_[token];
  const LaneGroups groups = groups_of(instruction);
  instruction.hold_cycles = groups.unit;
  instruction.port_cycles = groups.port;
  describe(operation, instruction);
  instruction.lines = static_cast<std::uint16_t>(operation.accesses.size());
  instruction.conflicts = static_cast<std::uint16_t>(operation.conflicts);
  if (tells_of_lines_) [[unlikely]]
    tell_lines(operation, instruction);
  queue_.push(token);
  wake(operation.arrives_at);
  if (queue_.size() < params_.lsu_queue_entries) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  refused_ = true;
  return tlm::TLM_ACCEPTED;
}

// Mostly the same for all.
LaneGroups LoadStoreUnit::groups_of(const Instruction& instruction) const {
  const isa::MicroOp& op = *instruction.op;
  const bool plain = all_alike_ && op.unit == isa::Unit::kMemory && op.operation == isa::Operation::kOther;
  return plain && instruction.width == params_.warp_size
             ? groups_
             : lane_groups(op, execution_mask(instruction), instruction.width, params_, packing_);
}

void LoadStoreUnit::describe(Operation& operation, const Instruction& instruction) {
  const isa::Outcome& outcome = *instruction.outcome;
  operation.instruction = instruction;
  operation.instruction.call_ends();
  operation.space = outcome.space;
  operation.arrives_at = instruction.issued_at + instruction.operand_cycles + params_.address_latency_cycles +
                         (all_alike_ ? 0 : packing_wait(*instruction.op, instruction.width, params_, packing_));
  operation.sent = operation.outstanding = operation.passes = operation.conflicts = 0;
  operation.data_at = operation.arrives_at;
  operation.addressed_at = kNever;
  operation.finished = false;
  operation.accesses.clear();
  operation.waiting.clear();
  switch (instruction.op->kind) {
    case Kind::kLoad:
      operation.kind = CacheAccess::Kind::kLoad, ++loads_;
      break;
    case Kind::kStore:
      operation.kind = CacheAccess::Kind::kStore, ++stores_;
      break;
    default:
      operation.kind = CacheAccess::Kind::kAtomic, ++atomics_;
      break;
  }
  if (outcome.executed == 0) return;
  if (outcome.space == Space::kParam) {
    operation.passes = 1;
    ++shared_;
  } else if (outcome.space == Space::kShared) {
    const bool broadcasts = operation.kind != CacheAccess::Kind::kAtomic;
    const SharedPasses passes = shared_passes(outcome, instruction.width, params_.shared_banks, broadcasts,
                                              params_.lsu.wide_shared == WideShared::kLanes);
    operation.passes = passes.cycles;
    operation.conflicts = passes.conflicts;
    shared_conflicts_ += passes.conflicts;
    ++shared_;
  } else {
    coalesce_access(*instruction.op, outcome, caches_.line_bytes[cache_of(outcome.space)], params_.warp_size,
                    caches_.byte_masks, operation.accesses);
    // What lies outside of a texture is not read: a fetch of nothing else answers as fast as shared memory.
    if (operation.accesses.empty()) return;
    const bool divides = operation.kind == CacheAccess::Kind::kLoad && outcome.space != Space::kConst &&
                         instruction.op->image.dimensions == 0 && !instruction.op->cache.prefetch;
    if (tells_of_parts_ && divides) {
      operation.part_at = operation.told = 0;
      lanes_by_line(outcome, caches_.line_bytes[cache_of(outcome.space)], row_of_words(outcome.space),
                    operation.accesses, operation.waiting);
    }
    const std::size_t more = operation.accesses.size() - 1;
    if (outcome.space == Space::kConst) {
      constant_serial_ += more;
    } else {
      stall_port_ += more / params_.lsu_lines_per_cycle;
    }
  }
}

// Words of local memory interleave between so many lanes.
unsigned LoadStoreUnit::row_of_words(Space space) const { return space == Space::kLocal ? params_.warp_size : 0; }

void LoadStoreUnit::tell_lines(Operation& operation, Instruction& instruction) {
  const bool coalesces = operation.kind != CacheAccess::Kind::kAtomic && instruction.op->image.dimensions == 0 &&
                         operation.space != Space::kConst;
  if (!coalesces || operation.accesses.empty()) return;
  lanes_by_line(*instruction.outcome, caches_.line_bytes[cache_of(operation.space)], row_of_words(operation.space),
                operation.accesses, lines_by_lanes_);
  instruction.lines_by_lanes = &lines_by_lanes_;
}

tlm::tlm_sync_enum LoadStoreUnit::cache_answered(unsigned /*cache*/, CacheAccess& access, tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {  // what blocked an access is gone
    wake();
    return tlm::TLM_COMPLETED;
  }
  Operation& operation = operations_[access.token];
  check(operation.outstanding > 0, "a response comes to an operation that waits for one");
  --operation.outstanding;
  last_answered_ = std::max(last_answered_, operation.instruction.issued_at);
  const bool atomic = operation.kind == CacheAccess::Kind::kAtomic;
  const Cycle result_at = clock().current() + 1 + (atomic ? params_.lsu.atomic_latency_cycles : 0);
  operation.data_at = std::max(operation.data_at, result_at);
  const bool all_sent = operation.sent == operation.accesses.size();
  if (all_sent && operation.outstanding == 0) {
    retire(access.token);
  } else if (!operation.waiting.empty()) {
    for (std::size_t i = 0; i < operation.sent; ++i) {
      if (operation.accesses[i].line == access.line) came(operation, i, result_at);
    }
    if (all_sent) tell_part(operation);
  }
  return tlm::TLM_COMPLETED;
}

void LoadStoreUnit::finish(Operation& operation, Cycle at) {
  operation.finished = true;
  operation.instruction.done_at = at;
  request(done_socket, operation.instruction);
}

void LoadStoreUnit::retire(std::uint32_t token) {
  Operation& operation = operations_[token];
  if (!operation.finished) finish(operation, operation.data_at);
  operations_.give_back(token);
  last_retired_ = clock().current();
}

void LoadStoreUnit::came(Operation& operation, std::size_t access, Cycle at) {
  operation.waiting[access] = 0;
  operation.part_at = std::max(operation.part_at, at);
}

// Lanes whose guard fails, or whose lines are there, need not wait for the others.
void LoadStoreUnit::tell_part(Operation& operation) {
  isa::LaneMask lanes = operation.instruction.active;
  for (const isa::LaneMask waiting : operation.waiting) lanes &= ~waiting;
  if (lanes == operation.told) return;
  operation.told = lanes;
  Instruction part = operation.instruction;
  part.partly = part.gone_on = true;
  part.executed = lanes;
  part.done_at = std::max(operation.part_at, clock().current() + 1);
  request(done_socket, part);
}

Cycle LoadStoreUnit::tick(Cycle now) {
  lines_now_ = 0;
  Cycle next = serve(now);
  while (next == now) next = serve(now);
  return next;
}

// Serves the instruction whose turn it is; returns when to go on, `now` where the cycle has room for more.
Cycle LoadStoreUnit::serve(Cycle now) {
  if (queue_.empty()) return kNever;
  const std::uint32_t token = queue_.front();
  if (now < operations_[token].arrives_at) return operations_[token].arrives_at;
  if (now < shared_free_at_) return shared_free_at_;
  const Operation& operation = operations_[token];
  return operation.passes > 0 || operation.accesses.empty() ? serve_shared(token, now) : serve_cache(token, now);
}

// The instruction's passes, or its lanes, take the unit for so many cycles.
Cycle LoadStoreUnit::serve_shared(std::uint32_t token, Cycle now) {
  if (lines_now_ > 0) return now + 1;
  Operation& operation = operations_[token];
  const unsigned width = operation.instruction.width;
  const unsigned cycles = std::max(operation.passes, (width + params_.lsu_width - 1) / params_.lsu_width);
  operation.data_at = now + cycles - 1 + params_.shared_latency_cycles;
  shared_free_at_ = now + cycles;
  retire(token);
  leave_queue();
  return queue_.empty() ? kNever : std::max(shared_free_at_, operations_[queue_.front()].arrives_at);
}

Cycle LoadStoreUnit::serve_cache(std::uint32_t token, Cycle now) {
  Operation& operation = operations_[token];
  if (!take_lanes(operation, now)) return now + 1;
  if (operation.sent + 1 == operation.accesses.size() && now < operation.addressed_at) return operation.addressed_at;
  if (params_.lsu_lines_per_cycle > 1 && (!take_bytes(operation) || !take_bank(operation))) return now + 1;
  if (!send(token, now)) return kNever;  // the cache says when to try again
  const Cycle next = ++lines_now_ < params_.lsu_lines_per_cycle ? now : now + 1;
  if (operation.sent < operation.accesses.size()) return next;
  const bool nobody_waits = operation.kind == CacheAccess::Kind::kStore || operation.instruction.op->cache.prefetch;
  if (nobody_waits) finish(operation, now + 1);
  if (operation.outstanding == 0) {
    retire(token);
  } else if (!operation.waiting.empty()) {
    tell_part(operation);
  }
  leave_queue();
  return queue_.empty() ? kNever : std::max(next, operations_[queue_.front()].arrives_at);
}

// Has address generation room for the instruction in this cycle, if it has not begun? Then it begins.
bool LoadStoreUnit::take_lanes(Operation& operation, Cycle now) {
  if (operation.addressed_at != kNever) return true;
  const std::uint64_t first = std::max(next_lane_, now * params_.lsu_width);
  if (first / params_.lsu_width > now) return false;
  next_lane_ = first + operation.instruction.width;
  operation.addressed_at = (next_lane_ - 1) / params_.lsu_width;
  return true;
}

// Is the bank of the operation's next line free in this cycle? Then it is no longer.
bool LoadStoreUnit::take_bank(const Operation& operation) {
  const Cache cache = cache_of(operation.space);
  const Address line = operation.accesses[operation.sent].line / caches_.line_bytes[cache];
  const std::uint64_t bank = std::uint64_t{1} << line % caches_.banks[cache];
  if (lines_now_ == 0) banks_taken_now_.fill(0);
  if ((banks_taken_now_[cache] & bank) != 0) {
    ++stall_bank_;
    return false;
  }
  banks_taken_now_[cache] |= bank;
  return true;
}

// Has the way between the cache and the registers room in this cycle for the operation's next line?
bool LoadStoreUnit::take_bytes(const Operation& operation) {
  const std::uint32_t most = params_.lsu.bytes_per_cycle, bytes = operation.accesses[operation.sent].bytes;
  if (lines_now_ == 0) bytes_now_ = 0;
  if (most != 0 && lines_now_ > 0 && bytes_now_ + bytes > most) return false;
  bytes_now_ += bytes;
  return true;
}

bool LoadStoreUnit::send(std::uint32_t token, Cycle now) {
  Operation& operation = operations_[token];
  const LineAccess& line = operation.accesses[operation.sent];
  CacheAccess access{operation.kind, line.line, line.bytes, token, CacheAccess::Answer::kHit, 0};
  access.local = operation.space == isa::Space::kLocal;
  access.mask = line.mask;
  access.use = operation.instruction.op->cache;
  const Cache cache = cache_of(operation.space);
  auto& socket = cache == kData ? data_socket : cache == kTexture ? texture_socket : constant_socket;
  request(socket, access);
  switch (access.answer) {
    case CacheAccess::Answer::kHit:
      operation.data_at = std::max(operation.data_at, access.done_at);
      if (!operation.waiting.empty()) came(operation, operation.sent, access.done_at);
      break;
    case CacheAccess::Answer::kPending:
      ++operation.outstanding;
      break;
    case CacheAccess::Answer::kBlockedMshr:
    case CacheAccess::Answer::kBlockedQueue:
      note_blocked(access.answer, now);
      return false;
  }
  note_unblocked(now);
  ++operation.sent;
  ++line_accesses_;
  return true;
}

void LoadStoreUnit::note_blocked(CacheAccess::Answer answer, Cycle now) {
  note_unblocked(now);
  blocked_on_ = answer == CacheAccess::Answer::kBlockedMshr ? &stall_mshr_ : &stall_queue_;
  blocked_since_ = now;
}

void LoadStoreUnit::note_unblocked(Cycle now) {
  if (blocked_on_ != nullptr) *blocked_on_ += now - blocked_since_;
  blocked_on_ = nullptr;
}

void LoadStoreUnit::leave_queue() {
  queue_.pop();
  if (!refused_) return;
  refused_ = false;
  Instruction nobody;
  tlm::tlm_phase phase = tlm::END_REQ;
  send_backward(issue_socket, nobody, phase);
}

}  // namespace warpfold
