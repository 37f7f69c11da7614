// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/crossbar_shadow.h"

#include <fmt/format.h>

namespace warpfold::cosim {

using divergence::LanesOnUnit;
using divergence::LaneSource;
using divergence::SwizzleSettings;
using isa::LaneMask;

namespace {

bool any_moved(const SwizzleSettings& settings, unsigned unit_width) {
  for (unsigned cycle = 0; cycle < settings.cycles(); ++cycle) {
    for (unsigned n = 0; n < unit_width; ++n) {
      const LaneSource& source = settings.at(cycle, n);
      if (source.enable && source.lane != n) return true;
    }
  }
  return false;
}

unsigned lane_of(const LaneSource& source, unsigned unit_width) { return source.quad * unit_width + source.lane; }

// An output of the crossbar, beside what it is to be. `what`: with a place for the lane.
void same(SessionModel& model, const LanesOnUnit& lanes, unsigned cycle, const char* what, unsigned lane,
          std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return;
  const std::string where = fmt::format(fmt::runtime(what), lane);
  model.session.differs(model.rtl(), fmt::format("mask 0x{:x}, cycle {}: {}", lanes.mask, cycle, where),
                        fmt::format("0x{:x}", expected), fmt::format("0x{:x}", got));
}

}  // namespace

CrossbarShadow::Crossbar::Crossbar(Session& session, const char* block, unsigned core, unsigned width,
                                   unsigned unit_width, unsigned latency)
    : model(session, block, core, CrossbarShadow::sizes(width, unit_width), fmt::format("_{}x{}", width, unit_width)),
      quad_bits(index_width(width / unit_width)),
      lane_bits(index_width(unit_width)),
      set_enable(model.pin("set_enable_i")),
      set_quad(model.pin("set_quad_i")),
      set_lane(model.pin("set_lane_i")),
      sizes(model.record.coverage.sizes("cycles_per_mask", 1, width / unit_width)),
      sources(model.record.coverage.sizes("lanes_of_unit_by_source", 0, unit_width * unit_width - 1)),
      quads(model.record.coverage.sizes("quads_that_go_through", 0, width / unit_width - 1)),
      moved_lanes(model.record.coverage.event("masks_with_lanes_moved")) {
  model.record.model_latency = latency;
  model.record.latency(latency);
}

void CrossbarShadow::Crossbar::set(const SwizzleSettings& settings, unsigned cycle) {
  for (unsigned n = 0; n < set_enable.bits(); ++n) {
    const LaneSource& source = settings.at(cycle, n);
    set_enable.set_field(n, 1, source.enable ? 1 : 0);
    set_quad.set_field(n * quad_bits, quad_bits, source.quad);
    set_lane.set_field(n * lane_bits, lane_bits, source.lane);
    if (!source.enable) continue;
    model.record.coverage.size(sources, n * set_enable.bits() + source.lane);
    model.record.coverage.size(quads, source.quad);
  }
  model.rtl().eval();
}

void CrossbarShadow::Crossbar::count(unsigned cycles, bool moved) {
  ++model.record.operations;
  model.record.coverage.size(sizes, cycles);
  model.record.coverage.count_if(moved, moved_lanes);
}

CrossbarShadow::Operands::Operands(Session& session, unsigned core, unsigned width, unsigned unit_width)
    : Crossbar(session, "operand-crossbar", core, width, unit_width, 1),
      data_valid(model.pin("data_valid_i")),
      data(model.pin("data_i")),
      unit_data(model.pin("alu_data_o")) {}

CrossbarShadow::Results::Results(Session& session, unsigned core, unsigned width, unsigned unit_width)
    : Crossbar(session, "result-crossbar", core, width, unit_width, 0),
      unit_data(model.pin("alu_data_i")),
      write_enable(model.pin("write_enable_o")),
      write_data(model.pin("write_data_o")) {}

// Whether clocks count is for `packing` to say.
CrossbarShadow::CrossbarShadow(std::unique_ptr<LanePacking> packing, const CoreParams& params, Session& session,
                               const ClockDomain& clock, unsigned core)
    : LanePacking(packing->packing(), true),
      packing_(std::move(packing)),
      session_(session),
      clock_(clock),
      core_(core) {
  if (moves(this->packing(), params.warp_size, params.simd_width)) pair(params.warp_size, params.simd_width);
}

CrossbarShadow::Pair& CrossbarShadow::pair(unsigned width, unsigned unit_width) const {
  const auto [found, made] = pairs_.try_emplace({width, unit_width});
  if (made) {
    if (session_.asked_for("operand-crossbar")) found->second.operands.emplace(session_, core_, width, unit_width);
    if (session_.asked_for("result-crossbar")) found->second.results.emplace(session_, core_, width, unit_width);
  }
  return found->second;
}

unsigned CrossbarShadow::cycles(LaneMask mask, unsigned width, unsigned unit_width) const {
  if (divergence::has_control(packing(), width, unit_width)) asked_ = {width, unit_width};
  const unsigned cycles = packing_->cycles(mask, width, unit_width);
  if (!moves(packing(), width, unit_width)) return cycles;
  const LanesOnUnit lanes{mask, width, unit_width};
  const SwizzleSettings settings = divergence::info_of(packing()).settings(lanes);
  Pair& both = pair(width, unit_width);
  ++instructions_;
  if (both.operands) fetch(*both.operands, lanes, settings);
  if (both.results) write_back(*both.results, lanes, settings);
  return cycles;
}

// Another for each lane and instruction: neighbours differ in most bits.
std::uint64_t CrossbarShadow::operand(unsigned lane) const {
  return (instructions_ * 0x9e3779b1 + lane * std::uint64_t{0x85ebca6b}) & 0xffffffff;
}

// The operand of the whole warp into the latch; what comes after must not follow it there.
void CrossbarShadow::fetch(Operands& operands, const LanesOnUnit& lanes, const SwizzleSettings& settings) const {
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  operands.model.rtl().forget();
  operands.model.asks("operand");
  for (unsigned lane = 0; lane < lanes.width; ++lane) {
    operands.data.set_field(lane * kDataBits, kDataBits, operand(lane));
  }
  operands.set_enable.clear();
  operands.data_valid.set(1);
  operands.model.clock(now_ps);
  operands.data_valid.set(0);
  operands.data.clear();
  for (unsigned cycle = 0; cycle < settings.cycles(); ++cycle) {
    operands.set(settings, cycle);
    for (unsigned n = 0; n < lanes.unit_width; ++n) {
      const LaneSource& source = settings.at(cycle, n);
      same(operands.model, lanes, cycle, "lane {} of the unit", n,
           source.enable ? operand(lane_of(source, lanes.unit_width)) : 0,
           operands.unit_data.field(n * kDataBits, kDataBits));
    }
    operands.model.clock(now_ps);
  }
  operands.count(settings.cycles(), any_moved(settings, lanes.unit_width));
}

void CrossbarShadow::write_back(Results& results, const LanesOnUnit& lanes, const SwizzleSettings& settings) const {
  const std::uint64_t now_ps = clock_.edge_ps(clock_.current());
  results.model.rtl().forget();
  results.model.asks("result");
  for (unsigned cycle = 0; cycle < settings.cycles(); ++cycle) {
    LaneMask written = 0;
    for (unsigned n = 0; n < lanes.unit_width; ++n) {
      const LaneSource& source = settings.at(cycle, n);
      const unsigned lane = lane_of(source, lanes.unit_width);
      // Lanes of the unit that are off have something on them, too.
      results.unit_data.set_field(n * kDataBits, kDataBits, source.enable ? result(lane) : ~n & 0xffffffff);
      if (source.enable) written |= LaneMask{1} << lane;
    }
    results.set(settings, cycle);
    same(results.model, lanes, cycle, "lanes that are written", 0, written, results.write_enable.get());
    for (unsigned lane = 0; lane < lanes.width; ++lane) {
      same(results.model, lanes, cycle, "lane {} of the warp", lane, (written >> lane & 1) != 0 ? result(lane) : 0,
           results.write_data.field(lane * kDataBits, kDataBits));
    }
    results.model.clock(now_ps);
  }
  results.count(settings.cycles(), any_moved(settings, lanes.unit_width));
}

}  // namespace warpfold::cosim
