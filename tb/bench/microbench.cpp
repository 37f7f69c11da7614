// SPDX-License-Identifier: Apache-2.0
// warpfold-microbench: what one edge of a clock costs the host with 1, 30 and 300 awake modules, and with sleeping ones
// beside them, which should cost nothing.
#include <benchmark/benchmark.h>

#include <deque>
#include <systemc>

#include "warpfold/common/clock/clock.h"

namespace {

using warpfold::ClockDomain;
using warpfold::ClockTree;
using warpfold::Cycle;

class Ticker : public warpfold::Clocked {
 public:
  Cycle tick(Cycle now) override {
    ++ticks_;
    return now < last_ ? now + 1 : warpfold::kNever;
  }
  void run(Cycle edges) {
    last_ = clock().upcoming() + edges - 1;
    wake();
  }

 private:
  Cycle last_ = 0;
  std::uint64_t ticks_ = 0;
};

struct Bench {
  ClockDomain* domain;
  std::deque<Ticker> awake, asleep;
};

Bench& make(ClockTree& tree, unsigned awake, unsigned asleep) {
  static std::deque<Bench> all;
  Bench& bench = all.emplace_back();
  bench.domain = &tree.domain(1000);
  bench.awake.resize(awake);
  bench.asleep.resize(asleep);
  for (unsigned i = 0; i < asleep; ++i) bench.domain->add(bench.asleep[i], i);
  for (unsigned i = 0; i < awake; ++i) bench.domain->add(bench.awake[i], asleep + i);
  return bench;
}

void edges(benchmark::State& state, Bench& bench) {
  constexpr Cycle kEdges = 10'000;
  for ([[maybe_unused]] auto unused : state) {
    for (Ticker& ticker : bench.awake) ticker.run(kEdges);
    sc_core::sc_start();
  }
  state.counters["per_edge"] = benchmark::Counter(
      static_cast<double>(kEdges), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  ClockTree tree("tree");
  // All domains are made before the first start: SystemC's elaboration happens once.
  for (const auto& [awake, asleep] : {std::pair{1U, 0U}, {30U, 0U}, {300U, 0U}, {1U, 300U}}) {
    Bench& bench = make(tree, awake, asleep);
    const std::string name = "edge/awake:" + std::to_string(awake) + "/asleep:" + std::to_string(asleep);
    benchmark::RegisterBenchmark(name.c_str(), [&bench](benchmark::State& state) { edges(state, bench); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// libsystemc has a main of its own, which asks for this.
extern "C" int sc_main(int, char**) { return 0; }
