// SPDX-License-Identifier: Apache-2.0
// rtl/swizzle_control.sv in the place of the model's lane packing, for bcc and scc.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "tb/cosim/contract.h"
#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/core/core_params.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold::cosim {

// The control works between the mask and the operands (Intra-warp §4.2): its clocks delay the instruction, unless the
// machine does not count them; the settings that it makes are the cycles of the SIMD unit. Where there is no control,
// the model answers.
class RtlPacking final : public divergence::LanePacking {
 public:
  RtlPacking(const CoreParams& params, Session& session, const ClockDomain& clock, unsigned core);
  unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const override;

 private:
  unsigned control_clocks() const override { return latency_; }
  // Of a cycle of settings. The widest unit, 32 of 64 lanes, has 6 bits of source a lane.
  struct PinValues {
    std::uint64_t enable = 0;
    std::array<std::uint64_t, 6> quad{}, lane{};
    bool last = false;
    bool operator==(const PinValues&) const = default;
  };
  struct Settings {
    isa::LaneMask mask = 0;
    std::vector<PinValues> cycles;  // empty: not known yet
    std::uint64_t times = 0;        // that the RTL made just these, which its coverage does not have yet
  };
  // The twin's settings of masks that have been seen, by a hash of the mask: making them takes longer than the RTL
  // does.
  static constexpr unsigned kKnownBits = 10;

  // One per width of warps and units: of the SIMD units at once, so that waveforms have it, of others when they are
  // used.
  struct Control {
    Control(Session& session, unsigned core, unsigned width, unsigned unit_width, bool swizzle);
    ~Control();
    SessionModel model;
    unsigned quad_bits, lane_bits;
    Pin mask_valid, mask_ready, mask, set_valid, set_last, set_enable, set_quad, set_lane;
    void tally(Settings& settings);
    // Of a mask whose settings came `times` times.
    void count(isa::LaneMask mask, const std::vector<PinValues>& cycles, std::uint64_t times);
    bool shows(const PinValues& wanted) const;
    PinValues values() const;
    std::vector<Settings> known;
    Coverage::Index cycles, active, sources, quads, empty, full, moved;
  };
  // Of a mask's settings.
  struct Taken {
    unsigned cycles = 0;
    std::uint64_t late = 0;  // clocks
  };
  template <class Look>
  Taken take_all(Control& control, std::uint64_t now_ps, Look look) const;
  Taken take(Control& control, const divergence::LanesOnUnit& lanes, std::uint64_t now_ps) const;
  Taken take_by_contract(Control& control, const divergence::LanesOnUnit& lanes, std::uint64_t now_ps) const;
  Control& control(unsigned width, unsigned unit_width) const;
  Settings& expected(Control& control, const divergence::LanesOnUnit& lanes) const;
  void compare(Control& control, const Settings& settings, unsigned cycle) const;
  static std::vector<divergence::LaneSource> sources(const Control& control);
  static std::string text(const PinValues& pins);

  Session& session_;
  const ClockDomain& clock_;
  unsigned core_;
  mutable unsigned latency_ = kControlClocks;  // of the last mask
  mutable std::map<std::pair<unsigned, unsigned>, Control> controls_;
};

}  // namespace warpfold::cosim
