// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/dram/dram_channel.h"

#include <algorithm>
#include <bit>
#include <string>

#include "warpfold/memory/dram/memory_protocol.h"

namespace warpfold {
namespace {

// Requests whose column commands are out but which are not answered yet: bounded by what fits into their latency.
std::size_t answers_in_flight(const DramParams& params) {
  return std::size_t{params.queue_entries} + std::max(params.t_cl, params.t_wl) + params.response_latency_cycles;
}

bool is_column(DramCommand::Kind kind) { return kind == DramCommand::Kind::kRead || kind == DramCommand::Kind::kWrite; }

}  // namespace

DramChannel::DramChannel(sc_core::sc_module_name name, const DramParams& params, const AddressMap& map,
                         ClockDomain& clock, unsigned index, StatGroup& stats)
    : sc_module(name),
      params_(params),
      map_(map),
      entries_(params.queue_entries),
      banks_(params.banks),
      wishes_(params.banks),
      refresh_at_(params.t_refi == 0 ? kNever : params.t_refi),
      hold_groups_(params.t_ccd_l > params.burst_cycles || params.t_rtp_l > 0),
      done_(answers_in_flight(params)),
      withheld_(map.slices_per_channel(), nullptr),
      reads_(stats.counter("dram_reads", "requests", "read requests served")),
      writes_(stats.counter("dram_writes", "requests", "write requests served")),
      row_hits_(stats.counter("dram_row_hits", "requests", "requests that found their row open or opened for another")),
      row_misses_(stats.counter("dram_row_misses", "requests", "requests for which a row was activated")),
      row_conflicts_(stats.counter("dram_row_conflicts", "requests", "of those, with another row to close first")),
      precharges_(stats.counter("dram_precharges", "commands", "rows closed")),
      refreshes_(stats.counter("dram_refreshes", "commands", "refreshes of all banks, up to the last request")),
      read_bytes_(stats.counter("dram_read_bytes", "bytes", "that read requests asked for")),
      write_bytes_(stats.counter("dram_write_bytes", "bytes", "that write requests brought")),
      bus_busy_(stats.counter("dram_bus_busy_cycles", "cycles", "data bus cycles with data")),
      queue_entry_cycles_(stats.counter("dram_queue_entry_cycles", "cycles", "requests queued, summed over cycles")),
      queue_peak_(stats.counter("dram_queue_peak", "requests", "most requests queued at once", Combine::kMax)),
      queue_full_(stats.counter("dram_queue_full_cycles", "cycles", "a request waited because the queue was full")) {
  stats.derive("dram_row_hit_rate", "", "DRAM requests that needed no activation of their own",
               [](const StatValues& v) {
                 const double hits = value_of(v, "dram_row_hits");
                 return hits / (hits + value_of(v, "dram_row_misses"));
               });
  for (Index entry = params.queue_entries; entry-- > 0;) free_.push_back(entry);
  for (unsigned slice = 0; slice < map.slices_per_channel(); ++slice) {
    sockets.emplace_back(("socket_" + std::to_string(slice)).c_str(), *this, &DramChannel::from_slice, slice);
  }
  clock.add(*this, index);
}

tlm::tlm_sync_enum DramChannel::from_slice(unsigned slice, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  wake();
  if (phase == tlm::END_RESP) {
    check(response_offered_, "END_RESP for the response that waits for it");
    response_offered_ = false;
    return tlm::TLM_COMPLETED;
  }
  check(phase == tlm::BEGIN_REQ && withheld_[slice] == nullptr, "BEGIN_REQ, not before the last one's END_REQ");
  if (free_.empty()) {
    if (withheld_count_++ == 0) withheld_since_ = clock().current();
    withheld_[slice] = &payload;
    return tlm::TLM_ACCEPTED;
  }
  last_slice_ = slice;
  enqueue(payload);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void DramChannel::enqueue(tlm::tlm_generic_payload& payload) {
  count_queue(clock().current());
  const Index at = free_.back();
  free_.pop_back();
  queue_peak_.raise_to(entries_.size() - free_.size());

  const std::uint32_t burst_bytes = params_.burst_cycles * params_.bytes_per_cycle;
  Entry& entry = entries_[at];
  entry = Entry{};
  entry.payload = &payload;
  entry.order = arrivals_++;
  place(entry, map_.in_channel(payload.get_address()));
  const std::uint32_t bytes = bytes_moved(payload);
  entry.bursts = std::max<std::uint32_t>(1, (bytes + burst_bytes - 1) / burst_bytes);
  entry.write = payload.is_write();
  ++(entry.write ? writes_ : reads_);
  (entry.write ? write_bytes_ : read_bytes_) += bytes;

  Bank& bank = banks_[entry.bank];
  (bank.head == kNone ? bank.head : entries_[bank.tail].next) = at;
  bank.tail = at;
  if (bank.hit == kNone && bank.open && bank.row == entry.row) bank.hit = at;
  busy_banks_ |= std::uint64_t{1} << entry.bank;
  if (bank.head == at || bank.hit == at) renew_wish(entry.bank);
}

// Chunks that alternate between banks leave a bank's share dense, so that its rows are whole.
void DramChannel::place(Entry& entry, std::uint64_t local) const {
  entry.row = local / (std::uint64_t{params_.row_bytes} * params_.banks);
  if (params_.mapping == DramMapping::kRowBankColumn) {
    entry.bank = static_cast<std::uint32_t>(local / params_.row_bytes % params_.banks);
  } else if (params_.mapping == DramMapping::kRowColumnBank) {
    entry.bank = static_cast<std::uint32_t>(local / map_.interleave_bytes() % params_.banks);
  } else {
    const std::uint64_t pair = local / (std::uint64_t{params_.row_bytes} * 2) % (params_.banks / 2);
    entry.bank = static_cast<std::uint32_t>(pair * 2 + local / map_.interleave_bytes() % 2);
  }
}

void DramChannel::open_row(Address at) {
  Entry entry;
  place(entry, map_.in_channel(at));
  Bank& bank = banks_[entry.bank];
  check(bank.head == kNone, "rows are opened from outside while nothing is queued");
  bank.open = true;
  bank.row = entry.row;
}

bool DramChannel::row_is_open(Address at) const {
  Entry entry;
  place(entry, map_.in_channel(at));
  return banks_[entry.bank].open && banks_[entry.bank].row == entry.row;
}

Cycle DramChannel::tick(Cycle now) {
  respond(now);
  Cycle next = kNever;
  if (busy_banks_ != 0 && !done_.full()) {
    while (refresh_at_ <= now) refresh();
    const Index bank = choose(now, next);
    if (bank != kNone) {
      const bool beside = params_.row_command_bus && is_column(wishes_[bank].kind);
      issue(bank, now);
      if (beside) issue_row_command(now);
      accept_withheld(now);
      next = kNever;
      if (busy_banks_ != 0 && !done_.full() && choose(now + 1, next) != kNone) next = now + 1;
    }
  }
  if (!done_.empty() && !response_offered_) next = std::min(next, std::max(done_.front().at, now + 1));
  return next;
}

void DramChannel::issue_row_command(Cycle now) {
  Cycle soonest = kNever;
  const Index bank = busy_banks_ != 0 ? choose(now, soonest) : kNone;
  if (bank != kNone && !is_column(wishes_[bank].kind)) issue(bank, now);
}

void DramChannel::accept_withheld(Cycle now) {
  if (withheld_count_ == 0 || free_.empty()) return;
  unsigned slice = last_slice_;
  do {
    slice = slice + 1 == withheld_.size() ? 0 : slice + 1;
  } while (withheld_[slice] == nullptr);
  last_slice_ = slice;
  tlm::tlm_generic_payload& payload = *withheld_[slice];
  withheld_[slice] = nullptr;
  --withheld_count_;
  queue_full_ += now - withheld_since_;
  withheld_since_ = now;
  enqueue(payload);
  tlm::tlm_phase phase = tlm::END_REQ;
  send_backward(sockets[slice], payload, phase);
}

void DramChannel::respond(Cycle now) {
  while (!done_.empty() && done_.front().at <= now && !response_offered_) {
    tlm::tlm_generic_payload& payload = *done_.front().payload;
    done_.pop();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    response_offered_ = send_backward(sockets[slice_of(payload)], payload, phase) == tlm::TLM_ACCEPTED;
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
    const std::uint64_t rank = is_column(wish.kind) ? wish.order : wish.order | kRowCommand;
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
  bank.column_at = std::max(bank.column_at, now + params_.t_rcd);
  bank.precharge_at = std::max(bank.precharge_at, now + params_.t_ras);
  bank.activate_at = now + params_.t_rc;
  bank.hit = first_hit(bank);
  activate_at_ = now + params_.t_rrd;
}

void DramChannel::precharge(Entry& entry, Bank& bank, Cycle now) {
  entry.precharged = true;
  close(bank, now);
}

void DramChannel::close(Bank& bank, Cycle at) {
  ++precharges_;
  bank.open = false;
  bank.hit = kNone;
  bank.activate_at = std::max(bank.activate_at, at + params_.t_rp);
}

// Nothing was commanded since it was due, so that it begins as soon after that as the open rows let it.
void DramChannel::refresh() {
  Cycle close_at = refresh_at_;
  for (const Bank& bank : banks_) close_at = bank.open ? std::max(close_at, bank.precharge_at) : close_at;
  Cycle begin = refresh_at_;
  for (Bank& bank : banks_) {
    if (bank.open) close(bank, close_at);
    begin = std::max(begin, bank.activate_at);
  }
  for (Bank& bank : banks_) bank.activate_at = begin + params_.t_rfc;
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) renew_wish(bank);
  if (sink_ != nullptr) sink_->command({begin, DramCommand::Kind::kRefresh, 0, 0});
  ++refreshes_;
  refresh_at_ += params_.t_refi;
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
    bank.precharge_at = std::max(bank.precharge_at, now + params_.t_rtp);
  }
  if (hold_groups_) hold_group(entry.bank, entry.write, now);
  if (--entry.bursts == 0) {
    count_queue(now);
    retire(at, bank, data_end);
  }
}

void DramChannel::hold_group(std::uint32_t commanded, bool write, Cycle now) {
  for (std::uint32_t other = commanded % params_.bank_groups; other < params_.banks; other += params_.bank_groups) {
    Bank& bank = banks_[other];
    bank.column_at = std::max(bank.column_at, now + params_.t_ccd_l);
    if (!write) bank.precharge_at = std::max(bank.precharge_at, now + params_.t_rtp_l);
    renew_wish(other);
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
