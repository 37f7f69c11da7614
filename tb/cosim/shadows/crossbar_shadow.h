// SPDX-License-Identifier: Apache-2.0
// rtl/swizzle_crossbar.sv and rtl/unswizzle_crossbar.sv beside the lane packing of scc: each instruction's lanes go to
// the unit and back by the settings of its mask, and in every cycle each output is to have what is the right lane's.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/core/core_params.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold::cosim {

// Packing knows masks, no values: an operand here says which lane of which instruction it is. Asks `packing`, which may
// be RTL, for cycles and clocks.
class CrossbarShadow final : public divergence::LanePacking {
 public:
  static constexpr unsigned kDataBits = 32;
  // Is there anything to move between the lanes of a warp and a unit?
  static bool moves(divergence::Packing packing, unsigned width, unsigned unit_width) {
    return divergence::info_of(packing).swizzles && divergence::has_control(packing, width, unit_width);
  }
  static RtlParameters sizes(unsigned width, unsigned unit_width) {
    return {{"Lanes", width}, {"Width", unit_width}, {"DataBits", kDataBits}};
  }

  CrossbarShadow(std::unique_ptr<divergence::LanePacking> packing, const CoreParams& params, Session& session,
                 const ClockDomain& clock, unsigned core);
  unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const override;

 private:
  // What both have: settings, and what came across.
  struct Crossbar {
    Crossbar(Session& session, const char* block, unsigned core, unsigned width, unsigned unit_width, unsigned latency);
    void set(const divergence::SwizzleSettings& settings, unsigned cycle);
    void count(unsigned cycles, bool moved);
    SessionModel model;
    unsigned quad_bits, lane_bits;
    Pin set_enable, set_quad, set_lane;
    Coverage::Index sizes, sources, quads, moved_lanes;
  };
  struct Operands : Crossbar {
    Operands(Session& session, unsigned core, unsigned width, unsigned unit_width);
    Pin data_valid, data, unit_data;
  };
  struct Results : Crossbar {
    Results(Session& session, unsigned core, unsigned width, unsigned unit_width);
    Pin unit_data, write_enable, write_data;
  };
  // Of a width of warps and units.
  struct Pair {
    std::optional<Operands> operands;
    std::optional<Results> results;
  };

  unsigned control_clocks() const override { return packing_->wait(asked_.first, asked_.second); }
  Pair& pair(unsigned width, unsigned unit_width) const;
  void fetch(Operands& operands, const divergence::LanesOnUnit& lanes,
             const divergence::SwizzleSettings& settings) const;
  void write_back(Results& results, const divergence::LanesOnUnit& lanes,
                  const divergence::SwizzleSettings& settings) const;
  std::uint64_t operand(unsigned lane) const;
  std::uint64_t result(unsigned lane) const { return ~operand(lane) & 0xffffffff; }

  std::unique_ptr<divergence::LanePacking> packing_;
  Session& session_;
  const ClockDomain& clock_;
  unsigned core_;
  mutable std::pair<unsigned, unsigned> asked_;  // of the last mask with a control: warp, unit
  mutable std::uint64_t instructions_ = 0;
  mutable std::map<std::pair<unsigned, unsigned>, Pair> pairs_;
};

}  // namespace warpfold::cosim
