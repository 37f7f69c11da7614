// SPDX-License-Identifier: Apache-2.0
// A verilated module behind a C ABI: pins, clock, reset, assertions as errors, waveforms. No header of Verilator's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tb/cosim/build/build.h"
#include "tb/cosim/pin.h"

struct RtlRuntime;

namespace warpfold::cosim {

class RtlModel;
class Vectors;

// What all blocks share, built if need be: build_rtl_runtime().
const RtlRuntime& rtl_runtime();

// One FST file of any number of models. A cycle begins at the `now_ps` of clock() and shows there the rising edge, the
// registers after it and the inputs and outputs that the cycle settled on; the clock falls half a period later.
class Waves {
 public:
  // Empties the file; UserError if it cannot be written.
  Waves(std::string fst_file, std::uint64_t clock_period_ps);
  // The same error beforehand; what is in the file stays.
  static void require_writable(const std::string& fst_file);
  ~Waves();  // finishes it; models that outlive it go on without
  Waves(const Waves&) = delete;
  Waves& operator=(const Waves&) = delete;
  // Finishes the file, the cycle that runs included: only a finished file can be read. Nothing is recorded any more.
  void finish();

  // Signals that are not RTL, such as those of a socket: a model with an input pin for each and no logic. Set the pins
  // after its clock(), as with any model. All models are made before the first clock().
  std::unique_ptr<RtlModel> signals(const std::string& scope, const std::vector<RtlPort>& signals);
  // Nothing before that time is written.
  void show_from(std::uint64_t ps);
  const RtlRuntime* runtime() const;  // null: there was no model

 private:
  friend class RtlModel;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// What the machine wants of a block in a clock, for waveforms.
struct Asked {
  std::uint64_t cycle = 0;           // the machine's
  std::uint32_t block = 0, pc = 0;   // 0 where it is of none
  std::array<char, 16> operation{};  // text, last character first, as waveform viewers show it

  void name(std::string_view text);
  // As signals beside the RTL: those, and the clock of the RTL.
  static const std::vector<RtlPort>& signals();
  void show(RtlModel& signals, std::uint64_t clock) const;
};

// What registers have before the first reset.
enum class Start : std::uint8_t { kRandom, kZeros, kOnes };

// A cycle goes: clock(), in which the registers take what was settled before; set the input pins; eval(); read the
// outputs. What one cycle's eval() settled is what its waveform shows, and what the next clock() registers.
class RtlModel {
 public:
  // Builds `source` if need be. Registers start at random values drawn from `seed`, or as `start` says. `instance`
  // names the model in messages and, with dots between scopes, in waveforms ("core0.compactor"). UserError:
  // build_rtl's.
  RtlModel(RtlSource source, std::string instance, unsigned seed, Waves* waves = nullptr, Start start = Start::kRandom);
  ~RtlModel();  // runs the module's final blocks
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  Pin pin(std::string_view name) const;  // InternalError if it has no such port
  const std::string& instance() const { return instance_; }
  const std::vector<std::pair<std::string, Pin>>& outputs() const { return outputs_; }
  bool recorded() const { return waves_ != nullptr; }
  // May it change when inputs do, without an edge?
  bool follows_inputs(std::string_view output) const { return follow_inputs_.count(std::string(output)) != 0; }
  std::string inputs() const;  // as they are: "op_valid_i=0x1 op_kind_i=0x0 …"

  // Inputs to zero, reset held for two clocks and taken back; starts the counts and the journal anew.
  void reset();
  // A rising edge, at `now_ps` in the waveform (times never go back; all models of a Waves share them).
  void clock(std::uint64_t now_ps);
  // Lets outputs follow inputs.
  void eval();
  // Both throw UserError when an assertion of the RTL fails or it calls $fatal, $error, $stop or $finish:
  // "core0.compactor: clock 17: <file>:<line>: <its text>; waveform: <file>".

  std::uint64_t clocks() const { return clocks_; }  // since reset
  std::uint64_t evals() const { return evals_; }    // of the verilated code, in all: at most two per clock

  // Remembers the inputs of clocks, so that a failure can be looked at afterwards in `fst_file`. Where a block is idle
  // and what it did before no longer matters, forget() says so: a replay can begin there.
  void keep_journal(std::string fst_file);
  void forget();
  // Replays the journal in a model built with waves, up to and with the inputs as they are now, and writes the last
  // kShownClocks, with what was asked as signals of <instance>_sockets. A model that has Waves finishes them instead.
  // Returns "; waveform: <file>", or why there is none.
  std::string leave_waveform();
  static constexpr std::uint64_t kShownClocks = 200;
  Asked& asked() { return asked_; }

  // Leaves golden vectors from here on (record/vectors.h).
  void keep_vectors(const std::string& folder, std::uint64_t period_ps);
  void finish_vectors();

  // Coverage counts so far, in Verilator's format (`coverage.dat`); needs source.coverage
  // or source.covers.
  void write_coverage(const std::string& file) const;
  // How often each point came: "cover my.sv:17 name" of the properties that the design covers, with source.covers;
  // "line my.sv:20 if" and "toggle my.sv:9 row_q[3]" with source.coverage, without what only a bit's random start has
  // toggled.
  std::map<std::string, std::uint64_t> points() const;

 private:
  struct Library;
  void run(bool same_inputs = false);
  bool take_inputs();
  void hear();
  void write_journal();
  void trim_journal();
  void replay();

  RtlSource source_;
  std::string instance_;
  unsigned seed_;
  std::shared_ptr<Waves::Impl> waves_;  // or null
  std::unique_ptr<Library> library_;
  Pin clk_, rst_n_;
  std::vector<Pin> inputs_;                // without clock and reset
  std::vector<unsigned char> settled_on_;  // their values, one after the other
  std::vector<std::pair<std::string, Pin>> outputs_;
  std::set<std::string> follow_inputs_;  // of them
  Asked asked_;
  // Inputs and what was asked, clock by clock; the clocks at which the block was idle, a replay's beginning first.
  std::vector<unsigned char> journal_;
  std::uint64_t journal_begin_ = 0, journal_end_ = 0;
  std::deque<std::uint64_t> idle_at_{0};
  std::string journal_file_;  // empty: none is kept
  std::unique_ptr<Vectors> vectors_;
  std::map<std::string, std::uint64_t> by_reset_;  // toggles of the first reset
  bool clock_fell_ = true;                         // as the module has seen it
  std::uint64_t clocks_ = 0, evals_ = 0;
};

// The RTL does something else than its twin: leaves a waveform and throws UserError "<instance>: the RTL differs from
// its C++ twin at clock <n>: <operation>: expected <…>, got <…>; inputs: <…>; waveform: <file>".
[[noreturn]] void mismatch(RtlModel& model, const std::string& operation, const std::string& expected,
                           const std::string& got);
// It does what no design of its kind may: "<instance>: the RTL breaks its contract at clock <n>: <operation>: <rule>:
// got <…>; inputs: <…>; waveform: <file>".
[[noreturn]] void breach(RtlModel& model, const std::string& operation, const std::string& rule,
                         const std::string& got);

}  // namespace warpfold::cosim
