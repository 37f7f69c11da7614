// SPDX-License-Identifier: Apache-2.0
#include "models/memory/l1_cache.h"

#include <bit>
#include <limits>
#include <string>

namespace warpfold {
namespace {

constexpr std::uint64_t kNoLine = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kNoMshr = std::numeric_limits<std::uint32_t>::max();

Counter& counter(StatGroup& stats, std::string_view prefix, const char* name, const char* unit, const char* meaning) {
  return stats.counter(std::string(prefix) + name, unit, meaning);
}

}  // namespace

L1Cache::L1Cache(sc_core::sc_module_name name, const L1Params& params, ClockDomain& core_clock, unsigned index,
                 StatGroup& stats, std::string_view prefix, PayloadPool& pool, unsigned core, unsigned client)
    : sc_module(name),
      cpu_socket("cpu_socket", *this, &L1Cache::access),
      memory_socket("memory_socket", *this, &L1Cache::response),
      params_(params),
      pool_(pool),
      core_(core),
      client_(client),
      line_shift_(static_cast<unsigned>(std::countr_zero(params.line_bytes))),
      tags_(prefix, params.size_bytes, params.line_bytes, params.ways),
      mshr_lines_(params.mshr_entries, kNoLine),
      mshrs_(params.mshr_entries),
      waiting_(std::size_t{params.mshr_entries} * params.mshr_merges),
      miss_queue_(params.miss_queue_entries),
      fill_queue_(params.fill_queue_entries),
      accesses_(counter(stats, prefix, "_accesses", "accesses", "accesses taken, one line each")),
      hits_(counter(stats, prefix, "_hits", "accesses", "loads whose line was there")),
      misses_(counter(stats, prefix, "_misses", "accesses", "loads that asked the L2 for their line")),
      merged_(counter(stats, prefix, "_merged", "accesses", "loads that joined a miss on its way")),
      stores_(counter(stats, prefix, "_stores", "accesses", "stores sent on to the L2")),
      store_hits_(counter(stats, prefix, "_store_hits", "accesses", "stores whose line was there")),
      atomics_(counter(stats, prefix, "_atomics", "accesses", "atomics sent on to the L2")),
      blocked_mshr_(counter(stats, prefix, "_blocked_mshr", "accesses", "accesses turned away for want of an MSHR")),
      blocked_queue_(
          counter(stats, prefix, "_blocked_queue", "accesses", "accesses turned away by a full miss queue")) {
  for (std::uint32_t mshr = params.mshr_entries; mshr-- > 0;) free_mshrs_.push_back(mshr);
  core_clock.add(*this, index);
}

void L1Cache::invalidate() {
  tags_.invalidate_all();
  for (Mshr& mshr : mshrs_) mshr.keep = false;
}

tlm::tlm_sync_enum L1Cache::access(unsigned, CacheAccess& access, tlm::tlm_phase& phase) {
  check(phase == tlm::BEGIN_REQ, "a cache access begins with BEGIN_REQ and has no other phase");
  access.answer = access.kind == CacheAccess::Kind::kLoad ? load(access) : write(access);
  if (access.answer == CacheAccess::Answer::kHit || access.answer == CacheAccess::Answer::kPending) ++accesses_;
  return access.answer == CacheAccess::Answer::kPending ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
}

CacheAccess::Answer L1Cache::load(CacheAccess& access) {
  const std::uint64_t line = access.line >> line_shift_;
  const TagArray::Slot slot = tags_.find(line);
  if (slot != TagArray::kNone) {
    tags_.touch(slot);
    ++hits_;
    access.done_at = clock().current() + params_.hit_latency_cycles;
    return CacheAccess::Answer::kHit;
  }
  const std::uint32_t on_its_way = find_mshr(line);
  if (on_its_way != kNoMshr) return merge(on_its_way, access);
  if (free_mshrs_.empty()) return blocked(CacheAccess::Answer::kBlockedMshr);
  if (miss_queue_.full()) return blocked(CacheAccess::Answer::kBlockedQueue);

  const std::uint32_t mshr = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshr_lines_[mshr] = line;
  mshrs_[mshr] = {line, true, 1};
  waiting_[std::size_t{mshr} * params_.mshr_merges] = {access.token, access.bytes};
  ++misses_;
  request(tlm::TLM_READ_COMMAND, access, params_.line_bytes, mshr);
  return CacheAccess::Answer::kPending;
}

CacheAccess::Answer L1Cache::merge(std::uint32_t mshr, const CacheAccess& access) {
  Mshr& entry = mshrs_[mshr];
  if (!entry.keep || entry.loads == params_.mshr_merges) return blocked(CacheAccess::Answer::kBlockedMshr);
  waiting_[std::size_t{mshr} * params_.mshr_merges + entry.loads++] = {access.token, access.bytes};
  ++merged_;
  return CacheAccess::Answer::kPending;
}

CacheAccess::Answer L1Cache::write(CacheAccess& access) {
  check(!params_.read_only, "no stores to a read-only cache");
  if (miss_queue_.full()) return blocked(CacheAccess::Answer::kBlockedQueue);
  const std::uint64_t line = access.line >> line_shift_;
  const TagArray::Slot slot = tags_.find(line);
  if (access.kind == CacheAccess::Kind::kStore) {
    ++stores_;
    if (slot != TagArray::kNone) {
      ++store_hits_;
      tags_.touch(slot);
    }
  } else {
    ++atomics_;
    if (slot != TagArray::kNone) tags_.invalidate(slot);
    const std::uint32_t on_its_way = find_mshr(line);
    if (on_its_way != kNoMshr) mshrs_[on_its_way].keep = false;
  }
  request(tlm::TLM_WRITE_COMMAND, access, access.bytes, access.token);
  return CacheAccess::Answer::kPending;
}

CacheAccess::Answer L1Cache::blocked(CacheAccess::Answer why) {
  ++(why == CacheAccess::Answer::kBlockedMshr ? blocked_mshr_ : blocked_queue_);
  blocked_ = true;
  return why;
}

std::uint32_t L1Cache::find_mshr(std::uint64_t line) const {
  std::uint32_t found = kNoMshr;
  for (std::uint32_t mshr = 0; mshr < mshr_lines_.size(); ++mshr) found = mshr_lines_[mshr] == line ? mshr : found;
  return found;
}

void L1Cache::request(tlm::tlm_command command, const CacheAccess& access, std::uint32_t bytes, std::uint32_t token) {
  tlm::tlm_generic_payload& payload = pool_.acquire(command, access.line, bytes);
  MemoryExtension& extension = extension_of(payload);
  extension.core = core_;
  extension.client = client_;
  extension.token = token;
  extension.atomic = access.kind == CacheAccess::Kind::kAtomic;
  ++outstanding_;
  miss_queue_.push(&payload);
  send_requests();
}

void L1Cache::send_requests() {
  while (awaiting_end_req_ == nullptr && !miss_queue_.empty()) {
    tlm::tlm_generic_payload* payload = miss_queue_.front();
    miss_queue_.pop();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (send_forward(memory_socket, *payload, phase) == tlm::TLM_ACCEPTED) awaiting_end_req_ = payload;
  }
}

tlm::tlm_sync_enum L1Cache::response(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {
    check(awaiting_end_req_ == &payload, "END_REQ for the request that waits for it");
    awaiting_end_req_ = nullptr;
    send_requests();
    unblock();
    return tlm::TLM_ACCEPTED;
  }
  check(phase == tlm::BEGIN_RESP && !fill_queue_.full(), "BEGIN_RESP, not before the last one's END_RESP");
  fill_queue_.push(&payload);
  wake();
  if (fill_queue_.full()) {
    owed_end_resp_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

Cycle L1Cache::tick(Cycle now) {
  if (fill_queue_.empty()) return kNever;
  tlm::tlm_generic_payload& payload = *fill_queue_.front();
  fill_queue_.pop();
  if (owed_end_resp_ != nullptr) {
    tlm::tlm_phase phase = tlm::END_RESP;
    send_forward(memory_socket, *owed_end_resp_, phase);
    owed_end_resp_ = nullptr;
  }
  take_in(payload, now);
  unblock();
  return fill_queue_.empty() ? kNever : now + 1;
}

void L1Cache::take_in(tlm::tlm_generic_payload& payload, Cycle now) {
  const MemoryExtension& extension = extension_of(payload);
  if (payload.is_read()) {
    answer_loads(extension.token, now);
  } else {
    CacheAccess done;
    done.kind = extension.atomic ? CacheAccess::Kind::kAtomic : CacheAccess::Kind::kStore;
    done.line = payload.get_address();
    done.bytes = payload.get_data_length();
    done.token = extension.token;
    answer(done, now);
  }
  payload.release();
  --outstanding_;
}

void L1Cache::answer_loads(std::uint32_t mshr, Cycle now) {
  Mshr& entry = mshrs_[mshr];
  if (entry.keep) tags_.fill(tags_.victim(entry.line), entry.line);
  CacheAccess done;
  done.line = entry.line << line_shift_;
  const Waiting* waiting = &waiting_[std::size_t{mshr} * params_.mshr_merges];
  for (std::uint32_t n = 0; n < entry.loads; ++n) {
    done.token = waiting[n].token;
    done.bytes = waiting[n].bytes;
    answer(done, now);
  }
  mshr_lines_[mshr] = kNoLine;
  free_mshrs_.push_back(mshr);
}

void L1Cache::answer(CacheAccess& done, Cycle now) {
  done.answer = CacheAccess::Answer::kPending;
  done.done_at = now + 1;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  send_backward(cpu_socket, done, phase);
}

void L1Cache::unblock() {
  if (!blocked_) return;
  blocked_ = false;
  CacheAccess nothing;
  tlm::tlm_phase phase = tlm::END_REQ;
  send_backward(cpu_socket, nothing, phase);
}

}  // namespace warpfold
