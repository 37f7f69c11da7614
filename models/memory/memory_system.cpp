// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/memory_system.h"

#include <string>

#include "warpfold/common/error.h"
#include "warpfold/common/warning.h"

namespace warpfold {
namespace {

void check_dram(const DramParams& dram) {
  if (dram.banks % dram.bank_groups != 0) {
    user_error("dram.bank_groups {} do not share out the {} banks; make it a divisor of dram.banks", dram.bank_groups,
               dram.banks);
  }
  if (dram.mapping == DramMapping::kRowBankColumnBank && dram.banks % 2 != 0) {
    user_error("dram.mapping row_bank_column_bank takes banks in pairs; make dram.banks {} even", dram.banks);
  }
  if (dram.t_refi != 0 && dram.t_refi <= dram.t_rfc) {
    user_error("dram.t_refi {} is no longer than the {} cycles of a refresh, dram.t_rfc; make it longer, or 0 for none",
               dram.t_refi, dram.t_rfc);
  }
}

}  // namespace

void check_geometry(const MemoryParams& params, std::uint32_t line_bytes) {
  if (params.l2.line_bytes < line_bytes) {
    user_error("l2.line_bytes {} is smaller than a first-level cache's line of {}; make it at least as large",
               params.l2.line_bytes, line_bytes);
  }
  if (params.interleave_bytes < params.l2.line_bytes) {
    user_error("interleave_bytes {} is smaller than l2.line_bytes {}; make it at least as large",
               params.interleave_bytes, params.l2.line_bytes);
  }
  const std::uint32_t chunk =
      params.dram.mapping == DramMapping::kRowBankColumn ? params.l2.line_bytes : params.interleave_bytes;
  if (params.dram.row_bytes < chunk) {
    user_error(
        "dram.row_bytes {} is smaller than the {} bytes that lie side by side in a row; make it at least as large",
        params.dram.row_bytes, chunk);
  }
  const std::uint32_t slices = params.channels * params.slices_per_channel;
  const std::string misfit = IndexHasher::misfit(params.slice_hash, slices, 0);
  if (!misfit.empty()) user_error("slice_hash over {} slices: {}", slices, misfit);
  check_dram(params.dram);
}

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryParams& params, unsigned cores,
                           ClockDomain& memory_clock, ClockDomain& interconnect_clock, StatRegistry& stats,
                           const std::vector<ClockDomain*>& link_clocks)
    : sc_module(name),
      sector_bytes_(params.l2.sector_bytes != 0 ? params.l2.sector_bytes : params.l2.line_bytes),
      external_(params.external()),
      map_(params.interleave_bytes, params.channels, params.slices_per_channel, params.slice_hash) {
  for (unsigned core = 0; !params.has_l2() && core < cores; ++core) {
    gateways_.emplace_back(("gateway_" + std::to_string(core)).c_str(), interconnect_clock, core, pool_);
  }
  if (!params.has_l2()) return;
  interconnect_.emplace("interconnect", params.interconnect, map_, cores, map_.slices(), interconnect_clock, 0,
                        stats.group("interconnect"), link_clocks);
  for (unsigned n = 0; n < map_.slices(); ++n) {
    const std::string number = std::to_string(n);
    L2Slice& slice = slices_.emplace_back(("l2_" + number).c_str(), params.l2, map_, n, interconnect_clock, n + 1,
                                          stats.group("l2_" + number), pool_);
    interconnect_->slice_sockets[n].bind(slice.network_socket);
    if (external_) {
      slice.count_traffic(stats.group("dram_" + number));
      continue;
    }
    if (n < params.channels) {
      channels_.emplace_back(("dram_" + number).c_str(), params.dram, map_, memory_clock, n,
                             stats.group("dram_" + number));
    }
    slice.dram_socket.bind(channels_[map_.channel_of(n)].sockets[n / params.channels]);
  }
}

MemorySystem::~MemorySystem() {
  if (!external_ || requests_out() != 0) return;          // the launch has failed, or was left
  const sc_core::sc_time clearing_up(1, sc_core::SC_US);  // decision: more than a memory takes behind its answer
  const std::size_t kept = pool_.kept_for(clearing_up);
  if (kept == 0) return;
  warn(fmt::format("the external memory still holds {} transactions that it has answered; release() what you acquire()",
                   kept));
}

std::size_t MemorySystem::requests_out() const {
  std::size_t all = 0;
  for (const L2Slice& slice : slices_) all += slice.dram_socket.unanswered();
  for (const CoreGateway& gateway : gateways_) all += gateway.network_socket.unanswered();
  return all;
}

std::string MemorySystem::unanswered() const {
  const std::size_t count = requests_out();
  if (!external_ || count == 0) return {};
  const tlm::tlm_generic_payload* const first = pool_.first_unanswered();
  check(first != nullptr, "a request without an answer is one of the slices'");
  return fmt::format("{} requests unanswered, as the {} of {} bytes at {:#x}", count,
                     first->is_write() ? "write" : "read", first->get_data_length(), first->get_address());
}

void MemorySystem::carry_values_of(const DeviceMemory& memory) {
  if (!external_) return;
  for (L2Slice& slice : slices_) slice.carry_values_of(memory);
  for (CoreGateway& gateway : gateways_) gateway.carry_values_of(memory);
}

void MemorySystem::fill(Address to, std::uint64_t bytes) {
  if (slices_.empty()) return;
  for (Address at = to / sector_bytes_ * sector_bytes_; at < to + bytes; at += sector_bytes_) {
    slices_[map_.slice(at)].fill(at);
  }
}

void MemorySystem::empty_l2() {
  for (L2Slice& slice : slices_) slice.empty();
}

bool MemorySystem::warm(Address at, std::uint32_t bytes, const ByteMask& mask, CacheAccess::Kind kind,
                        const CacheUse& use) {
  const unsigned slice = map_.slice(at);
  const L2Slice::Warmed warmed = slices_[slice].warm(at, bytes, mask, kind, use);
  if (!external_) {
    DramChannel& channel = channels_[map_.channel_of(slice)];
    const bool hit = warmed.fetches && channel.row_is_open(at);  // then it goes before what was sent first
    if (warmed.written_back) channel.open_row(*warmed.written_back);
    if (warmed.fetches && !hit) channel.open_row(at);
    if (warmed.cleaned) channel.open_row(*warmed.cleaned);
  }
  return warmed.fetches;
}

}  // namespace warpfold
