// SPDX-License-Identifier: Apache-2.0
// A loaded module: its symbols placed in device memory, its kernels decoded when first asked for.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/kernel.h"
#include "warpfold/isa/registers/register_limits.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

enum class SymbolSpace : std::uint8_t { kGlobal, kConst };

struct Symbol {
  SymbolSpace space = SymbolSpace::kGlobal;
  Address address = 0;  // global: device address; const: offset into const_bank
  std::uint64_t bytes = 0;
};

struct DecodeOptions {
  bool block_placement = true;      // off: blocks stay in the order of the PTX, with all its jumps
  bool uniformity_analysis = true;  // off: every conditional branch may diverge (what is the proof worth? TBC §3.1)
  unsigned address_bits = 64;       // of a register that holds an address: 32 or 64
  RegisterLimits registers{};
  // Of local memory that recursive functions have for their frames, per thread.
  std::uint64_t stack_bytes = 16384;
};

class Program {
 public:
  // Places .global variables in `memory` (initialised), those in `placed` where they are, and lays out .const ones.
  // Throws UserError when they do not fit.
  using Placed = std::map<std::string, Address, std::less<>>;
  Program(ptx::Module module, DeviceMemory& memory, DecodeOptions options = {}, const Placed& placed = {});

  bool has_kernel(std::string_view name) const;
  std::vector<std::string> kernel_names() const;

  // Decodes on first use. Throws UserError naming kernel, line and opcode for an instruction outside the supported set,
  // and for one that needs more registers than a thread can have. With `block_threads` the kernel is one of which a
  // block of that many threads finds registers on a core.
  const Kernel& kernel(std::string_view name, unsigned block_threads = 0);
  // Decodes every kernel at once (what --ptx asks for).
  void decode_all();

  const Symbol* symbol(std::string_view name) const;

  // The constant bank as kernels see it; the host writes it through cudaMemcpyToSymbol.
  std::vector<std::byte>& const_bank() { return const_bank_; }
  const std::vector<std::byte>& const_bank() const { return const_bank_; }

 private:
  ptx::Module module_;
  DecodeOptions options_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::vector<std::byte> const_bank_;
  struct Decoded {
    unsigned cap = 0;  // registers per thread that it was to keep to
    std::unique_ptr<Kernel> kernel;
  };
  std::map<std::string, std::vector<Decoded>, std::less<>> kernels_;
};

}  // namespace warpfold::isa
