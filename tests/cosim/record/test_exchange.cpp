// SPDX-License-Identifier: Apache-2.0
// Pins in a run as other tools read them. tests/cosim/test_replay.cpp has such tools read them.
#include "tb/cosim/record/exchange.h"
#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace exchange_test {

using ExchangeTest = RtlTest;

TEST_F(ExchangeTest, ConstraintsOfAllPorts) {
  RtlSource source = counter();
  source.ports = {{"clk_i"}, {"rst_ni"}, {"step_i", 8}, {"say_i"}, {"count_o", 8, true}};
  EXPECT_EQ(sdc_of(source, 769),
            "# counter, in ns\n"
            "create_clock -name clock -period 0.769 [get_ports clk_i]\n"
            "set_input_delay 0 -clock clock [get_ports {rst_ni step_i[*] say_i}]\n"
            "set_output_delay 0 -clock clock [get_ports {count_o[*]}]\n"
            "set_false_path -from [get_ports rst_ni]\n");
}

// Four clocks of a counter by one, the last of which rests.
TEST_F(ExchangeTest, ActivityAndChangesOfPins) {
  const std::string waves_file = directory / "run.fst";
  std::filesystem::create_directories(directory / "core0.count");
  {
    Waves waves(waves_file, 1000);
    RtlModel model(counter(), "core0.count", 1, &waves);
    for (std::uint64_t cycle = 1; cycle <= 4; ++cycle) {
      model.clock(1000 * cycle);
      model.pin("step_i").set(cycle == 4 ? 0 : 1);
      model.eval();
    }
  }
  exchange_waves(rtl_runtime(), waves_file, {{"core0.count", counter()}}, directory);
  const std::string saif = *read_text(directory / "core0.count/block.saif");
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  has(saif, "(DURATION 4500)\n  (INSTANCE counter\n");
  has(saif, "(clk_i (T0 ");
  has(saif, "(step_i\\[0\\] (T0 1500) (T1 3000) (TX 0) (TC 2) (IG 0))");
  has(saif, "(count_o\\[0\\] (T0 3000) (T1 1500) (TX 0) (TC 3) (IG 0))");
  EXPECT_EQ(saif.find("unset_q"), std::string::npos) << "pins only";
  const std::string vcd = *read_text(directory / "core0.count/block.vcd");
  has(vcd, "$scope module counter $end\n");
  has(vcd, " count_o [7:0] $end\n");
  has(vcd, "#2000\n");
  has(vcd, "b00000010 ");
  has(vcd, "#4500\n0");
}

}  // namespace exchange_test
}  // namespace warpfold::cosim
