// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/swizzle.h"

#include <fmt/format.h>

namespace warpfold::cosim {

using divergence::LanesOnUnit;
using divergence::LaneSource;
using divergence::Packing;
using divergence::SwizzleSettings;

namespace {

constexpr unsigned kLatency = 1;

std::string text(unsigned output, const LaneSource& source) {
  if (!source.enable) return fmt::format("output lane {} off", output);
  return fmt::format("output lane {} from quad {}, lane {}", output, source.quad, source.lane);
}

}  // namespace

bool rtl_packs(Packing packing, unsigned width, unsigned unit_width) {
  const bool by_settings = packing == Packing::kBcc || packing == Packing::kScc;
  return by_settings && unit_width > 1 && unit_width < width && width % unit_width == 0;
}

RtlPacking::Control::Control(Session& session, unsigned core, unsigned width, unsigned unit_width, bool swizzle)
    : model(session, "swizzle", core, {{"Lanes", width}, {"Width", unit_width}, {"Swizzle", swizzle ? 1U : 0U}},
            fmt::format("_{}x{}", width, unit_width)),
      quad_bits(index_width(width / unit_width)),
      lane_bits(index_width(unit_width)),
      mask_valid(model.pin("mask_valid_i")),
      mask_ready(model.pin("mask_ready_o")),
      mask(model.pin("mask_i")),
      set_valid(model.pin("set_valid_o")),
      set_last(model.pin("set_last_o")),
      set_enable(model.pin("set_enable_o")),
      set_quad(model.pin("set_quad_o")),
      set_lane(model.pin("set_lane_o")) {
  model.pin("set_ready_i").set(1);
  model.record.model_latency = kLatency;
}

RtlPacking::Control& RtlPacking::control(unsigned width, unsigned unit_width) const {
  const std::pair key{width, unit_width};
  const auto found = controls_.find(key);
  if (found != controls_.end()) return found->second;
  return controls_.try_emplace(key, session_, core_, width, unit_width, packing() == Packing::kScc).first->second;
}

unsigned RtlPacking::cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const {
  if (!rtl_packs(packing(), width, unit_width)) return LanePacking::cycles(mask, width, unit_width);
  const LanesOnUnit lanes{mask, width, unit_width};
  const SwizzleSettings expected = divergence::swizzle_settings(packing(), lanes);
  Control& own = control(width, unit_width);
  RtlModel& rtl = own.model.rtl();
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  rtl.forget();
  own.mask.set(mask);
  own.mask_valid.set(1);
  rtl.eval();
  own.model.clock_until(now_ps, own.mask_ready, "a mask");
  own.model.clock(now_ps);
  own.mask_valid.set(0);
  rtl.eval();
  std::uint64_t latency = kLatency;
  for (unsigned cycle = 0;; ++cycle) {
    const std::uint64_t waited = own.model.clock_until(now_ps, own.set_valid, "settings");
    latency += waited;
    compare(own, expected, cycle, lanes);
    if (own.set_last) break;
    own.model.clock(now_ps);
    rtl.eval();
  }
  ++own.model.record.operations;
  own.model.record.latency(latency);
  if (session_.cycle_exact() && latency != kLatency) {
    session_.differs(rtl, fmt::format("mask 0x{:x}", mask),
                     fmt::format("settings from clock {} on, one per clock", kLatency),
                     fmt::format("{} clocks later", latency - kLatency));
  }
  return expected.cycles();
}

void RtlPacking::compare(Control& own, const SwizzleSettings& expected, unsigned cycle,
                         const LanesOnUnit& lanes) const {
  const auto differs = [&](const std::string& wanted, const std::string& got) {
    session_.differs(
        own.model.rtl(),
        fmt::format("mask 0x{:x} on {} lanes, cycle {} of {}", lanes.mask, lanes.unit_width, cycle, expected.cycles()),
        wanted, got);
  };
  if (cycle >= expected.cycles()) differs("no further settings", "some");
  const std::uint64_t enable = own.set_enable.get();
  for (unsigned n = 0; n < lanes.unit_width; ++n) {
    const LaneSource& wanted = expected.at(cycle, n);
    const LaneSource got{(enable >> n & 1) != 0,
                         static_cast<std::uint8_t>(own.set_quad.field(n * own.quad_bits, own.quad_bits)),
                         static_cast<std::uint8_t>(own.set_lane.field(n * own.lane_bits, own.lane_bits))};
    if (!(got == wanted)) differs(text(n, wanted), text(n, got));
  }
  const bool last = cycle + 1 == expected.cycles();
  if (static_cast<bool>(own.set_last) != last)
    differs(last ? "the last settings" : "more settings to come", "the opposite");
}

}  // namespace warpfold::cosim
