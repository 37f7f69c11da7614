// SPDX-License-Identifier: Apache-2.0
// A whole core with a PTX kernel, in front of a memory that answers after 300 cycles.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/core_fixture.h"
#include "tests/isa/ptx_fixture.h"
#include "tests/memory/scripted.h"
#include "warpfold/core/simt_core.h"

namespace warpfold {

class Listener : public TraceSink {
 public:
  void record(const TraceRecord& entry) override {
    if (entry.event == TraceEvent::kIssue) issues.emplace_back(entry.cycle, entry.pc);
  }
  std::vector<std::pair<Cycle, isa::Pc>> issues;
};

// Of a kernel k(out) with 256 bytes of shared memory.
inline const std::string kHeader =
    ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
    ".shared .align 4 .b8 box[256];\n";

class SimtCoreTest : public CoreTest {
 protected:
  SimtCoreTest() {
    params.register_banks = 64;  // no operand conflicts, whatever registers the kernels get
    memory.delay = 300;
  }
  // `rows` warps a block, `blocks` at a time.
  void start(const std::string& text, unsigned threads, unsigned blocks, const std::string& mechanism = "pdom",
             bool traced = true, const std::vector<std::string>& parameters = {}) {
    ptx = std::make_unique<isa::PtxFixture>(isa::with_header(text));
    out = ptx->memory.allocate(4096, "out");
    launch.kernel = &ptx->kernel();
    launch.grid = {16, 1, 1};
    launch.block = {threads, 1, 1};
    launch.shared_bytes = launch.kernel->static_shared_bytes;
    launch.const_bank = &ptx->program.const_bank();
    launch.parameters.resize(launch.kernel->parameter_bytes);
    std::memcpy(launch.parameters.data(), &out, sizeof out);
    ConfigNode node;
    for (const std::string& parameter : parameters) node.set(parameter);
    const divergence::Configured configured = divergence::find_mechanism(mechanism).configure(node);
    CoreCaches caches;
    caches.texture.read_only = caches.constant.read_only = true;
    caches.instruction = instruction_cache;
    const CorePlace place{3, 4, clock, 1, 2, traced ? &listener : nullptr};
    core = std::make_unique<SimtCore>("core", place, params, caches, configured, stats);
    core->network_socket().bind(memory.socket);
    dispatcher.socket.bind(core->block_socket);
    core->kernel_started(launch, ptx->memory, threads / 32, blocks, 0);
  }
  void dispatch_at(Cycle at, std::uint64_t id) {
    script.at(at, [this, id] {
      BlockMessage message{id, {static_cast<unsigned>(id), 0, 0}};
      dispatcher.send(message);
    });
  }
  std::uint32_t result(unsigned index) const {
    std::uint32_t value = 0;
    EXPECT_TRUE(ptx->memory.read(out + index * 4, &value, 4));
    return value;
  }
  // Ends the kernel; its cycles are all charged.
  void expect_all_cycles_charged() {
    const Cycle end = core->last_activity() + 1;
    core->kernel_ended(end);
    std::uint64_t charged = stat("stall") + stat("w0_fetch") + stat("w0_mem") + stat("w0_idle");
    const std::uint64_t unissued = charged;
    std::uint64_t of_causes = 0;
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name.starts_with("issue_w")) charged += entry.counter.value();
      if (entry.info.name.starts_with("slot_")) of_causes += entry.counter.value();
    }
    EXPECT_EQ(charged, end);
    EXPECT_EQ(of_causes, unissued);
  }

  L1Params instruction_cache;  // where params.fetch says that there is one
  Listener listener;
  std::unique_ptr<isa::PtxFixture> ptx;
  isa::Launch launch;
  Address out = 0;
  Script script{"script", clock, 0};
  Source<BlockProtocol> dispatcher{"dispatcher", clock};
  test::ScriptedTarget memory{"memory", clock, 100};
  std::unique_ptr<SimtCore> core;
};

}  // namespace warpfold
