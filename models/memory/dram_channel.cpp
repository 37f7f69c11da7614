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
      wishes_(params.banks),
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
  if (bank.head == at || bank.hit == at) renew_wish(entry.bank);
}

Cycle DramChannel::tick(Cycle now) {
  respond(now);
  Cycle next = kNever;
  if (busy_banks_ != 0 && !done_.full()) {
    const Index bank = choose(now, next);
    if (bank != kNone) {
      issue(bank, now);
      accept_withheld(now);
      next = kNever;
      if (busy_banks_ != 0 && !done_.full() && choose(now + 1, next) != kNone) next = now + 1;
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

// The bank that gets a command at edge `now`, or none and the soonest edge at which one may.
DramChannel::Index DramChannel::choose(Cycle now, Cycle& soonest) const {
  if (params_.scheduler == DramScheduler::kFrFcfs) return choose_first_ready(now, soonest);
  const std::uint32_t bank = bank_of_oldest();
  if (ready(wishes_[bank]) <= now) return bank;
  soonest = ready(wishes_[bank]);
  return kNone;
}

DramChannel::Index DramChannel::choose_first_ready(Cycle now, Cycle& soonest) const {
  constexpr std::uint64_t kRowCommand = std::uint64_t{1} << 63;  // any column command goes before
  std::uint64_t best = ~std::uint64_t{0};
  Index chosen = kNone;
  for (std::uint64_t banks = busy_banks_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(banks));
    const Wish& wish = wishes_[bank];
    const Cycle at = ready(wish);
    if (at > now) {
      soonest = std::min(soonest, at);
      continue;
    }
    const bool column = wish.kind == DramCommand::Kind::kRead || wish.kind == DramCommand::Kind::kWrite;
    const std::uint64_t rank = column ? wish.order : wish.order | kRowCommand;
    if (rank < best) {
      best = rank;
      chosen = bank;
    }
  }
  return chosen;
}

std::uint32_t DramChannel::bank_of_oldest() const {
  auto found = static_cast<std::uint32_t>(std::countr_zero(busy_banks_));
  for (std::uint64_t banks = busy_banks_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(banks));
    if (entries_[banks_[bank].head].order < entries_[banks_[found].head].order) found = bank;
  }
  return found;
}

// The oldest request for the open row goes first; strictly in order it is the oldest request or another row's turn.
void DramChannel::renew_wish(std::uint32_t number) {
  const Bank& bank = banks_[number];
  if (bank.head == kNone) return;
  const bool column = params_.scheduler == DramScheduler::kFrFcfs ? bank.hit != kNone : bank.hit == bank.head;
  const Index at = column ? bank.hit : bank.head;
  const Entry& entry = entries_[at];
  Wish& wish = wishes_[number];
  wish.entry = at;
  wish.order = entry.order;
  if (column) {
    wish.kind = entry.write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead;
    wish.at = bank.column_at;
  } else {
    wish.kind = bank.open ? DramCommand::Kind::kPrecharge : DramCommand::Kind::kActivate;
    wish.at = bank.open ? bank.precharge_at : bank.activate_at;
  }
}

// Read and write data must find the bus free when they come.
void DramChannel::renew_channel() {
  const auto command_at = [](Cycle bus_at, Cycle to_data) { return bus_at > to_data ? bus_at - to_data : 0; };
  channel_at_[static_cast<std::size_t>(DramCommand::Kind::kActivate)] = activate_at_;
  channel_at_[static_cast<std::size_t>(DramCommand::Kind::kRead)] =
      std::max(read_at_, command_at(bus_free_at_, params_.t_cl));
  channel_at_[static_cast<std::size_t>(DramCommand::Kind::kWrite)] = command_at(write_data_at_, params_.t_wl);
}

void DramChannel::issue(std::uint32_t number, Cycle now) {
  const Wish wish = wishes_[number];
  Entry& entry = entries_[wish.entry];
  Bank& bank = banks_[number];
  if (sink_ != nullptr) {
    const bool closes = wish.kind == DramCommand::Kind::kPrecharge;
    sink_->command({now, wish.kind, number, closes ? bank.row : entry.row});
  }
  if (wish.kind == DramCommand::Kind::kActivate) {
    activate(entry, bank, now);
  } else if (wish.kind == DramCommand::Kind::kPrecharge) {
    precharge(entry, bank, now);
  } else {
    column(wish.entry, bank, now);
  }
  renew_channel();
  renew_wish(number);
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
