// SPDX-License-Identifier: Apache-2.0
#include "models/memory/dram_channel.h"

#include <algorithm>
#include <bit>

namespace warpfold {
namespace {

// Requests whose column commands are out but which are not answered yet: bounded by what fits into their latency.
std::size_t answers_in_flight(const DramParams& params) {
  return std::size_t{params.queue_entries} + std::max(params.t_cl, params.t_wl) + params.response_latency_cycles;
}

}  // namespace

DramChannel::DramChannel(sc_core::sc_module_name name, const DramParams& params, const AddressMap& map,
                         ClockDomain& clock, unsigned index, StatGroup& stats)
    : sc_module(name),
      socket("socket", *this, &DramChannel::from_slice),
      params_(params),
      map_(map),
      entries_(params.queue_entries),
      banks_(params.banks),
      done_(answers_in_flight(params)),
      reads_(stats.counter("dram_reads", "requests", "read requests served")),
      writes_(stats.counter("dram_writes", "requests", "write requests served")),
      row_hits_(stats.counter("dram_row_hits", "requests", "requests that found their row open or opened for another")),
      row_misses_(stats.counter("dram_row_misses", "requests", "requests for which a row was activated")),
      row_conflicts_(stats.counter("dram_row_conflicts", "requests", "of those, with another row to close first")),
      precharges_(stats.counter("dram_precharges", "commands", "rows closed")),
      bus_busy_(stats.counter("dram_bus_busy_cycles", "cycles", "data bus cycles with data")),
      queue_entry_cycles_(stats.counter("dram_queue_entry_cycles", "cycles", "requests queued, summed over cycles")),
      queue_peak_(stats.counter("dram_queue_peak", "requests", "most requests queued at once", Combine::kMax)),
      queue_full_(stats.counter("dram_queue_full_cycles", "cycles", "a request waited because the queue was full")) {
  for (Index entry = params.queue_entries; entry-- > 0;) free_.push_back(entry);
  clock.add(*this, index);
}

tlm::tlm_sync_enum DramChannel::from_slice(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  wake();
  if (phase == tlm::END_RESP) {
    check(response_offered_, "END_RESP for the response that waits for it");
    response_offered_ = false;
    return tlm::TLM_COMPLETED;
  }
  check(phase == tlm::BEGIN_REQ && withheld_ == nullptr, "BEGIN_REQ, not before the last one's END_REQ");
  if (free_.empty()) {
    withheld_ = &payload;
    withheld_since_ = clock().current();
    return tlm::TLM_ACCEPTED;
  }
  enqueue(payload);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void DramChannel::enqueue(tlm::tlm_generic_payload& payload) {
  count_queue(clock().current());
  const Index at = free_.back();
  free_.pop_back();
  queue_peak_.raise_to(entries_.size() - free_.size());

  const std::uint64_t local = map_.local(payload.get_address());
  const std::uint64_t chunk =
      params_.mapping == DramMapping::kRowBankColumn ? params_.row_bytes : map_.interleave_bytes();
  const std::uint32_t burst_bytes = params_.burst_cycles * params_.bytes_per_cycle;
  Entry& entry = entries_[at];
  entry = Entry{};
  entry.payload = &payload;
  entry.order = arrivals_++;
  entry.row = local / (std::uint64_t{params_.row_bytes} * params_.banks);
  entry.bank = static_cast<std::uint32_t>(local / chunk % params_.banks);
  entry.bursts = std::max<std::uint32_t>(1, (payload.get_data_length() + burst_bytes - 1) / burst_bytes);
  entry.write = payload.is_write();
  ++(entry.write ? writes_ : reads_);

  Bank& bank = banks_[entry.bank];
  (bank.head == kNone ? bank.head : entries_[bank.tail].next) = at;
  bank.tail = at;
  if (bank.hit == kNone && bank.open && bank.row == entry.row) bank.hit = at;
  busy_banks_ |= std::uint64_t{1} << entry.bank;
}

Cycle DramChannel::tick(Cycle now) {
  respond(now);
  Cycle next = kNever;
  if (busy_banks_ != 0 && !done_.full()) {
    const Candidate command = choose(now, next);
    if (command.entry != kNone) {
      issue(command, now);
      accept_withheld(now);
      next = kNever;
      if (busy_banks_ != 0 && !done_.full() && choose(now + 1, next).entry != kNone) next = now + 1;
    }
  }
  if (!done_.empty() && !response_offered_) next = std::min(next, std::max(done_.front().at, now + 1));
  return next;
}

void DramChannel::accept_withheld(Cycle now) {
  if (withheld_ == nullptr || free_.empty()) return;
  tlm::tlm_generic_payload& payload = *withheld_;
  withheld_ = nullptr;
  queue_full_ += now - withheld_since_;
  enqueue(payload);
  tlm::tlm_phase phase = tlm::END_REQ;
  send_backward(socket, payload, phase);
}

void DramChannel::respond(Cycle now) {
  while (!done_.empty() && done_.front().at <= now && !response_offered_) {
    tlm::tlm_generic_payload& payload = *done_.front().payload;
    done_.pop();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    response_offered_ = send_backward(socket, payload, phase) != tlm::TLM_COMPLETED;
  }
}

// The command for edge `now`, or none and the soonest edge at which there may be one.
DramChannel::Candidate DramChannel::choose(Cycle now, Cycle& soonest) const {
  if (params_.scheduler == DramScheduler::kFrFcfs) return choose_first_ready(now, soonest);
  const Candidate only = candidate(oldest());
  if (only.at <= now) return only;
  soonest = only.at;
  return {};
}

DramChannel::Candidate DramChannel::choose_first_ready(Cycle now, Cycle& soonest) const {
  Candidate column;
  Candidate row;
  for (std::uint64_t banks = busy_banks_; banks != 0; banks &= banks - 1) {
    const Bank& bank = banks_[static_cast<unsigned>(std::countr_zero(banks))];
    const bool hit = bank.hit != kNone;
    const Candidate here = candidate(hit ? bank.hit : bank.head);
    if (here.at > now) {
      soonest = std::min(soonest, here.at);
      continue;
    }
    Candidate& best = hit ? column : row;
    if (best.entry == kNone || entries_[here.entry].order < entries_[best.entry].order) best = here;
  }
  return column.entry != kNone ? column : row;
}

DramChannel::Index DramChannel::oldest() const {
  Index found = kNone;
  for (std::uint64_t banks = busy_banks_; banks != 0; banks &= banks - 1) {
    const Index head = banks_[static_cast<unsigned>(std::countr_zero(banks))].head;
    if (found == kNone || entries_[head].order < entries_[found].order) found = head;
  }
  return found;
}

// What the request needs next, and from when on that may be given.
DramChannel::Candidate DramChannel::candidate(Index at) const {
  const Entry& entry = entries_[at];
  const Bank& bank = banks_[entry.bank];
  if (!bank.open) return {DramCommand::Kind::kActivate, at, std::max(bank.activate_at, activate_at_)};
  if (bank.row != entry.row) return {DramCommand::Kind::kPrecharge, at, bank.precharge_at};
  return {entry.write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead, at, column_ready(bank, entry.write)};
}

Cycle DramChannel::column_ready(const Bank& bank, bool write) const {
  const Cycle bus_at = write ? write_data_at_ : bus_free_at_;
  const Cycle to_data = write ? params_.t_wl : params_.t_cl;
  const Cycle ready = std::max(bank.column_at, bus_at > to_data ? bus_at - to_data : 0);
  return write ? ready : std::max(ready, read_at_);
}

void DramChannel::issue(const Candidate& command, Cycle now) {
  Entry& entry = entries_[command.entry];
  Bank& bank = banks_[entry.bank];
  if (sink_ != nullptr) {
    const bool closes = command.kind == DramCommand::Kind::kPrecharge;
    sink_->command({now, command.kind, entry.bank, closes ? bank.row : entry.row});
  }
  switch (command.kind) {
    case DramCommand::Kind::kActivate:
      return activate(entry, bank, now);
    case DramCommand::Kind::kPrecharge:
      return precharge(entry, bank, now);
    case DramCommand::Kind::kRead:
    case DramCommand::Kind::kWrite:
      return column(command.entry, bank, now);
  }
}

void DramChannel::activate(Entry& entry, Bank& bank, Cycle now) {
  entry.activated = true;
  bank.open = true;
  bank.row = entry.row;
  bank.column_at = now + params_.t_rcd;
  bank.precharge_at = now + params_.t_ras;
  bank.activate_at = now + params_.t_rc;
  bank.hit = first_hit(bank);
  activate_at_ = now + params_.t_rrd;
}

void DramChannel::precharge(Entry& entry, Bank& bank, Cycle now) {
  entry.precharged = true;
  ++precharges_;
  bank.open = false;
  bank.hit = kNone;
  bank.activate_at = std::max(bank.activate_at, now + params_.t_rp);
}

void DramChannel::column(Index at, Bank& bank, Cycle now) {
  Entry& entry = entries_[at];
  const Cycle data_end = now + (entry.write ? params_.t_wl : params_.t_cl) + params_.burst_cycles;
  bus_busy_ += params_.burst_cycles;
  bus_free_at_ = data_end;
  if (entry.write) {
    write_data_at_ = data_end;
    read_at_ = std::max(read_at_, data_end + params_.t_wtr);
    bank.precharge_at = std::max(bank.precharge_at, data_end + params_.t_wr);
  } else {
    write_data_at_ = data_end + params_.turnaround_cycles;
    bank.precharge_at = std::max(bank.precharge_at, now + params_.burst_cycles);
  }
  if (--entry.bursts == 0) {
    count_queue(now);
    retire(at, bank, data_end);
  }
}

void DramChannel::retire(Index at, Bank& bank, Cycle data_end) {
  Entry& entry = entries_[at];
  ++(entry.activated ? row_misses_ : row_hits_);
  if (entry.precharged) ++row_conflicts_;
  Index before = kNone;
  for (Index other = bank.head; other != at; other = entries_[other].next) before = other;
  (before == kNone ? bank.head : entries_[before].next) = entry.next;
  if (bank.tail == at) bank.tail = before;
  bank.hit = first_hit(bank);
  if (bank.head == kNone) busy_banks_ &= ~(std::uint64_t{1} << entry.bank);
  done_.push({entry.payload, data_end + params_.response_latency_cycles});
  free_.push_back(at);
}

DramChannel::Index DramChannel::first_hit(const Bank& bank) const {
  Index at = bank.head;
  while (at != kNone && entries_[at].row != bank.row) at = entries_[at].next;
  return at;
}

void DramChannel::count_queue(Cycle now) {
  if (now <= counted_until_) return;
  queue_entry_cycles_ += (entries_.size() - free_.size()) * (now - counted_until_);
  counted_until_ = now;
}

}  // namespace warpfold
