// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/l2/l2_slice.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace warpfold {

L2Slice::L2Slice(sc_core::sc_module_name name, const L2Params& params, const AddressMap& map, unsigned slice,
                 ClockDomain& clock, unsigned index, StatGroup& stats, PayloadPool& pool)
    : sc_module(name),
      network_socket("network_socket", *this, &L2Slice::from_network),
      dram_socket("dram_socket", *this),
      params_(params),
      map_(map),
      slice_(slice),
      pool_(pool),
      line_shift_(static_cast<unsigned>(std::countr_zero(params.line_bytes))),
      sector_bytes_(params.sector_bytes == 0 ? params.line_bytes : params.sector_bytes),
      masks_(params.byte_masks()),
      tags_("l2", params.size_bytes, params.line_bytes, params.ways, params.set_hash),
      dirty_(tags_.slots()),
      there_(masks_ ? tags_.slots() : 0),
      written_(params.write_miss == L2WriteMiss::kLazyFetch ? tags_.slots() : 0),
      on_its_way_(tags_.slots()),
      mshrs_(params.mshr_entries),
      arrived_(params.mshr_entries),
      pipeline_(std::size_t{params.hit_latency_cycles} + params.request_queue_entries),
      responses_(params.response_queue_entries),
      dram_queue_(params.dram_queue_entries),
      accesses_(stats.counter("l2_accesses", "accesses", "requests looked up, one line each")),
      hits_(stats.counter("l2_hits", "accesses", "requests whose line was there")),
      misses_(stats.counter("l2_misses", "accesses", "requests that allocated their line")),
      sector_misses_(stats.counter("l2_sector_misses", "accesses",
                                   "requests whose line was there, but not all that they need of it")),
      merged_(stats.counter("l2_merged", "accesses", "requests for a line on its way")),
      writebacks_(stats.counter("l2_writebacks", "lines", "modified lines written to DRAM")),
      atomics_(stats.counter("l2_atomics", "accesses", "atomics executed")),
      stall_mshr_(stats.counter("l2_stall_mshr_cycles", "cycles", "stalled for an MSHR or a way of the set")),
      stall_dram_(stats.counter("l2_stall_dram_cycles", "cycles", "stalled by the queue to DRAM")),
      stall_response_(stats.counter("l2_stall_response_cycles", "cycles", "stalled by the response queue")),
      read_sectors_hit_(
          stats.counter("l2_read_sectors_hit", "sectors", "that reads wanted and were there, or on their way")),
      read_sectors_missed_(stats.counter("l2_read_sectors_missed", "sectors", "that were fetched for reads")),
      write_sectors_hit_(stats.counter("l2_write_sectors_hit", "sectors", "of writes for which nothing was fetched")),
      write_sectors_missed_(stats.counter("l2_write_sectors_missed", "sectors", "that were fetched for writes")) {
  for (std::uint32_t mshr = params.mshr_entries; mshr-- > 0;) free_mshrs_.push_back(static_cast<std::uint16_t>(mshr));
  clock.add(*this, index);
}

tlm::tlm_sync_enum L2Slice::from_network(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  if (phase == tlm::END_RESP) {
    check(response_offered_, "END_RESP for the response that waits for it");
    response_offered_ = false;
    responses_.pop();
    send_responses();
    wake();
    return tlm::TLM_COMPLETED;
  }
  check(phase == tlm::BEGIN_REQ && withheld_ == nullptr, "BEGIN_REQ, not before the last one's END_REQ");
  if (pipeline_.full()) {
    withheld_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  enqueue(payload);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void L2Slice::request_taken() {
  dram_queue_.pop();
  send_to_dram();
  if (stall_ == Stall::kDram) wake();
}

void L2Slice::answered(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return;
  const auto arrived = static_cast<std::uint16_t>(extension_of(payload).token);
  Mshr& mshr = mshrs_[arrived];
  --mshr.fetches;
  if (masks_) there_[mshr.slot] |= extension_of(payload).sectors;
  if (mshr.served == mshr.waiting.size()) {
    if (mshr.fetches == 0) release(arrived);
  } else if (!mshr.arrived && ready(mshr)) {
    mshr.arrived = true;
    arrived_.push(arrived);
  }
  wake();
}

void L2Slice::enqueue(tlm::tlm_generic_payload& payload) {
  const Cycle at = clock().current() + params_.hit_latency_cycles;
  pipeline_.push({&payload, at});
  if (pipeline_.size() == 1) wake(at);
}

Cycle L2Slice::tick(Cycle now) {
  if (dram_socket.has_late()) dram_socket.deliver(now);
  bool served = false;
  if (port_free_at_ <= now) {
    if (!arrived_.empty()) {
      served = serve_arrived(now);
    } else {
      look_up(now);
    }
  }
  send_responses();
  const bool stopped = stall_ != Stall::kNone && !served;  // whatever ends a stall wakes us
  if (!arrived_.empty()) return responses_.full() || stopped ? kNever : std::max(port_free_at_, now + 1);
  if (pipeline_.empty() || stopped) return kNever;
  return std::max({pipeline_.front().at, port_free_at_, now + 1});
}

bool L2Slice::serve_arrived(Cycle now) {
  Mshr& mshr = mshrs_[arrived_.front()];
  tlm::tlm_generic_payload& next = *mshr.waiting[mshr.served];
  const Stall why = responses_.full()                   ? Stall::kResponse
                    : no_room_to_clean(next, mshr.slot) ? Stall::kDram
                                                        : Stall::kNone;
  stalled(why, now);
  if (why != Stall::kNone) return false;
  ++mshr.served;
  perform(next, mshr.slot, now);
  const bool all = mshr.served == mshr.waiting.size();
  if (!all && ready(mshr)) return true;
  mshr.arrived = false;
  if (all && mshr.fetches == 0) release(arrived_.front());
  arrived_.pop();
  return true;
}

// Is what the next one waiting needs there?
bool L2Slice::ready(const Mshr& mshr) const {
  return mshr.fetches == 0 || missing_sectors(*mshr.waiting[mshr.served], there_[mshr.slot]) == 0;
}

// Not before its last fetch came, which nobody may need any more: a store before its reader can cover the sector.
void L2Slice::release(std::uint16_t number) {
  Mshr& mshr = mshrs_[number];
  tags_.unpin(mshr.slot, mshr.eviction);
  on_its_way_[mshr.slot] = kNotOnItsWay;
  mshr.waiting.clear();
  mshr.served = 0;
  mshr.coming = 0;
  free_mshrs_.push_back(number);
}

void L2Slice::look_up(Cycle now) {
  if (pipeline_.empty() || pipeline_.front().at > now) return;
  tlm::tlm_generic_payload& payload = *pipeline_.front().payload;
  const TagArray::Slot slot = tags_.find(map_.local(payload.get_address()) >> line_shift_);
  SectorMask there = 0;
  if (slot != TagArray::kNone) {
    const bool coming = on_its_way_[slot] != kNotOnItsWay;
    there = !masks_ ? 1 : there_[slot] | (coming ? mshrs_[on_its_way_[slot] - 1].coming : 0);
  }
  const Stall why = access(payload, slot, now);
  stalled(why, now);
  if (why != Stall::kNone) return;
  count_sectors(payload, there);
  ++accesses_;
  pipeline_.pop();
  if (withheld_ != nullptr) {
    tlm::tlm_generic_payload& next = *withheld_;
    withheld_ = nullptr;
    enqueue(next);
    tlm::tlm_phase phase = tlm::END_REQ;
    send_backward(network_socket, next, phase);
  }
}

// Of what it wants, what was there or on its way, and what is fetched for it: a store's sectors that it writes in part.
void L2Slice::count_sectors(const tlm::tlm_generic_payload& payload, SectorMask there) {
  const SectorMask wanted =
      masks_ ? touched_sectors(bytes_of_line(payload), params_.line_bytes, sector_bytes_) : SectorMask{1};
  const SectorMask fetched = missing_sectors(payload, there);
  const bool write = payload.is_write() && !extension_of(payload).atomic;
  (write ? write_sectors_hit_ : read_sectors_hit_) += static_cast<unsigned>(std::popcount(wanted & ~fetched));
  (write ? write_sectors_missed_ : read_sectors_missed_) += static_cast<unsigned>(std::popcount(fetched));
}

L2Slice::Stall L2Slice::access(tlm::tlm_generic_payload& payload, TagArray::Slot slot, Cycle now) {
  if (slot == TagArray::kNone) return miss(payload, map_.local(payload.get_address()) >> line_shift_, now);
  if (on_its_way_[slot] != kNotOnItsWay) return join(payload, on_its_way_[slot] - 1);
  const SectorMask missing = masks_ ? missing_sectors(payload, there_[slot]) : 0;
  if (missing != 0) return sector_miss(payload, slot, missing);
  if (responses_.full()) return Stall::kResponse;
  if (no_room_to_clean(payload, slot)) return Stall::kDram;
  ++hits_;
  tags_.touch(slot, extension_of(payload).l2_eviction);
  perform(payload, slot, now);
  return Stall::kNone;
}

// Whose line is on its way waits with the others, whatever sectors it wants.
L2Slice::Stall L2Slice::join(tlm::tlm_generic_payload& payload, std::uint16_t number) {
  Mshr& mshr = mshrs_[number];
  if (mshr.waiting.size() == params_.mshr_merges) return Stall::kMshr;
  const SectorMask missing = masks_ ? missing_sectors(payload, there_[mshr.slot] | mshr.coming) : 0;
  if (missing != 0 && dram_queue_.full()) return Stall::kDram;
  mshr.waiting.push_back(&payload);
  ++merged_;
  if (missing != 0) fetch(number, missing);
  return Stall::kNone;
}

L2Slice::Stall L2Slice::sector_miss(tlm::tlm_generic_payload& payload, TagArray::Slot slot, SectorMask missing) {
  if (free_mshrs_.empty()) return Stall::kMshr;
  if (dram_queue_.full()) return Stall::kDram;
  ++sector_misses_;
  wait_for(payload, slot, missing);
  return Stall::kNone;
}

L2Slice::Stall L2Slice::miss(tlm::tlm_generic_payload& payload, std::uint64_t line, Cycle now) {
  const SectorMask missing = missing_sectors(payload, 0);
  if (missing == 0 ? responses_.full() : free_mshrs_.empty()) return missing == 0 ? Stall::kResponse : Stall::kMshr;
  const TagArray::Slot slot = tags_.victim(line);
  if (slot == TagArray::kNone) return Stall::kMshr;
  const bool modified = dirty_[slot] != 0;
  const std::size_t needed = (modified ? 1 : 0) + (missing == 0 ? 0 : 1);
  if (dram_queue_.size() + needed > dram_queue_.capacity()) return Stall::kDram;
  if (missing == 0 && no_room_to_clean(payload, slot)) return Stall::kDram;

  if (modified) write_back(slot);
  ++misses_;
  take(slot, line, extension_of(payload).l2_eviction);
  if (missing == 0) {
    perform(payload, slot, now);
    send_to_dram();
  } else {
    wait_for(payload, slot, missing);
  }
  return Stall::kNone;
}

void L2Slice::take(TagArray::Slot slot, std::uint64_t line, Eviction eviction) {
  tags_.fill(slot, line, eviction);
  dirty_[slot] = 0;
  if (masks_) there_[slot] = 0;
  if (!written_.empty()) written_[slot].reset();
}

void L2Slice::wait_for(tlm::tlm_generic_payload& payload, TagArray::Slot slot, SectorMask missing) {
  const std::uint16_t mshr = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshrs_[mshr].slot = slot;
  mshrs_[mshr].eviction = extension_of(payload).l2_eviction;
  mshrs_[mshr].waiting.push_back(&payload);
  on_its_way_[slot] = static_cast<std::uint16_t>(mshr + 1);
  tags_.pin(slot);
  fetch(mshr, around(missing, extension_of(payload).l2_bytes) & ~(masks_ ? there_[slot] : 0));
}

// With the other sectors of the aligned pieces of so many bytes that some of them lie in.
SectorMask L2Slice::around(SectorMask missing, std::uint32_t bytes) const {
  const std::uint32_t each = std::min(bytes, params_.line_bytes) / sector_bytes_;
  if (each <= 1) return missing;
  const SectorMask piece = ~(~SectorMask{0} << each);
  SectorMask all = missing;
  for (std::uint32_t first = 0; missing >> first != 0; first += each) {
    if ((missing >> first & piece) != 0) all |= piece << first;
  }
  return all;
}

void L2Slice::fetch(std::uint16_t number, SectorMask sectors) {
  Mshr& mshr = mshrs_[number];
  tlm::tlm_generic_payload& payload = to_dram(tlm::TLM_READ_COMMAND, tags_.line_of(mshr.slot), sectors);
  extension_of(payload).token = number;
  extension_of(payload).sectors = sectors;
  mshr.coming |= sectors;
  ++mshr.fetches;
  dram_queue_.push(&payload);
  send_to_dram();
}

ByteMask L2Slice::bytes_of_line(const tlm::tlm_generic_payload& payload) const {
  return extension_of(payload).mask << map_.local(payload.get_address()) % params_.line_bytes;
}

// Of what is not there: all that a load or an atomic wants; of a store, what it writes in part, unless it is lazy.
SectorMask L2Slice::missing_sectors(const tlm::tlm_generic_payload& payload, SectorMask there) const {
  const bool store = payload.is_write() && !extension_of(payload).atomic;
  if (!masks_) return store && payload.get_data_length() == params_.line_bytes ? 0 : ~there & 1;
  return missing_sectors(bytes_of_line(payload), store, there);
}

SectorMask L2Slice::missing_sectors(const ByteMask& bytes, bool store, SectorMask there) const {
  if (store && params_.write_miss == L2WriteMiss::kLazyFetch) return 0;
  const SectorMask covered = store ? covered_sectors(bytes, params_.line_bytes, sector_bytes_) : 0;
  return touched_sectors(bytes, params_.line_bytes, sector_bytes_) & ~covered & ~there;
}

void L2Slice::note_written(const ByteMask& bytes, TagArray::Slot slot) {
  const SectorMask sectors = touched_sectors(bytes, params_.line_bytes, sector_bytes_);
  dirty_[slot] |= sectors;
  if (written_.empty()) {
    there_[slot] |= sectors;
  } else {
    written_[slot] |= bytes;
    there_[slot] |= covered_sectors(written_[slot], params_.line_bytes, sector_bytes_);
  }
}

void L2Slice::fill(Address at) {
  const std::uint64_t local = map_.local(at);
  const std::uint64_t line = local >> line_shift_;
  TagArray::Slot slot = tags_.find(line);
  if (slot == TagArray::kNone) {
    slot = tags_.victim(line);
    check(slot != TagArray::kNone, "copies come while nothing is on its way");
    take(slot, line);
  } else {
    tags_.touch(slot);
  }
  if (masks_) there_[slot] |= SectorMask{1} << local % params_.line_bytes / sector_bytes_;
}

void L2Slice::empty() {
  tags_.invalidate_all();
  std::fill(dirty_.begin(), dirty_.end(), 0);
}

// The line that a write to this one sends to memory, since the set has as many modified lines as it may; kNone: none.
// One on its way stays as it is.
TagArray::Slot L2Slice::cleaned_by_write(TagArray::Slot slot) const {
  if (params_.dirty_ways == 0 || dirty_[slot] != 0) return TagArray::kNone;
  const TagArray::Slot first = slot - slot % params_.ways;
  std::uint32_t modified = 0;
  TagArray::Slot oldest = TagArray::kNone;
  for (TagArray::Slot other = first; other < first + params_.ways; ++other) {
    if (dirty_[other] == 0) continue;
    ++modified;
    if (!tags_.pinned(other) && (oldest == TagArray::kNone || tags_.older(other, oldest))) oldest = other;
  }
  return modified < params_.dirty_ways ? TagArray::kNone : oldest;
}

bool L2Slice::no_room_to_clean(const tlm::tlm_generic_payload& payload, TagArray::Slot slot) const {
  return payload.is_write() && dram_queue_.full() && cleaned_by_write(slot) != TagArray::kNone;
}

void L2Slice::write_back(TagArray::Slot slot) {
  ++writebacks_;
  dram_queue_.push(&to_dram(tlm::TLM_WRITE_COMMAND, tags_.line_of(slot), dirty_[slot]));
  dirty_[slot] = 0;
}

void L2Slice::perform(tlm::tlm_generic_payload& payload, TagArray::Slot slot, Cycle now) {
  if (payload.is_write()) {
    // Without a place for it, which only a set can be that has had more, all on their way, there is another time.
    const TagArray::Slot cleaned = dram_queue_.full() ? TagArray::kNone : cleaned_by_write(slot);
    if (cleaned != TagArray::kNone) {
      write_back(cleaned);
      send_to_dram();
    }
    if (masks_) {
      note_written(payload, slot);
    } else {
      dirty_[slot] = 1;
    }
  }
  const std::uint32_t width = params_.port.bytes_per_cycle;
  if (extension_of(payload).atomic) {
    ++atomics_;
    port_free_at_ = now + params_.atomic_cycles;
  } else if (width != 0) {
    port_free_at_ = now + (payload.get_data_length() + width - 1) / width;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  responses_.push(&payload);
}

tlm::tlm_generic_payload& L2Slice::to_dram(tlm::tlm_command command, std::uint64_t line, SectorMask sectors) {
  const auto first = static_cast<unsigned>(std::countr_zero(sectors));
  const auto end = static_cast<unsigned>(std::bit_width(sectors));
  const Address at = map_.global(line << line_shift_, slice_) + std::uint64_t{first} * sector_bytes_;
  const std::uint32_t bytes = (end - first) * sector_bytes_;
  tlm::tlm_generic_payload& payload = pool_.acquire(command, at, bytes);
  extension_of(payload).atomic = false;
  give_data(payload, values_);
  if (static_cast<unsigned>(std::popcount(sectors)) != end - first) {  // others lie between them
    enable_bytes(payload, [&](std::size_t byte) { return (sectors >> first >> byte / sector_bytes_ & 1) != 0; });
  }
  if (traffic_) {
    ++(payload.is_write() ? traffic_->writes : traffic_->reads);
    (payload.is_write() ? traffic_->write_bytes : traffic_->read_bytes) += bytes_moved(payload);
  }
  return payload;
}

void L2Slice::count_traffic(StatGroup& stats) {
  traffic_.emplace(Traffic{stats.counter("dram_reads", "requests", "read requests served"),
                           stats.counter("dram_writes", "requests", "write requests served"),
                           stats.counter("dram_read_bytes", "bytes", "that read requests asked for"),
                           stats.counter("dram_write_bytes", "bytes", "that write requests brought")});
}

void L2Slice::send_to_dram() {
  while (dram_socket.ready() && !dram_queue_.empty()) {
    if (dram_socket.send(*dram_queue_.front())) dram_queue_.pop();
  }
}

void L2Slice::send_responses() {
  while (!response_offered_ && !responses_.empty()) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    response_offered_ = send_backward(network_socket, *responses_.front(), phase) != tlm::TLM_COMPLETED;
    if (!response_offered_) responses_.pop();
  }
}

void L2Slice::stalled(Stall why, Cycle now) {
  if (why == stall_) return;
  if (stall_ != Stall::kNone) stall_counter(stall_) += now - stalled_since_;
  stall_ = why;
  stalled_since_ = now;
}

Counter& L2Slice::stall_counter(Stall why) {
  if (why == Stall::kMshr) return stall_mshr_;
  return why == Stall::kDram ? stall_dram_ : stall_response_;
}

}  // namespace warpfold
