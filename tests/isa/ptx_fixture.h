// SPDX-License-Identifier: Apache-2.0
// PTX text to decoded kernels, and a run of one thread at a time that knows nothing of warps.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::isa {

inline std::string with_header(const std::string& text) {
  return ".version 7.0\n.target sm_70\n.address_size 64\n" + text;  // `text` begins on line 4
}

// A kernel 'k' without parameters: `body` begins on line 13.
inline std::string kernel_text(const std::string& body) {
  return with_header(
      ".visible .entry k()\n{\n.reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n"
      ".reg .b64 %rd<8>;\n.reg .f64 %fd<8>;\n.shared .align 8 .b8 box[64];\n" +
      body + "\n}\n");
}

class PtxFixture {
 public:
  explicit PtxFixture(const std::string& text, DecodeOptions options = {}, std::uint64_t memory_bytes = 1 << 20)
      : memory(memory_bytes, options.address_bits == 32 ? DeviceMemory::kBase32 : DeviceMemory::kBase),
        program(ptx::parse(text, "t.ptx"), memory, options) {}

  const Kernel& kernel(std::string_view name = "k") { return program.kernel(name); }

  // Runs thread after thread of one block to its end. `parameters` are the bytes of the parameter list.
  void run(unsigned threads, std::vector<std::byte> parameters = {}, unsigned dynamic_shared = 0) {
    const Kernel& code = kernel();
    Launch launch;
    launch.kernel = &code;
    launch.block = {threads, 1, 1};
    launch.shared_bytes = code.static_shared_bytes + dynamic_shared;
    launch.parameters = std::move(parameters);
    launch.const_bank = &program.const_bank();
    launch.services = &services;
    ThreadStore store(launch, 1, 32, 0, 1);
    BlockState block;
    block.shared.resize(launch.shared_bytes);
    store.start_row(0, block, 0);
    Executor executor(launch, store, memory);
    const std::array<std::uint16_t, kMaxLanes> rows{};
    Outcome outcome;
    for (unsigned thread = 0; thread < threads; ++thread) {
      const LaneMask self = LaneMask{1} << thread;
      for (Pc pc = 0; pc < code.ops.size();) {
        executor.execute(pc, {rows.data(), self, 32, true}, 0, outcome);
        if (code.ops[pc].kind == Kind::kExit && outcome.executed != 0) break;
        pc = outcome.taken != 0 ? code.ops[pc].target : pc + 1;
      }
    }
  }

  template <class T>
  T read(std::string_view symbol, unsigned index = 0) {
    T value{};
    check(memory.read(program.symbol(symbol)->address + index * sizeof(T), &value, sizeof(T)), "inside the variable");
    return value;
  }

  DeviceMemory memory;
  Program program;
  SystemServices services{memory};
};

// The text of the UserError that `action` ends with; empty if there is none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

inline std::string decode_error(const std::string& text) {
  return error_of([&] { PtxFixture(text).kernel(); });
}

}  // namespace warpfold::isa
