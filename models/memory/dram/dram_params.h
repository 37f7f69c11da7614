// SPDX-License-Identifier: Apache-2.0
// What a machine file says of a DRAM channel.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"

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

}  // namespace warpfold
