// SPDX-License-Identifier: Apache-2.0
// Small programs for four threads of one warp, on which mechanisms differ, and how a warp walks through them.
#pragma once

#include <string>
#include <vector>

#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {

inline Outcome of_threads(LaneMask threads) {
  return [threads](Who who, unsigned) { return (threads >> who.thread & 1) != 0; };
}

// An if with an else: threads 2 and 3 go to 4.
inline Program if_else_program() {
  return {step(), branch(4, of_threads(0b1100)), step(), jump(6), step(), step(), step(), leave()};
}

// (c1 || c2) && (c3 || c4), evaluated as far as needed: the sides of all branches meet at 8, many threads do before.
inline Program short_circuit_program() {
  return {branch(4, of_threads(0b1001)),
          step(),
          branch(4, of_threads(0b0100)),
          jump(8),
          step(),
          branch(7, of_threads(0b0001)),
          branch(8, of_threads(0b1000)),
          step(),
          step(),
          leave()};
}

// A loop that the threads go round 1, 2, 3 and 2 times, with an if and an else in it.
inline Program loop_program() {
  return {step(),
          branch(4, of_threads(0b1010)),
          step(),
          jump(5),
          step(),
          branch(0, [](Who who, unsigned visit) { return visit + 1 < std::vector<unsigned>{1, 2, 3, 2}.at(who.thread); }),
          step(),
          leave()};
}

inline void add_issue(std::string& text, Pc pc, LaneMask mask) {
  text += fmt::format("{}{}:{:x}", text.empty() ? "" : " ", pc, mask);
}

// "0:f 1:c": what four threads of one warp issue, and for whom, lowest warp first.
inline std::string walk_of(const FlowMachine& machine) {
  std::string text;
  for (const FlowMachine::Issue& issue : machine.trace) {
    LaneMask mask = 0;
    for (const char c : issue.threads) mask |= c >= '0' && c <= '3' ? LaneMask{1} << (c - '0') : 0;
    add_issue(text, issue.pc, mask);
  }
  return text;
}
inline std::string walk(const std::string& mechanism, const std::vector<std::string>& parameters, Program program) {
  FlowMachine machine({mechanism, parameters}, std::move(program));
  machine.start(0, 0, 4);
  machine.run();
  return walk_of(machine);
}

}  // namespace warpfold::divergence
