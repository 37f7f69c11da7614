// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/swizzle.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace warpfold::cosim {

using divergence::LanesOnUnit;
using divergence::LaneSource;
using divergence::SwizzleSettings;

namespace {

// A field that may lie across two words.
void set_bits(std::array<std::uint64_t, 6>& words, unsigned lsb, std::uint64_t value) {
  words[lsb / 64] |= value << lsb % 64;
  if (lsb % 64 != 0 && value >> (64 - lsb % 64) != 0) words[lsb / 64 + 1] |= value >> (64 - lsb % 64);
}

unsigned bits_of(const std::array<std::uint64_t, 6>& words, unsigned lsb, unsigned count) {
  std::uint64_t value = words[lsb / 64] >> lsb % 64;
  if (lsb % 64 + count > 64) value |= words[lsb / 64 + 1] << (64 - lsb % 64);
  return static_cast<unsigned>(value & ((1U << count) - 1));
}

std::array<std::uint64_t, 6> words(const Pin& pin) {
  std::array<std::uint64_t, 6> all{};
  std::memcpy(all.data(), pin.data(), pin.bytes());
  return all;
}

std::string hex(const std::array<std::uint64_t, 6>& words) {
  std::string text;
  for (unsigned i = words.size(); i-- > 0;) {
    if (!text.empty()) {
      text += fmt::format("{:016x}", words[i]);
    } else if (words[i] != 0 || i == 0) {
      text = fmt::format("0x{:x}", words[i]);
    }
  }
  return text;
}

}  // namespace

std::string RtlPacking::text(const PinValues& pins) {
  return fmt::format("enable 0x{:x}, quad {}, lane {}, last {}", pins.enable, hex(pins.quad), hex(pins.lane),
                     pins.last ? 1 : 0);
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
      set_lane(model.pin("set_lane_o")),
      known(1U << kKnownBits) {
  model.pin("set_ready_i").set(1);
  model.record.model_latency = 1;
  Coverage& coverage = model.record.coverage;
  coverage.cannot("masks_back_to_back", Coverage::kOneAtATime);
  coverage.cannot("settings_that_wait", Coverage::kTakesAtOnce);
  cycles = coverage.sizes("cycles_per_mask", 1, width / unit_width);
  active = coverage.sizes("lanes_of_masks", 0, width);
  sources = coverage.sizes("lanes_of_unit_by_source", 0, unit_width * unit_width - 1);
  quads = coverage.sizes("quads_that_go_through", 0, width / unit_width - 1);
  empty = coverage.event("masks_of_no_lane");
  full = coverage.event("masks_of_all_lanes");
  moved = coverage.event("masks_with_lanes_moved");
  model.record.tallies[this] = [this] {
    for (Settings& settings : known) tally(settings);
  };
}

RtlPacking::Control::~Control() {
  model.record.tallies.at(this)();
  model.record.tallies.erase(this);
}

// What is counted follows from the settings: counting them, and not their lanes each time, is most of what it costs.
void RtlPacking::Control::tally(Settings& settings) {
  if (settings.times != 0) count(settings.mask, settings.cycles, std::exchange(settings.times, 0));
}

void RtlPacking::Control::count(isa::LaneMask of, const std::vector<PinValues>& settings, std::uint64_t times) {
  Coverage& coverage = model.record.coverage;
  const unsigned width = set_enable.bits();
  bool moves = false;
  for (const PinValues& pins : settings) {
    for (unsigned n = 0; n < width; ++n) {
      if ((pins.enable >> n & 1) == 0) continue;
      const unsigned lane = bits_of(pins.lane, n * lane_bits, lane_bits);
      coverage.size(sources, n * width + lane, times);
      coverage.size(quads, bits_of(pins.quad, n * quad_bits, quad_bits), times);
      moves = moves || lane != n;
    }
  }
  const auto lanes = static_cast<unsigned>(std::popcount(of));
  coverage.size(cycles, static_cast<unsigned>(settings.size()), times);
  coverage.size(active, lanes, times);
  if (lanes == 0) coverage.count(empty, times);
  if (lanes == mask.bits()) coverage.count(full, times);
  if (moves) coverage.count(moved, times);
}

RtlPacking::RtlPacking(const CoreParams& params, Session& session, const ClockDomain& clock, unsigned core)
    : LanePacking(params.lane_packing, params.logic.clocks != UnitClocks::kNone),
      session_(session),
      clock_(clock),
      core_(core) {
  if (divergence::has_control(packing(), params.warp_size, params.simd_width))
    control(params.warp_size, params.simd_width);
}

RtlPacking::Control& RtlPacking::control(unsigned width, unsigned unit_width) const {
  const std::pair key{width, unit_width};
  const auto found = controls_.find(key);
  if (found != controls_.end()) return found->second;
  return controls_.try_emplace(key, session_, core_, width, unit_width, divergence::info_of(packing()).swizzles)
      .first->second;
}

// What the pins show in each cycle of a mask's settings.
RtlPacking::Settings& RtlPacking::expected(Control& own, const LanesOnUnit& lanes) const {
  Settings& settings = own.known[(lanes.mask * 0x9e3779b97f4a7c15U) >> (64 - kKnownBits)];
  if (settings.mask == lanes.mask && !settings.cycles.empty()) return settings;
  own.tally(settings);
  const SwizzleSettings made = divergence::info_of(packing()).settings(lanes);
  settings.mask = lanes.mask;
  settings.cycles.assign(made.cycles(), {});
  for (unsigned cycle = 0; cycle < made.cycles(); ++cycle) {
    PinValues& pins = settings.cycles[cycle];
    pins.last = cycle + 1 == made.cycles();
    for (unsigned n = 0; n < lanes.unit_width; ++n) {
      const LaneSource& source = made.at(cycle, n);
      pins.enable |= std::uint64_t{source.enable} << n;
      set_bits(pins.quad, n * own.quad_bits, source.quad);
      set_bits(pins.lane, n * own.lane_bits, source.lane);
    }
  }
  return settings;
}

// The outputs are read after the clock's edge, while the mask is still there: they come from registers.
unsigned RtlPacking::cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const {
  if (!divergence::has_control(packing(), width, unit_width)) return LanePacking::cycles(mask, width, unit_width);
  Control& own = control(width, unit_width);
  RtlModel& rtl = own.model.rtl();
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  rtl.forget();
  own.model.asks("mask");
  own.mask.set(mask);
  own.mask_valid.set(1);
  own.model.clock_until(now_ps, own.mask_ready, "a mask");
  own.model.clock(now_ps);
  const Taken taken = session_.contract() ? take_by_contract(own, {mask, width, unit_width}, now_ps)
                                          : take(own, {mask, width, unit_width}, now_ps);
  own.mask_valid.set(0);
  ++own.model.record.operations;
  latency_ = kControlClocks + static_cast<unsigned>(taken.late);
  own.model.record.latency(latency_);
  if (session_.cycle_exact() && taken.late != 0) {
    session_.differs(rtl, fmt::format("mask 0x{:x}", mask),
                     fmt::format("settings from clock {} on, one per clock", kControlClocks),
                     fmt::format("{} clocks later", taken.late));
  }
  return taken.cycles;
}

// Takes a mask's settings, cycle by cycle; look(cycle) sees each of them.
template <class Look>
RtlPacking::Taken RtlPacking::take_all(Control& own, std::uint64_t now_ps, Look look) const {
  Taken taken;
  for (;;) {
    if (!own.set_valid) {
      own.mask_valid.set(0);
      taken.late += own.model.clock_until(now_ps, own.set_valid, "settings");
    }
    look(taken.cycles++);
    if (own.set_last) return taken;
    own.mask_valid.set(0);
    own.model.clock(now_ps);
  }
}

RtlPacking::Taken RtlPacking::take(Control& own, const LanesOnUnit& lanes, std::uint64_t now_ps) const {
  Settings& settings = expected(own, lanes);
  const Taken taken = take_all(own, now_ps, [&](unsigned cycle) { compare(own, settings, cycle); });
  ++settings.times;
  return taken;
}

RtlPacking::Taken RtlPacking::take_by_contract(Control& own, const LanesOnUnit& lanes, std::uint64_t now_ps) const {
  PackingContract contract(lanes, divergence::info_of(packing()).swizzles);
  std::vector<PinValues> settings;
  const Taken taken = take_all(own, now_ps, [&](unsigned /*cycle*/) {
    settings.push_back(own.values());
    const std::string rule = contract.broken_by(sources(own), static_cast<bool>(own.set_last));
    if (!rule.empty()) {
      session_.breaks(own.model.rtl(), fmt::format("mask 0x{:x}", lanes.mask), rule, text(settings.back()));
    }
  });
  own.count(lanes.mask, settings, 1);
  return taken;
}

std::vector<LaneSource> RtlPacking::sources(const Control& own) {
  std::vector<LaneSource> sources(own.set_enable.bits());
  for (unsigned n = 0; n < sources.size(); ++n) {
    sources[n].enable = own.set_enable.field(n, 1) != 0;
    sources[n].quad = static_cast<std::uint8_t>(own.set_quad.field(n * own.quad_bits, own.quad_bits));
    sources[n].lane = static_cast<std::uint8_t>(own.set_lane.field(n * own.lane_bits, own.lane_bits));
  }
  return sources;
}

RtlPacking::PinValues RtlPacking::Control::values() const {
  return {set_enable.get(), words(set_quad), words(set_lane), static_cast<bool>(set_last)};
}

bool RtlPacking::Control::shows(const PinValues& wanted) const {
  return set_enable.get() == wanted.enable && static_cast<bool>(set_last) == wanted.last &&
         std::memcmp(set_quad.data(), wanted.quad.data(), set_quad.bytes()) == 0 &&
         std::memcmp(set_lane.data(), wanted.lane.data(), set_lane.bytes()) == 0;
}

void RtlPacking::compare(Control& own, const Settings& settings, unsigned cycle) const {
  const auto differs = [&](const std::string& wanted, const std::string& got) {
    session_.differs(own.model.rtl(),
                     fmt::format("mask 0x{:x}, cycle {} of {}", settings.mask, cycle, settings.cycles.size()), wanted,
                     got);
  };
  if (cycle >= settings.cycles.size()) differs("no further settings", "some");
  const PinValues& wanted = settings.cycles[cycle];
  if (!own.shows(wanted)) differs(text(wanted), text(own.values()));
}

}  // namespace warpfold::cosim
