// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/l1/l1_cache.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace warpfold {
namespace {

constexpr std::uint64_t kNoLine = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kNoMshr = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kWriteBack = std::numeric_limits<std::uint32_t>::max();  // a token that nobody waits for

Counter& counter(StatGroup& stats, std::string_view prefix, const char* name, const char* unit, const char* meaning) {
  return stats.counter(std::string(prefix) + name, unit, meaning);
}

}  // namespace

L1Cache::L1Cache(sc_core::sc_module_name name, const L1Params& params, ClockDomain& core_clock, unsigned index,
                 StatGroup& stats, std::string_view prefix, PortClient client)
    : sc_module(name),
      cpu_socket("cpu_socket", *this),
      memory_socket("memory_socket", *this, &L1Cache::response),
      params_(params),
      client_(client),
      line_shift_(static_cast<unsigned>(std::countr_zero(params.line_bytes))),
      sectored_(params.sector_bytes != 0),
      sector_bytes_(sectored_ ? params.sector_bytes : params.line_bytes),
      whole_line_(byte_range(0, std::min(params.line_bytes, kMaskedLineBytes))),
      tags_(prefix, params.size_bytes, params.line_bytes, params.ways, params.set_hash),
      there_(tags_.slots()),
      dirty_(tags_.slots()),
      on_their_way_(tags_.slots()),
      written_(params.write_miss == L1WriteMiss::kLazyFetch ? tags_.slots() : 0),
      mshr_lines_(params.mshr_entries, kNoLine),
      mshrs_(params.mshr_entries),
      waiting_(std::make_unique_for_overwrite<Waiting[]>(std::size_t{params.mshr_entries} * params.mshr_merges)),
      miss_queue_(params.miss_queue_entries),
      fill_queue_(params.fill_queue_entries),
      accesses_(counter(stats, prefix, "_accesses", "accesses", "accesses taken, one line each")),
      hits_(counter(stats, prefix, "_hits", "accesses", "loads whose line was there")),
      misses_(counter(stats, prefix, "_misses", "accesses", "loads that asked the L2 for their line")),
      sector_misses_(counter(stats, prefix, "_sector_misses", "accesses",
                             "of those, whose line was there, but not all that they want of it")),
      merged_(counter(stats, prefix, "_merged", "accesses", "loads that joined a miss on its way")),
      passed_(counter(stats, prefix, "_passed", "accesses", "loads that went past it to the L2")),
      stores_(counter(stats, prefix, "_stores", "accesses", "stores taken")),
      store_hits_(counter(stats, prefix, "_store_hits", "accesses", "stores whose line was there")),
      writebacks_(counter(stats, prefix, "_writebacks", "lines", "modified lines sent to the L2")),
      atomics_(counter(stats, prefix, "_atomics", "accesses", "atomics sent on to the L2")),
      blocked_mshr_(counter(stats, prefix, "_blocked_mshr", "accesses", "accesses turned away for want of an MSHR")),
      blocked_queue_(counter(stats, prefix, "_blocked_queue", "accesses", "accesses turned away by a full miss queue")),
      read_sectors_hit_(
          counter(stats, prefix, "_read_sectors_hit", "sectors", "that loads wanted and were there, or on their way")),
      read_sectors_missed_(counter(stats, prefix, "_read_sectors_missed", "sectors", "that loads asked the L2 for")),
      write_sectors_hit_(counter(stats, prefix, "_write_sectors_hit", "sectors", "of stores whose line was there")),
      write_sectors_missed_(counter(stats, prefix, "_write_sectors_missed", "sectors", "of stores of other lines")) {
  for (std::uint32_t mshr = params.mshr_entries; mshr-- > 0;) free_mshrs_.push_back(mshr);
  core_clock.add(*this, index);
}

void L1Cache::invalidate(std::uint32_t ways) {
  tags_.invalidate_all([this](TagArray::Slot slot) { dirty_[slot] = on_their_way_[slot] = 0; });
  tags_.use_ways(ways);
  for (Mshr& mshr : mshrs_) mshr.keep = false;
}

tlm::tlm_sync_enum L1Cache::access(unsigned, CacheAccess& access, tlm::tlm_phase& phase) {
  check(phase == tlm::BEGIN_REQ, "a cache access begins with BEGIN_REQ and has no other phase");
  access.answer = access.kind == CacheAccess::Kind::kLoad    ? load(access)
                  : access.kind == CacheAccess::Kind::kStore ? store(access)
                                                             : atomic(access);
  if (access.answer == CacheAccess::Answer::kHit || access.answer == CacheAccess::Answer::kPending) ++accesses_;
  return access.answer == CacheAccess::Answer::kPending ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
}

CacheAccess::Answer L1Cache::load(CacheAccess& access) {
  if (access.use.past_l1 && !access.local) {
    const CacheAccess::Answer answer = pass(access);
    if (answer == CacheAccess::Answer::kPending) count_read(sectors_of(access), sectors_of(access));
    return answer;
  }
  const std::uint64_t line = access.line >> line_shift_;
  const TagArray::Slot slot = tags_.find(line);
  const SectorMask wanted = sectors_of(access);
  const SectorMask missing = slot == TagArray::kNone ? wanted : wanted & ~there_[slot];
  if (missing == 0 || params_.allocation == WayTaken::kPerfect) {
    if (slot != TagArray::kNone) {
      tags_.touch(slot, access.use.l1);
      if (access.use.last_use && access.local) dirty_[slot] &= ~wanted;
    }
    ++hits_;
    count_read(wanted, 0);
    access.done_at = clock().current() + params_.hit_latency_cycles;
    return CacheAccess::Answer::kHit;
  }
  const Coming found = sectored_ ? coming(line, missing) : Coming{find_mshr(line), missing};
  const SectorMask asked = found.mshr == kNoMshr ? missing : missing & ~found.sectors;
  const CacheAccess::Answer answer = asked == 0 ? merge(found.mshr, access) : miss(access, slot, asked);
  if (answer == CacheAccess::Answer::kPending) count_read(wanted, asked);
  return answer;
}

void L1Cache::count_read(SectorMask wanted, SectorMask asked) {
  read_sectors_missed_ += static_cast<unsigned>(std::popcount(asked));
  read_sectors_hit_ += static_cast<unsigned>(std::popcount(wanted & ~asked));
}

CacheAccess::Answer L1Cache::merge(std::uint32_t mshr, const CacheAccess& access) {
  Mshr& entry = mshrs_[mshr];
  if (!entry.keep || entry.loads == params_.mshr_merges) return blocked(CacheAccess::Answer::kBlockedMshr);
  waiting_[std::size_t{mshr} * params_.mshr_merges + entry.loads++] = {access.token, access.bytes};
  ++merged_;
  return CacheAccess::Answer::kPending;
}

// Of the sectors that it asks for none is on its way, so that what it waits for comes last: requests for a line are
// answered in order.
CacheAccess::Answer L1Cache::miss(const CacheAccess& access, TagArray::Slot slot, SectorMask missing) {
  const std::uint64_t line = access.line >> line_shift_;
  const bool line_there = slot != TagArray::kNone;
  if (access.use.takes_no_line && !line_there) return pass(access);
  if (free_mshrs_.empty()) return blocked(CacheAccess::Answer::kBlockedMshr);
  if (params_.allocation == WayTaken::kOnMiss) {
    const CacheAccess::Answer way = take_way(line, slot, 1);
    if (way != CacheAccess::Answer::kPending) return way;
    tags_.pin(slot);
    ++on_their_way_[slot];
  } else {
    if (miss_queue_.full()) return blocked(CacheAccess::Answer::kBlockedQueue);
    slot = TagArray::kNone;
  }
  const std::uint32_t mshr = take_mshr(access, {line, true, 1, missing, slot, access.use.l1, requests_});
  mshr_lines_[mshr] = line;
  ++coming_[bucket_of(line)];
  ++misses_;
  if (line_there) ++sector_misses_;
  const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(missing)) * sector_bytes_;
  request(tlm::TLM_READ_COMMAND, access.line, bytes, bytes_of(missing), mshr, access.use);
  return CacheAccess::Answer::kPending;
}

// In an MSHR that is found under no line.
CacheAccess::Answer L1Cache::pass(const CacheAccess& access) {
  constexpr std::uint32_t kSegmentBytes = 32;
  if (free_mshrs_.empty()) return blocked(CacheAccess::Answer::kBlockedMshr);
  if (miss_queue_.full()) return blocked(CacheAccess::Answer::kBlockedQueue);
  const std::uint32_t mshr =
      take_mshr(access, {access.line >> line_shift_, false, 1, 0, TagArray::kNone, Eviction::kNormal, requests_});
  ++passed_;
  ByteMask segments;
  for (std::uint32_t at = 0; access.mask.any() && at < params_.line_bytes; at += kSegmentBytes) {
    const ByteMask segment = byte_range(at, kSegmentBytes);
    if ((access.mask & segment).any()) segments |= segment;
  }
  const auto bytes = segments.any() ? static_cast<std::uint32_t>(segments.count()) : params_.line_bytes;
  request(tlm::TLM_READ_COMMAND, access.line, bytes, segments, mshr, access.use);
  return CacheAccess::Answer::kPending;
}

std::uint32_t L1Cache::take_mshr(const CacheAccess& access, const Mshr& mshr) {
  const std::uint32_t number = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshrs_[number] = mshr;
  waiting_[std::size_t{number} * params_.mshr_merges] = {access.token, access.bytes};
  return number;
}

// Gives the line a way if it has none, when so many requests more can be sent; kPending: done.
CacheAccess::Answer L1Cache::take_way(std::uint64_t line, TagArray::Slot& slot, std::size_t requests) {
  const TagArray::Slot way = slot != TagArray::kNone ? slot : tags_.victim(line);
  if (way == TagArray::kNone) return blocked(CacheAccess::Answer::kBlockedMshr);
  const bool modified = way != slot && dirty_[way] != 0;
  if (miss_queue_.size() + requests + (modified ? 1 : 0) > miss_queue_.capacity()) {
    return blocked(CacheAccess::Answer::kBlockedQueue);
  }
  if (modified) write_back(way);
  if (way != slot) {
    tags_.fill(way, line);
    there_[way] = 0;
    if (!written_.empty()) written_[way].reset();
  }
  slot = way;
  return CacheAccess::Answer::kPending;
}

CacheAccess::Answer L1Cache::store(CacheAccess& access) {
  check(!params_.read_only, "no stores to a read-only cache");
  const std::uint64_t line = access.line >> line_shift_;
  TagArray::Slot slot = tags_.find(line);
  const bool hit = slot != TagArray::kNone;
  const bool through = params_.write_policy == WritePolicy::kWriteThrough && !access.use.past_l1;
  const bool back = params_.write_policy == WritePolicy::kLocalWriteBack && access.local;
  const bool takes_way = params_.write_miss == L1WriteMiss::kLazyFetch && (through || back);
  const bool stays = back && (takes_way || (hit && (sectors_of(access) & ~there_[slot]) == 0));
  if (takes_way) {
    const CacheAccess::Answer way = take_way(line, slot, stays ? 0 : 1);
    if (way != CacheAccess::Answer::kPending) return way;
    note_written(slot, access);
  } else if (!stays && miss_queue_.full()) {
    return blocked(CacheAccess::Answer::kBlockedQueue);
  }
  ++stores_;
  if (hit) ++store_hits_;
  (hit ? write_sectors_hit_ : write_sectors_missed_) += static_cast<unsigned>(std::popcount(sectors_of(access)));
  if (stays) {
    tags_.touch(slot, access.use.l1);
    dirty_[slot] |= sectors_of(access);
    access.done_at = clock().current() + params_.hit_latency_cycles;
    return CacheAccess::Answer::kHit;
  }
  if (hit && through) tags_.touch(slot, access.use.l1);
  if (hit && !through && !back) evict(slot, sectors_of(access));
  request(tlm::TLM_WRITE_COMMAND, access.line, access.bytes, access.mask, access.token, access.use);
  return CacheAccess::Answer::kPending;
}

CacheAccess::Answer L1Cache::atomic(const CacheAccess& access) {
  check(!params_.read_only, "no atomics to a read-only cache");
  if (miss_queue_.full()) return blocked(CacheAccess::Answer::kBlockedQueue);
  const std::uint64_t line = access.line >> line_shift_;
  ++atomics_;
  const TagArray::Slot slot = tags_.find(line);
  if (slot != TagArray::kNone) {
    tags_.invalidate(slot);
    dirty_[slot] = 0;
    on_their_way_[slot] = 0;
  }
  if (may_be_coming(line)) {
    for (std::uint32_t mshr = 0; mshr < mshr_lines_.size(); ++mshr) {
      if (mshr_lines_[mshr] == line) mshrs_[mshr].keep = false;
    }
  }
  request(tlm::TLM_WRITE_COMMAND, access.line, access.bytes, access.mask, access.token, access.use, true);
  return CacheAccess::Answer::kPending;
}

// Sectors of which every byte was written are there.
void L1Cache::note_written(TagArray::Slot slot, const CacheAccess& access) {
  written_[slot] |= access.mask;
  there_[slot] |= covered_sectors(written_[slot], params_.line_bytes, sector_bytes_);
}

void L1Cache::evict(TagArray::Slot slot, SectorMask sectors) {
  there_[slot] &= ~sectors;
  dirty_[slot] &= ~sectors;
  if (there_[slot] == 0 && on_their_way_[slot] == 0) tags_.invalidate(slot);
}

void L1Cache::write_back(TagArray::Slot slot) {
  ++writebacks_;
  ByteMask bytes = bytes_of(dirty_[slot]);
  if (!written_.empty()) bytes &= bytes_of(there_[slot]) | written_[slot];
  dirty_[slot] = 0;
  const auto count = static_cast<std::uint32_t>(bytes.count());
  request(tlm::TLM_WRITE_COMMAND, tags_.line_of(slot) << line_shift_, count, bytes, kWriteBack, {});
}

CacheAccess::Answer L1Cache::blocked(CacheAccess::Answer why) {
  ++(why == CacheAccess::Answer::kBlockedMshr ? blocked_mshr_ : blocked_queue_);
  blocked_ = true;
  return why;
}

std::uint32_t L1Cache::find_mshr(std::uint64_t line) const {
  if (!may_be_coming(line)) return kNoMshr;
  std::uint64_t there = 0;  // first whether, in a loop that compilers turn into vector code
  for (const std::uint64_t on_its_way : mshr_lines_) there |= on_its_way == line ? 1 : 0;
  if (there == 0) return kNoMshr;
  return static_cast<std::uint32_t>(std::find(mshr_lines_.rbegin(), mshr_lines_.rend(), line).base() -
                                    mshr_lines_.begin()) -
         1;
}

// A line that is older than an atomic holds up what would merge with it.
L1Cache::Coming L1Cache::coming(std::uint64_t line, SectorMask sectors) const {
  Coming found{kNoMshr, 0};
  if (!may_be_coming(line)) return found;
  for (std::uint32_t mshr = 0; mshr < mshr_lines_.size(); ++mshr) {
    if (mshr_lines_[mshr] != line || (mshrs_[mshr].sectors & sectors) == 0) continue;
    if (!mshrs_[mshr].keep) return {mshr, sectors};
    found.sectors |= mshrs_[mshr].sectors;
    if (found.mshr == kNoMshr || mshrs_[mshr].order > mshrs_[found.mshr].order) found.mshr = mshr;
  }
  return found;
}

SectorMask L1Cache::sectors_of(const CacheAccess& access) const {
  return sectored_ ? touched_sectors(access.mask, params_.line_bytes, sector_bytes_) : 1;
}

ByteMask L1Cache::bytes_of(SectorMask sectors) const {
  if (!sectored_) return whole_line_;
  ByteMask bytes;
  for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
    bytes |= byte_range(static_cast<std::uint32_t>(std::countr_zero(rest)) * sector_bytes_, sector_bytes_);
  }
  return bytes;
}

void L1Cache::request(tlm::tlm_command command, Address line, std::uint32_t bytes, const ByteMask& mask,
                      std::uint32_t token, const CacheUse& use, bool atomic) {
  ++outstanding_;
  ++requests_;
  miss_queue_.push(&client_.acquire(command, line, bytes, token, mask, atomic, use));
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
  } else if (extension.token != kWriteBack) {
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
  if (entry.keep) keep(entry);
  CacheAccess done;
  done.line = entry.line << line_shift_;
  const Waiting* waiting = &waiting_[std::size_t{mshr} * params_.mshr_merges];
  for (std::uint32_t n = 0; n < entry.loads; ++n) {
    done.token = waiting[n].token;
    done.bytes = waiting[n].bytes;
    answer(done, now);
  }
  if (mshr_lines_[mshr] != kNoLine) --coming_[bucket_of(entry.line)];
  mshr_lines_[mshr] = kNoLine;
  free_mshrs_.push_back(mshr);
}

void L1Cache::keep(const Mshr& mshr) {
  TagArray::Slot slot = mshr.slot;
  if (slot != TagArray::kNone) {
    if (--on_their_way_[slot] == 0) tags_.unpin(slot, mshr.eviction);
  } else if (sectored_ && (slot = tags_.find(mshr.line)) != TagArray::kNone) {
    tags_.touch(slot, mshr.eviction);
  } else {
    slot = tags_.victim(mshr.line);
    tags_.fill(slot, mshr.line, mshr.eviction);
    there_[slot] = 0;
  }
  there_[slot] |= mshr.sectors;
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
