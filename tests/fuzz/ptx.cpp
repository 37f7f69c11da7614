// SPDX-License-Identifier: Apache-2.0
// PTX text to kernels that could be launched: parsed, variables placed, decoded, control flow and registers allotted,
// for a roomy machine and for one with narrow addresses and few registers.
#include "tests/fuzz/harness.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/parser.h"

namespace warpfold {
namespace {

constexpr std::uint64_t kMemoryBytes = 1 << 20;

void decode(const std::string& text, const isa::DecodeOptions& options, Address base) {
  DeviceMemory memory(kMemoryBytes, base);
  isa::Program program(ptx::parse(text, "k.ptx"), memory, options);
  for (const std::string& name : program.kernel_names()) {
    for (const unsigned block_threads : {0U, 256U}) {
      const isa::Kernel& kernel = program.kernel(name, block_threads);
      if (kernel.ops.empty()) fuzz::broken("a kernel without instructions");
      if (kernel.registers > options.registers.per_thread) fuzz::broken("a kernel above the machine's register cap");
    }
  }
}

}  // namespace
}  // namespace warpfold

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  const std::string text = fuzz::text_of(data, size);
  const isa::DecodeOptions roomy;
  const isa::DecodeOptions narrow{
      .block_placement = false,
      .uniformity_analysis = false,
      .address_bits = 32,
      .registers = {.per_thread = 16, .per_core = 16384, .threads_per_core = 1024, .warp_size = 32}};
  if (!fuzz::accepted([&] { ptx::parse(text, "k.ptx"); })) return 0;
  fuzz::accepted([&] { decode(text, roomy, DeviceMemory::kBase); });
  fuzz::accepted([&] { decode(text, narrow, DeviceMemory::kBase32); });
  return 0;
}
