// SPDX-License-Identifier: Apache-2.0
// One DRAM channel: controller queue, scheduler, banks with their timing constraints, data bus.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/address_map.h"
#include "warpfold/memory/dram/dram_params.h"
#include "warpfold/memory/network/ring.h"

namespace warpfold {

// What the controller puts on the command bus; tests and tools may listen.
struct DramCommand {
  enum class Kind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh };  // a refresh: of all banks
  Cycle at;
  Kind kind;
  std::uint32_t bank;
  std::uint64_t row;
};
class DramCommandSink {
 public:
  virtual ~DramCommandSink() = default;
  virtual void command(const DramCommand& command) = 0;
};

// One command per cycle, a row command beside a column command where rows have a bus of their own; from the first edge
// after a request came. FR-FCFS (Rixner et al., ISCA 2000): the oldest
// column command that is ready, else the oldest row command that is ready; a row stays open while the queue holds
// requests for it and until another row of its bank is wanted. Requests for one row are served in order, so no read
// passes a write of the same line. FCFS gives commands to the oldest request only; the next one starts once its last
// column command is out. A request is answered, reads and writes alike, response_latency_cycles after its last data.
// END_REQ is withheld while the queue is full. Slices that share the channel are accepted in turns.
//
// Column commands follow each other when the data bus is free (tCCD is the burst), those of one bank group after
// t_ccd_l. Bank b is in group b modulo groups, so that neighbours differ. All banks are refreshed at once: every t_refi
// cycles the controller stops, closes the open rows as soon as they may be, and no row opens for t_rfc. A refresh that
// was due while nothing was queued is found to have been done when the next request comes, and counted then.
//
// HBM2's pseudo-channels are channels here, twice as many with half of the bytes_per_cycle and row_bytes: two of them
// share the command pins only, which have room for a column command of each in the two cycles of a burst.
//
// Statistics (dram_…): reads, writes, row_hits, row_misses (an activate was needed), row_conflicts (and a precharge),
// precharges, refreshes, read_bytes, write_bytes, bus_busy_cycles, queue_entry_cycles (sum of entries over cycles),
// queue_peak, queue_full_cycles.
class DramChannel : public sc_core::sc_module, public Clocked {
 public:
  DramChannel(sc_core::sc_module_name name, const DramParams& params, const AddressMap& map, ClockDomain& clock,
              unsigned index, StatGroup& stats);

  std::deque<TargetPort<DramChannel>> sockets;  // from the L2 slices that share the channel

  void listen(DramCommandSink* sink) { sink_ = sink; }
  // The row of this address is the open one of its bank from now on, at no cost in time; while nothing is queued.
  void open_row(Address at);
  bool row_is_open(Address at) const;

  Cycle tick(Cycle now) override;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};
  struct Entry {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint64_t order = 0;  // of arrival
    std::uint64_t row = 0;
    std::uint32_t bank = 0;
    std::uint32_t bursts = 0;  // column commands still to come
    bool write = false;
    bool activated = false;  // a row was opened for it
    bool precharged = false;
    Index next = kNone;  // of the same bank, in order of arrival
  };
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    Cycle activate_at = 0;  // earliest
    Cycle column_at = 0;
    Cycle precharge_at = 0;
    Index head = kNone;
    Index tail = kNone;
    Index hit = kNone;  // oldest request for the open row
  };
  // What a bank wants next. Kept until the bank's state or requests change, since the choice is made at every command.
  struct Wish {
    DramCommand::Kind kind{};
    Index entry = kNone;
    std::uint64_t order = 0;
    Cycle at = 0;  // as far as the bank goes; the channel's constraints come on top
  };
  struct Done {
    tlm::tlm_generic_payload* payload;
    Cycle at;
  };

  tlm::tlm_sync_enum from_slice(unsigned slice, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  void enqueue(tlm::tlm_generic_payload& payload);
  void place(Entry& entry, std::uint64_t local) const;
  void accept_withheld(Cycle now);
  unsigned slice_of(const tlm::tlm_generic_payload& payload) const {
    return map_.slice_of_channel(payload.get_address());
  }
  void respond(Cycle now);
  Index choose(Cycle now, Cycle& soonest) const;
  Index choose_first_ready(Cycle now, Cycle& soonest) const;
  std::uint32_t bank_of_oldest() const;
  void renew_wish(std::uint32_t bank);
  void renew_channel();
  Cycle ready(const Wish& wish) const { return std::max(wish.at, channel_at_[static_cast<std::size_t>(wish.kind)]); }
  void issue(std::uint32_t bank, Cycle now);
  void issue_row_command(Cycle now);
  void activate(Entry& entry, Bank& bank, Cycle now);
  void precharge(Entry& entry, Bank& bank, Cycle now);
  void column(Index at, Bank& bank, Cycle now);
  void hold_group(std::uint32_t bank, bool write, Cycle now);
  void refresh();
  void close(Bank& bank, Cycle at);
  void retire(Index at, Bank& bank, Cycle data_end);
  Index first_hit(const Bank& bank) const;
  void count_queue(Cycle now);

  const DramParams params_;
  const AddressMap map_;
  std::vector<Entry> entries_;
  std::vector<Index> free_;
  std::vector<Bank> banks_;
  std::vector<Wish> wishes_;           // per bank with requests
  std::array<Cycle, 4> channel_at_{};  // earliest command of each kind, any bank
  std::uint64_t busy_banks_ = 0;       // those with requests
  std::uint64_t arrivals_ = 0;
  Cycle activate_at_ = 0;  // earliest, any bank
  Cycle read_at_ = 0;
  Cycle bus_free_at_ = 0;    // for read data
  Cycle write_data_at_ = 0;  // the same for write data
  Cycle refresh_at_;         // when the next one is due
  bool hold_groups_;         // a bank group is slower than the bus
  Ring<Done> done_;
  std::vector<tlm::tlm_generic_payload*> withheld_;  // per slice: its END_REQ is owed
  unsigned withheld_count_ = 0;
  unsigned last_slice_ = 0;  // that was accepted
  bool response_offered_ = false;
  Cycle withheld_since_ = 0;
  Cycle counted_until_ = 0;
  DramCommandSink* sink_ = nullptr;

  Counter& reads_;
  Counter& writes_;
  Counter& row_hits_;
  Counter& row_misses_;
  Counter& row_conflicts_;
  Counter& precharges_;
  Counter& refreshes_;
  Counter& read_bytes_;
  Counter& write_bytes_;
  Counter& bus_busy_;
  Counter& queue_entry_cycles_;
  Counter& queue_peak_;
  Counter& queue_full_;
};

}  // namespace warpfold
