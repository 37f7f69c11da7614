// SPDX-License-Identifier: Apache-2.0
// One DRAM channel: controller queue, scheduler, banks with their timing constraints, data bus.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tuple>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/config/params.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/address_map.h"
#include "warpfold/memory/network/ring.h"

namespace warpfold {

enum class DramScheduler : std::uint8_t { kFrFcfs, kFcfs };
template <>
struct Choices<DramScheduler> {
  static constexpr std::array names{"fr_fcfs", "fcfs"};
};

enum class DramMapping : std::uint8_t { kRowBankColumn, kRowColumnBank, kRowBankColumnBank };
template <>
struct Choices<DramMapping> {
  static constexpr std::array names{"row_bank_column", "row_column_bank", "row_bank_column_bank"};
};

struct DramParams {
  // TBC Table 2: 800 MHz, queue of 32, FR-FCFS, tCL…tRRD, 8 bytes per cycle. Decisions where the paper is silent:
  // banks, write latency, tWTR, tWR and bus turnaround as GPGPU-Sim 3.x's Quadro FX 5800 has them, which takes the
  // paper's own values of the others from the same part (Samsung K4J52324QH-HC12); 2 KB rows as in that configuration's
  // address mapping; a burst of four cycles (32 bytes, GT200's smallest transaction).
  std::uint32_t clock_mhz = 800;
  DramScheduler scheduler = DramScheduler::kFrFcfs;
  std::uint32_t queue_entries = 32;
  std::uint32_t banks = 8;
  std::uint32_t row_bytes = 2048;
  DramMapping mapping = DramMapping::kRowBankColumn;
  std::uint32_t bytes_per_cycle = 8;
  std::uint32_t burst_cycles = 4;
  std::uint32_t t_cl = 10;
  std::uint32_t t_rp = 10;
  std::uint32_t t_rc = 35;
  std::uint32_t t_ras = 25;
  std::uint32_t t_rcd = 12;
  std::uint32_t t_rrd = 8;
  std::uint32_t t_wl = 7;
  std::uint32_t t_wtr = 6;
  std::uint32_t t_wr = 11;
  std::uint32_t turnaround_cycles = 2;
  std::uint32_t response_latency_cycles = 20;
  std::uint32_t bank_groups = 1;
  std::uint32_t t_ccd_l = 0;
  std::uint32_t t_rtp = 4;
  std::uint32_t t_rtp_l = 0;
  std::uint32_t t_refi = 0;
  std::uint32_t t_rfc = 0;
  bool row_command_bus = false;

  static constexpr auto fields() {
    using P = DramParams;
    return std::tuple{
        field("clock_mhz", "MHz", &P::clock_mhz, 1, 100'000, "command clock"),
        choice("scheduler", &P::scheduler, "fr_fcfs: oldest row hit first; fcfs: strictly in order"),
        field("queue_entries", "entries", &P::queue_entries, 1, 4096, "requests the controller holds"),
        field("banks", "banks", &P::banks, 1, 64, "banks of the channel"),
        power_of_two("row_bytes", "bytes", &P::row_bytes, 64, 1u << 20, "of a bank's row, over the channel's width"),
        choice("mapping", &P::mapping,
               "row_bank_column: a whole row, then the next bank; row_column_bank: banks alternate at the slices' "
               "interleave; row_bank_column_bank: two banks do, then the next two"),
        field("bytes_per_cycle", "bytes", &P::bytes_per_cycle, 1, 1024, "on the data bus per command cycle"),
        field("burst_cycles", "cycles", &P::burst_cycles, 1, 64, "of data per column command"),
        field("t_cl", "cycles", &P::t_cl, 1, 1000, "read command to data"),
        field("t_rp", "cycles", &P::t_rp, 1, 1000, "precharge to activate"),
        field("t_rc", "cycles", &P::t_rc, 1, 1000, "activate to activate, same bank"),
        field("t_ras", "cycles", &P::t_ras, 1, 1000, "activate to precharge"),
        field("t_rcd", "cycles", &P::t_rcd, 1, 1000, "activate to column command"),
        field("t_rrd", "cycles", &P::t_rrd, 1, 1000, "activate to activate, other bank"),
        field("t_wl", "cycles", &P::t_wl, 1, 1000, "write command to data"),
        field("t_wtr", "cycles", &P::t_wtr, 0, 1000, "end of write data to read command"),
        field("t_wr", "cycles", &P::t_wr, 0, 1000, "end of write data to precharge"),
        field("turnaround_cycles", "cycles", &P::turnaround_cycles, 0, 1000, "between read data and write data"),
        field("response_latency_cycles", "cycles", &P::response_latency_cycles, 0, 10'000,
              "from last data to response"),
        field("bank_groups", "groups", &P::bank_groups, 1, 64, "neighbouring banks are in different groups"),
        field("t_ccd_l", "cycles", &P::t_ccd_l, 0, 64,
              "column command to column command of a bank group; below burst_cycles, the bus decides"),
        field("t_rtp", "cycles", &P::t_rtp, 0, 1000, "read command to precharge, same bank"),
        field("t_rtp_l", "cycles", &P::t_rtp_l, 0, 1000, "read command to precharge, any bank of its group"),
        field("t_refi", "cycles", &P::t_refi, 0, 10'000'000, "from one refresh of all banks to the next; 0: none"),
        field("t_rfc", "cycles", &P::t_rfc, 0, 100'000, "that a refresh takes"),
        flag("row_command_bus", &P::row_command_bus,
             "activates and precharges have a bus of their own beside the column commands' (HBM)"),
    };
  }
};

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
