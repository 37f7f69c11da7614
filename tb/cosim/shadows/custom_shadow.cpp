// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/custom_shadow.h"

#include <fmt/format.h>

#include <deque>

namespace warpfold::cosim {
namespace {

constexpr std::array<const char*, 4> kOperands{"op_a_i", "op_b_i", "op_c_i", "op_d_i"};
constexpr std::array<const char*, 2> kResults{"res_o", "res_second_o"};
constexpr std::uint64_t kMostClocks = 10'000;  // without an answer

std::string text_of(const isa::CustomWatch::Lane& lane, unsigned sources) {
  std::string text;
  for (unsigned k = 0; k < sources; ++k) text += fmt::format("{}0x{:x}", k == 0 ? "" : ", ", lane.sources[k]);
  return text;
}

}  // namespace

std::vector<RtlPort> custom_ports(unsigned place) {
  const isa::OpInfo& info = isa::custom_op(place);
  std::vector<RtlPort> ports{{"clk_i"}, {"rst_ni"}, {"op_valid_i"}};
  for (unsigned k = 0; k < info.s_count; ++k) ports.push_back({kOperands[k], info.s[k].bits, false});
  ports.push_back({"res_valid_o", 1, true});
  for (unsigned k = 0; k < info.d_count; ++k) ports.push_back({kResults[k], info.d[k].bits, true});
  return ports;
}

struct CustomShadow::Unit {
  Unit(Session& session, unsigned at, unsigned latency, unsigned interval)
      : place(at),
        interval_cycles(interval),
        model(session, isa::custom_units()[at].unit.rtl, 0, RtlParameters{}),
        valid(model.pin("op_valid_i")),
        done(model.pin("res_valid_o")) {
    const isa::OpInfo& info = isa::custom_op(at);
    for (unsigned k = 0; k < info.s_count; ++k) operands.push_back(model.pin(kOperands[k]));
    for (unsigned k = 0; k < info.d_count; ++k) results.push_back(model.pin(kResults[k]));
    model.record.model_latency = latency;
  }

  // An operation a clock, or every so many; those under way are the oldest first.
  struct UnderWay {
    const Lane* lane;
    std::uint64_t since;
  };
  void step(std::uint64_t core_ps) {
    model.clock(core_ps);
    valid.set(0);
    model.rtl().eval();
    ++clocks;
    if (!done) return;
    const std::string& opcode = isa::custom_units()[place].opcode;
    if (under_way.empty()) {
      model.session.differs(model.rtl(), opcode, "no result, since no operation is under way", "res_valid_o=1");
    }
    const UnderWay first = under_way.front();
    under_way.pop_front();
    const std::string operation = fmt::format("{} {}", opcode, text_of(*first.lane, unsigned(operands.size())));
    for (unsigned k = 0; k < results.size(); ++k) {
      model.same(operation.c_str(), kResults[k], first.lane->results[k], results[k].get());
    }
    model.took(clocks - first.since, operation);
  }

  const unsigned place, interval_cycles;
  SessionModel model;
  Pin valid, done;
  std::vector<Pin> operands, results;
  std::deque<UnderWay> under_way;
  std::uint64_t clocks = 0;
};

CustomShadow::CustomShadow(Session& session, const ClockDomain& clock, const CoreParams& params) : clock_(clock) {
  for (unsigned place = 0; place < isa::custom_units().size(); ++place) {
    const std::string& rtl = isa::custom_units()[place].unit.rtl;
    std::unique_ptr<Unit>& unit = units_.emplace_back();
    if (rtl.empty() || !session.asked_for(rtl)) continue;
    isa::MicroOp op;
    op.operation = isa::Operation::kCustom;
    op.custom = static_cast<std::uint8_t>(place + 1);
    unit = std::make_unique<Unit>(session, place, params.latency_of(op), params.interval_of(op));
    isa::custom_watch() = this;
  }
}

CustomShadow::~CustomShadow() {
  if (isa::custom_watch() == this) isa::custom_watch() = nullptr;
}

void CustomShadow::executed(unsigned place, std::span<const Lane> lanes) {
  if (units_[place] == nullptr) return;
  Unit& unit = *units_[place];
  const std::string& opcode = isa::custom_units()[place].opcode;
  const std::uint64_t now = clock_.edge_ps(clock_.current());
  unit.model.asks(opcode);
  for (const Lane& lane : lanes) {
    unit.valid.set(1);
    for (unsigned k = 0; k < unit.operands.size(); ++k) unit.operands[k].set(lane.sources[k]);
    unit.model.rtl().eval();
    unit.under_way.push_back({&lane, unit.clocks});
    ++unit.model.record.operations;
    for (unsigned clock = 0; clock < unit.interval_cycles; ++clock) unit.step(now);
  }
  for (const std::uint64_t since = unit.clocks; !unit.under_way.empty(); unit.step(now)) {
    if (unit.clocks - since < kMostClocks) continue;
    unit.model.session.differs(unit.model.rtl(), opcode, "an answer", fmt::format("none for {} clocks", kMostClocks));
  }
}

}  // namespace warpfold::cosim
