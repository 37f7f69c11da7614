// SPDX-License-Identifier: Apache-2.0
// Random flow programs that end: structured ones (ifs, loops, breaks, early exits) and arbitrary jumps.
#pragma once

#include <random>
#include <vector>

#include "tests/divergence/flow_program.h"

namespace warpfold::divergence {

// A reproducible outcome per (seed, a, b, c): true in `percent` of all cases.
inline bool chance(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c, unsigned percent) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15u * (a * 1'000'003 + b * 1009 + c + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 31)) % 100 < percent;
}

inline Outcome by_thread(std::uint64_t seed, Pc pc, unsigned percent) {
  return [=](Who who, unsigned visit) { return chance(seed, who.block * 64 + who.thread, pc, visit, percent); };
}
inline Outcome by_block(std::uint64_t seed, Pc pc, unsigned percent) {
  return [=](Who who, unsigned) { return chance(seed, who.block, pc, 0, percent); };
}

class StructuredProgram {
 public:
  // Without early exits all threads meet again at the last instruction.
  StructuredProgram(std::uint64_t seed, bool early_exits) : seed_(seed), random_(seed), early_exits_(early_exits) {}

  Program make() {
    sequence(0);
    emit(step());
    emit(leave());
    return std::move(program_);
  }

 private:
  static constexpr std::size_t kRoom = 40;  // a construct begun below it ends below 62

  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  Pc here() const { return static_cast<Pc>(program_.size()); }
  unsigned percent() { return draw(10) == 0 ? 100 * draw(2) : 20 + draw(60); }
  Pc emit(FlowOp op) {
    program_.push_back(std::move(op));
    return here() - 1;
  }
  // A conditional branch whose target is filled in later: by thread, or by a condition that is the same for the block.
  Pc emit_branch() {
    const Pc pc = here();
    return emit(draw(6) == 0 ? uniform(0, by_block(seed_, pc, 50)) : branch(0, by_thread(seed_, pc, percent())));
  }
  void land(Pc from) { program_[from].target = here(); }

  void sequence(unsigned depth) {
    for (unsigned count = 1 + draw(3); count > 0 && program_.size() < kRoom; --count) statement(depth);
  }

  void statement(unsigned depth) {
    const unsigned kind = draw(depth < 4 ? 10 : 3);
    if (kind < 2) {
      emit(step());
    } else if (kind == 2) {
      leave_early();
    } else if (kind < 5) {
      const Pc over = emit_branch();  // without a body its target is the next instruction, and the RPC
      if (draw(5) != 0) sequence(depth + 1);
      land(over);
    } else if (kind < 8) {
      if_else(depth);
    } else {
      loop(depth);
    }
  }

  void leave_early() {
    const Pc pc = here();
    if (!breaks_.empty() && draw(2) == 0) {
      breaks_.back().push_back(emit(branch(0, by_thread(seed_, pc, percent()))));
    } else if (early_exits_) {
      ++exits_;
      emit(draw(8) == 0 && pc > 3 ? leave_if(by_thread(seed_, pc, 100)) : leave_if(by_thread(seed_, pc, 20)));
    }
  }

  void if_else(unsigned depth) {
    const Pc otherwise = emit_branch();
    sequence(depth + 1);
    if (early_exits_ && draw(6) == 0) {
      ++exits_;
      emit(leave());  // an early return in one side
      land(otherwise);
      sequence(depth + 1);
      return;
    }
    const Pc over = emit(jump(0));
    land(otherwise);
    sequence(depth + 1);
    land(over);
  }

  void loop(unsigned depth) {
    const Pc head = emit(step());
    breaks_.emplace_back();
    const Pc body = here();
    const unsigned exits = exits_;
    sequence(depth + 1);
    const Pc latch = here();
    const unsigned most = 1 + draw(3);
    // No proof calls the number of turns uniform where threads leave after different numbers of them.
    const bool left_early = exits_ != exits || !breaks_.back().empty();
    if (draw(3) == 0 && !left_early) {
      emit(uniform(body, [most](Who, unsigned visit) { return visit + 1 < most; }));
    } else {
      emit(branch(body, [=, seed = seed_](Who who, unsigned visit) {
        return visit < most && chance(seed, who.block * 64 + who.thread, latch, visit, 70);
      }));
    }
    program_[head].resets = latch;
    for (const Pc from : breaks_.back()) land(from);
    breaks_.pop_back();
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  bool early_exits_;
  Program program_;
  unsigned exits_ = 0;                   // instructions so far at which threads may end early
  std::vector<std::vector<Pc>> breaks_;  // of each loop around
};

// Branches to anywhere. Backward ones are taken three times at most by a thread, jumps and uniform branches go forward.
inline Program arbitrary_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<Pc>(4 + random() % 36);
  Program program;
  for (Pc pc = 0; pc + 1 < size; ++pc) {
    const Pc ahead = pc + 1 + static_cast<Pc>(random() % (size - pc - 1));
    const unsigned kind = static_cast<unsigned>(random() % 20);
    if (kind < 8) {
      program.push_back(step());
    } else if (kind < 12) {
      program.push_back(branch(ahead, by_thread(seed, pc, 50)));
    } else if (kind < 15) {
      const Pc back = static_cast<Pc>(random() % (pc + 1));
      program.push_back(branch(back, [=](Who who, unsigned visit) {
        return visit < 3 && chance(seed, who.block * 64 + who.thread, pc, visit, 60);
      }));
    } else if (kind < 17) {
      program.push_back(uniform(ahead, by_block(seed, pc, 50)));
    } else if (kind == 17) {
      program.push_back(jump(ahead));
    } else {
      program.push_back(kind == 18 ? leave_if(by_thread(seed, pc, 30)) : random() % 4 == 0 ? leave() : step());
    }
  }
  program.push_back(leave());
  return program;
}

}  // namespace warpfold::divergence
