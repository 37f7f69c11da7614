// SPDX-License-Identifier: Apache-2.0
// What is in a waveform file, and when.
#include "tests/cosim/fst_text.h"
#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace waves_test {

class WavesTest : public RtlTest {
 protected:
  FstFile waves() const { return FstFile(file, WARPFOLD_TEST_CACHE); }
  const std::string file = directory / "run.fst";
};

// Three cycles of two models, the second of which rests in the middle one; signals of a socket beside them.
TEST_F(WavesTest, SeveralModelsAndSignalsInOneFile) {
  {
    Waves waves(file, 1000);
    RtlModel first(counter(), "core0.count", 1, &waves), second(counter(), "core1.count", 2, &waves);
    const std::unique_ptr<RtlModel> socket = waves.signals("sockets.core0", {{"valid"}, {"pc", 32}, {"mask", 70}});
    Pin pc = socket->pin("pc"), mask = socket->pin("mask");
    for (const std::uint64_t now : {5000U, 6000U, 7000U}) {
      first.clock(now);
      first.pin("step_i").set(2);
      first.eval();
      if (now != 6000) {
        second.clock(now);
        second.pin("step_i").set(3);
        second.eval();
      }
      socket->clock(now);
      pc.set(now / 1000);
      mask.set_field(now / 1000, 1, 1);
      socket->eval();
    }
  }
  const FstFile waves = this->waves();
  EXPECT_EQ(waves["core0.count.clk_i"],
            (Changes{{0, "0"}, {5000, "1"}, {5500, "0"}, {6000, "1"}, {6500, "0"}, {7000, "1"}, {7500, "0"}}));
  EXPECT_EQ(waves["core1.count.clk_i"], (Changes{{0, "0"}, {5000, "1"}, {5500, "0"}, {7000, "1"}, {7500, "0"}}));
  EXPECT_EQ(waves["core0.count.step_i"], (Changes{{0, "00000000"}, {5000, "00000010"}}));
  EXPECT_EQ(waves["core0.count.count_o"], (Changes{{0, "00000000"}, {6000, "00000010"}, {7000, "00000100"}}))
      << "registers change with the edge that takes what the cycle before settled on";
  EXPECT_EQ(waves["core0.count.next_o"],
            (Changes{{0, "00000000"}, {5000, "00000010"}, {6000, "00000100"}, {7000, "00000110"}}));
  EXPECT_EQ(waves["core1.count.counter.count_o"], (Changes{{0, "00000000"}, {7000, "00000011"}}));
  const std::string zeros(29, '0');
  EXPECT_EQ(waves["sockets.core0.pc"],
            (Changes{{0, zeros + "000"}, {5000, zeros + "101"}, {6000, zeros + "110"}, {7000, zeros + "111"}}));
  EXPECT_EQ(waves["sockets.core0.mask"].at(7000), std::string(62, '0') + "11100000");
  EXPECT_EQ(waves["sockets.core0.valid"], (Changes{{0, "0"}}));
}

TEST_F(WavesTest, AMismatchFinishesTheFileOfTheRun) {
  Waves waves(file, 1000);
  RtlModel model(counter(), "count", 1, &waves);
  model.clock(1000);
  model.pin("step_i").set(1);
  model.eval();
  const std::string said = complaint([&] { mismatch(model, "step 1", "2", "1"); });
  EXPECT_TRUE(said.ends_with(
      "expected 2, got 1; inputs: step_i=0x1 short_i=0x0 quad_i=0x0 wide_i=0x0 say_i=0x0; waveform: " + file))
      << said;
  EXPECT_EQ(this->waves()["count.next_o"], (Changes{{0, "00000000"}, {1000, "00000001"}}));
  model.clock(2000);
  EXPECT_EQ(model.pin("count_o").get(), 1U) << "the model goes on without it";
}

// What led to a failure, although nobody asked for waveforms before.
TEST_F(WavesTest, AJournalIsReplayed) {
  RtlModel model(counter(), "count", 1);
  model.keep_journal(file);
  for (unsigned i = 0; i < 5; ++i) {
    model.clock(i);
    model.pin("step_i").set(1);
    model.eval();
  }
  model.reset();
  for (const unsigned step : {7U, 8U, 9U}) {
    model.pin("step_i").set(step);
    model.eval();
    if (step == 9) break;
    model.clock(0);
  }
  EXPECT_EQ(
      complaint([&] { mismatch(model, "step 9", "17 at most", "24"); }),
      "count: the RTL differs from its C++ twin at clock 2: step 9: expected 17 at most, got 24; inputs: step_i=0x9 "
      "short_i=0x0 quad_i=0x0 wide_i=0x0 say_i=0x0; waveform: " +
          file);
  const FstFile waves = this->waves();
  EXPECT_EQ(waves["count.step_i"], (Changes{{0, "00000111"}, {1000, "00001000"}, {2000, "00001001"}}));
  EXPECT_EQ(waves["count.count_o"], (Changes{{0, "00000000"}, {1000, "00000111"}, {2000, "00001111"}}));
  EXPECT_EQ(waves["count.next_o"].rbegin()->second, "00011000");
}

TEST_F(WavesTest, AFailedAssertionLeavesItsClocks) {
  RtlModel model(counter(), "count", 1);
  model.keep_journal(file);
  model.clock(0);
  model.forget();
  model.pin("step_i").set(9);
  const std::string said = complaint([&] { model.clock(1); });
  EXPECT_TRUE(said.ends_with("SmallSteps: a step of 9; waveform: " + file)) << said;
  EXPECT_EQ(waves()["count.step_i"], (Changes{{0, "00000000"}, {1000, "00001001"}}));
}

// Neither what was long ago nor the last operation alone, beside what the machine wanted.
TEST_F(WavesTest, AJournalShowsTheLastClocks) {
  constexpr unsigned kClocks = 1000;
  for (const unsigned between : {1U, 7U, 150U, 350U, 2 * kClocks}) {
    RtlModel model(counter(), "count", 1);
    model.keep_journal(file);
    for (unsigned i = 0; i < kClocks; ++i) {
      if (i % between == 0) model.forget();
      model.asked().cycle = 5000 + i;
      model.asked().block = i / 100;
      model.asked().name(i % 2 == 0 ? "even" : "odd");
      model.pin("step_i").set(1);
      model.clock(i);
      model.eval();
    }
    ASSERT_NE(complaint([&] { mismatch(model, "a step", "one", "another"); }).find("clock 1000"), std::string::npos);
    const FstFile waves = this->waves();
    const Changes& clocks = waves["count_sockets.clock"];
    ASSERT_EQ(clocks.size(), RtlModel::kShownClocks) << between;
    EXPECT_EQ(std::stoull(clocks.begin()->second, nullptr, 2), kClocks + 1 - RtlModel::kShownClocks);
    EXPECT_EQ(std::stoull(clocks.rbegin()->second, nullptr, 2), kClocks);
    EXPECT_EQ(std::stoull(waves["count_sockets.cycle"].begin()->second, nullptr, 2), 5801U);
    EXPECT_EQ(std::stoull(waves["count_sockets.block"].rbegin()->second, nullptr, 2), 9U);
    EXPECT_TRUE(waves["count_sockets.operation"].rbegin()->second.ends_with("011011110110010001100100")) << "odd";
    EXPECT_EQ(waves["count.next_o"].size(), RtlModel::kShownClocks) << "the counter counts on";
  }
}

TEST_F(WavesTest, AMismatchIsSaidWithoutAWaveformToo) {
  RtlModel model(counter(), "count", 1);
  const std::string inputs = "inputs: step_i=0x0 short_i=0x0 quad_i=0x0 wide_i=0x0 say_i=0x0";
  EXPECT_TRUE(complaint([&] { mismatch(model, "step 1", "2", "1"); }).ends_with(inputs));
  model.keep_journal(directory / "nowhere/run.fst");
  EXPECT_TRUE(complaint([&] { mismatch(model, "step 1", "2", "1"); })
                  .ends_with(inputs + "; no waveform: " + (directory / "nowhere/run.fst").string() +
                             ": cannot write waveforms to it: No such file or directory"));
}

TEST_F(WavesTest, ModelsMayOutliveTheFile) {
  auto waves = std::make_unique<Waves>(file, 1000);
  RtlModel model(counter(), "count", 1, waves.get());
  model.pin("step_i").set(1);
  model.clock(1000);
  waves.reset();
  EXPECT_EQ(this->waves()["count.count_o"], (Changes{{0, "00000000"}, {1000, "00000001"}}));
  model.clock(2000);
  EXPECT_EQ(model.pin("count_o").get(), 2U);
}

TEST_F(WavesTest, AFileThatCannotBeWritten) {
  EXPECT_EQ(complaint([&] { Waves(directory / "nowhere/run.fst", 1000); }),
            (directory / "nowhere/run.fst").string() + ": cannot write waveforms to it: No such file or directory");
}

TEST_F(WavesTest, MisuseIsOurMistake) {
  Waves waves(file, 1000);
  RtlModel model(counter(), "count", 1, &waves);
  model.clock(2000);
  EXPECT_THROW(model.clock(1000), InternalError) << "time goes back";
  model.clock(3000);
  EXPECT_THROW(RtlModel(counter(), "late", 1, &waves), InternalError) << "the file has begun";
}

}  // namespace waves_test
}  // namespace warpfold::cosim
