// SPDX-License-Identifier: Apache-2.0
// What the RTL blocks of a run share: their options, the waveform file, and what they did.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tb/cosim/blocks.h"
#include "tb/cosim/build/rtl_model.h"
#include "tb/cosim/record/coverage.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::cosim {

// With what is to be counted in it: its own properties, and for --rtl-out lines and toggles.
RtlSource counted(RtlSource source, const RtlOptions& options);

// Of one block, over all cores.
struct BlockRecord {
  std::string name;
  std::vector<std::string> files;
  std::uint64_t operations = 0;
  // Clocks from an operation to its result: the model's, and the RTL's least and most.
  unsigned model_latency = 0;
  std::uint64_t least_latency = ~std::uint64_t{0}, most_latency = 0;
  std::uint64_t late_cycles = 0;  // of the machine, in which a result was not there when the model's would have been
  std::uint64_t overflows = 0;    // shadows: stacks that grew deeper than the RTL's
  Coverage coverage;
  // Of a compactor under its contract: what its policy makes of requests, and what the twin's does.
  struct Policy {
    std::uint64_t warps = 0, rows = 0, cycles = 0;  // rows: those that the warps' threads come from, a warp each
  };
  Policy rtl_policy, model_policy;
  std::map<std::string, std::uint64_t> high;    // of a block without a twin: clocks in which an output of one bit was 1
  std::map<std::string, std::uint64_t> points;  // RtlModel::points() of models that are gone
  std::vector<RtlModel*> models;
  std::map<const void*, std::function<void()>> tallies;  // of who counts coverage by itself, until asked

  // What came, with the design's own properties, lines and toggles.
  Coverage all_coverage();
  void latency(std::uint64_t clocks);
  std::uint64_t clocks() const;
};

class Session {
 public:
  // `clock`: of the cores; null: nobody says which cycle it is.
  Session(const RtlOptions& options, std::uint64_t clock_period_ps, const ClockDomain* clock = nullptr);

  const RtlOptions& options() const { return options_; }
  bool asked_for(std::string_view block) const { return find(block) != nullptr; }
  BlockRecord& record(std::string_view block);
  bool cycle_exact() const { return options_.check == RtlCheck::kCycle; }
  bool contract() const { return options_.check == RtlCheck::kContract; }

  // A model of the block for a core. Waves show the first core's. `part` tells the instances of a core apart.
  std::unique_ptr<RtlModel> make(std::string_view block, unsigned core, const RtlParameters& parameters,
                                 const std::string& part = "");
  // Likewise from `source`, of a block without a twin.
  std::unique_ptr<RtlModel> make(std::string_view block, unsigned core, RtlSource source, const std::string& part = "");
  void gone(RtlModel& model);
  // Models made from now on count coverage: what their reset has covered goes to <directory>/<block>.reset.dat, in the
  // end all of it to <block>.dat.
  void collect_coverage(std::string directory) { coverage_ = std::move(directory); }
  // The signals of a socket beside a core's RTL; null without waves.
  std::unique_ptr<RtlModel> signals(unsigned core, const std::string& scope, const std::vector<RtlPort>& ports);
  // When the next clock of any block shows in the waveform: at the core's time or, as blocks may take several clocks
  // within a cycle of the core, later.
  std::uint64_t next_ps(std::uint64_t core_ps);
  Cycle cycle() const { return clock_ != nullptr ? clock_->current() : 0; }

  // The RTL does not do what the model does: the run ends here.
  [[noreturn]] void differs(RtlModel& model, const std::string& operation, const std::string& expected,
                            const std::string& got);
  // It breaks a rule.
  [[noreturn]] void breaks(RtlModel& model, const std::string& operation, const std::string& rule,
                           const std::string& got);

  std::string json();  // what the blocks did
  // Nothing is recorded any more; leaves what --rtl-out is to have of the waveforms.
  void finish_waves();

 private:
  const BlockRecord* find(std::string_view block) const;

  RtlOptions options_;
  std::string coverage_;  // directory, or empty
  std::deque<BlockRecord> records_;
  std::unique_ptr<Waves> waves_;
  std::map<std::string, RtlSource> for_tools_;  // by instance, until that is left
  std::uint64_t period_ps_, last_ps_ = 0;
  const ClockDomain* clock_;
};

// A model of a session; takes itself off its records.
class SessionModel {
 public:
  SessionModel(Session& session, std::string_view block, unsigned core, const RtlParameters& parameters,
               const std::string& part = "");
  SessionModel(Session& session, std::string_view block, unsigned core, RtlSource source);
  ~SessionModel();
  SessionModel(const SessionModel&) = delete;
  SessionModel& operator=(const SessionModel&) = delete;

  RtlModel& rtl() { return *model_; }
  Pin pin(std::string_view name) const { return model_->pin(name); }
  void clock(std::uint64_t core_ps);
  // What stands beside the block, such as a memory: sets inputs by its outputs, and lets it settle.
  std::function<void()> beside;
  // What the next clocks are for, in waveforms.
  void asks(std::string_view operation, std::uint64_t block = 0, std::uint64_t pc = 0);
  // Clocks until `done`; RTL that never answers differs. Returns the clocks.
  std::uint64_t clock_until(std::uint64_t core_ps, Pin done, const char* what);
  // Of a block that takes one operation at a time: the one that its other pins describe, until its result is there.
  struct Handshake {
    Pin valid, ready, done;
  };
  // Returns the clocks from its being taken.
  std::uint64_t operate(std::uint64_t core_ps, Handshake& pins, const char* what);
  // Ends the run where the results of an operation differ.
  void same(const char* operation, const char* what, std::uint64_t expected, std::uint64_t got);
  // An operation, as a reader wants it described, took so many clocks: the record's model_latency, if no other will do.
  void took(std::uint64_t clocks, const std::string& operation);

  Session& session;
  BlockRecord& record;

 private:
  void eval();

  std::unique_ptr<RtlModel> model_, sockets_;
  const bool results_are_registered_;  // nothing but `ready` changes without an edge
};

}  // namespace warpfold::cosim
