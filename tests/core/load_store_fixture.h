// SPDX-License-Identifier: Apache-2.0
// The load/store unit alone, between a stub issue stage, stub caches and a stub write-back.
//
// Parameters: 12 cycles from issue to the unit, 2 instructions in or before it, 24 cycles of shared memory.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "tests/core/core_fixture.h"
#include "warpfold/core/memory/load_store_unit.h"

namespace warpfold {

using isa::Kind;
using isa::LaneMask;
using isa::Space;
using Answer = CacheAccess::Answer;
using AddressOf = std::function<Address(unsigned)>;

inline constexpr Cycle kHit = 24;

inline AddressOf stride(Address bytes) {
  return [bytes](unsigned lane) { return lane * bytes; };
}

class LoadStoreUnitTest : public CoreTest {
 protected:
  LoadStoreUnitTest() {
    issue.socket.bind(unit.issue_socket);
    unit.done_socket.bind(done.socket);
    unit.data_socket.bind(data.socket);
    unit.texture_socket.bind(texture.socket);
    unit.constant_socket.bind(constant.socket);
    for (Cache* cache : {&data, &texture, &constant}) {
      cache->answer = [this](CacheAccess& access, tlm::tlm_phase&) {
        access.answer = answers.empty() ? default_answer : answers.front();
        if (!answers.empty()) answers.erase(answers.begin());
        access.done_at = clock.current() + kHit;
        return access.answer == Answer::kPending ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
      };
    }
  }

  struct Memory {
    Kind kind = Kind::kLoad;
    Space space = Space::kGlobal;
    AddressOf address = stride(4);
    LaneMask executed = kAll;
    unsigned bytes = 4;
    unsigned operand_cycles = 0;
    unsigned width = 32;
    bool image = false;  // texels instead of addresses
    std::vector<isa::Outcome::Texel> texels{};
    CacheUse cache{};
  };
  void issue_at(Cycle now, const Memory& what, divergence::WarpId warp = 0) {
    script.at(now, [this, now, what, warp] {
      isa::MicroOp& op = ops.emplace_back();
      op.kind = what.kind;
      op.cache = what.cache;
      op.image.dimensions = what.image ? 2 : 0;
      isa::Outcome outcome;
      outcome.texels = what.texels;
      outcome.executed = what.executed;
      outcome.space = what.space;
      outcome.access_bytes = what.bytes;
      for (unsigned lane = 0; lane < isa::kMaxLanes; ++lane) outcome.address[lane] = what.address(lane);
      Instruction instruction = instruction_of(op, warp, now);
      instruction.width = what.width;
      instruction.executed = what.executed;
      instruction.operand_cycles = what.operand_cycles;
      instruction.outcome = &outcome;
      accepted.push_back(issue.send(instruction));
      hold = instruction.hold_cycles;
      told_lines = instruction.lines_by_lanes != nullptr ? *instruction.lines_by_lanes : std::vector<LaneMask>{};
    });
  }
  using Cache = Sink<CacheProtocol>;
  // A response to access `n` of the cache.
  void respond_at(Cycle now, Cache& cache, std::size_t n) {
    before.at(now, [&cache, n] { cache.send_back(cache.seen.at(n).payload, tlm::BEGIN_RESP); });
  }
  void unblock_at(Cycle now, Cache& cache) {
    before.at(now, [&cache] {
      CacheAccess nothing;
      cache.send_back(nothing, tlm::END_REQ);
    });
  }
  std::vector<Cycle> accesses(const Cache& cache) const {
    std::vector<Cycle> cycles;
    for (const auto& seen : cache.seen) cycles.push_back(seen.at);
    return cycles;
  }
  void expect_done(std::size_t n, divergence::WarpId warp, Cycle done_at) const {
    ASSERT_GT(done.seen.size(), n);
    EXPECT_EQ(done.seen[n].payload.warp, warp);
    EXPECT_EQ(done.seen[n].payload.done_at, done_at);
  }

  divergence::LanePacking packing;
  Script before{"before", clock, 0}, script{"script", clock, 2};  // caches go before the unit, the issue stage after it
  LoadStoreUnit unit{"unit", params, {{64, 64, 64}, {4, 1, 1}, true}, packing, clock, 1, stats};
  Source<InstructionProtocol> issue{"issue", clock};
  Sink<InstructionProtocol> done{"done", clock};
  Cache data{"data", clock}, texture{"texture", clock}, constant{"constant", clock};
  std::vector<Answer> answers;  // of the caches, in order; then the default
  Answer default_answer = Answer::kHit;
  std::deque<isa::MicroOp> ops;
  std::vector<tlm::tlm_sync_enum> accepted;
  unsigned hold = 0;
  std::vector<LaneMask> told_lines;  // of the last: Instruction::lines_by_lanes
};

}  // namespace warpfold
